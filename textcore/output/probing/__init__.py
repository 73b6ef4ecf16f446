"""Finding a model's output format from nothing but its chat template."""
