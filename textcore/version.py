"""The version of textcore."""

# The build reads it from here, without importing anything.
__version__ = "0.1.0"
"""The version of textcore, as a string."""
