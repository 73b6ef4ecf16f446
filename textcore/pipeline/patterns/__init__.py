"""Split patterns of tokenizers: exact in their dialect, and fast.

A pattern is read in its dialect into a syntax tree whose sets are explicit
(:mod:`~textcore.pipeline.patterns.oniguruma`, :mod:`~textcore.pipeline.patterns.rust`),
and then compiled to a deterministic automaton
(:mod:`~textcore.pipeline.patterns.automaton`), or, where none is equivalent, written
as a pattern for the ``regex`` package (:mod:`~textcore.pipeline.patterns.rewrite`).
"""

from textcore.pipeline.patterns.matching import Pattern, Run, compile_pattern, runs

__all__ = ["Pattern", "Run", "compile_pattern", "runs"]
