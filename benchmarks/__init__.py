"""How fast textcore is beside its peers: pytest-benchmark suites, and a report made of one run."""
