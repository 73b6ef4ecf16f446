"""Unicode as the references have it: pinned tables, independent of the Python that runs."""
