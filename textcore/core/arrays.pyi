# For compiled modules only: it has no names that Python sees.
