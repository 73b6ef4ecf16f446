"""Readers of tokenizer files."""
