"""Compiled: one concern a module; nothing here imports a Python module of textcore."""
