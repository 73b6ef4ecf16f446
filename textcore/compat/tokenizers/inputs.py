"""What can be encoded, checked as ``tokenizers`` checks it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textcore.pipeline.aligned import Input, Words


def text_of(text: Any) -> str:
    """A text. Raises TypeError."""
    if not isinstance(text, str):
        raise TypeError("TextInputSequence must be str")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise TypeError("TextInputSequence must be str: a lone surrogate is none") from None
    return text


def words_of(words: Any) -> list[str]:
    """A text in words. Raises TypeError."""
    words = _listed(words)
    if not isinstance(words, (list, tuple)) or not all(isinstance(word, str) for word in words):
        raise TypeError("PreTokenizedInputSequence must be Union[List[str], Tuple[str]]")
    return [text_of(word) for word in words]


def sequence_of(sequence: Any, is_pretokenized: bool) -> Words:
    """One sequence. Raises TypeError."""
    return words_of(sequence) if is_pretokenized else text_of(sequence)


def batch_of(batch: Any, is_pretokenized: bool) -> list[Input]:
    """A batch of sequences and pairs of sequences. Raises TypeError."""
    batch = _listed(batch)
    if isinstance(batch, str):
        raise TypeError("Can't extract `str` to `Vec`")
    if not isinstance(batch, Sequence):
        raise TypeError(f"'{type(batch).__name__}' object is not an instance of 'Sequence'")
    single = _words_input if is_pretokenized else _text_input
    return [single(_listed(item)) for item in batch]


def _text_input(item: Any) -> Input:
    if isinstance(item, str):
        return text_of(item), None
    if isinstance(item, (list, tuple)) and len(item) == 2:
        return text_of(item[0]), text_of(item[1])
    raise TypeError(
        "TextEncodeInput must be Union[TextInputSequence, Tuple[InputSequence, InputSequence]]"
    )


def _words_input(item: Any) -> Input:
    if isinstance(item, (list, tuple)):
        if all(isinstance(word, str) for word in item):
            return words_of(item), None
        if len(item) == 2:
            return words_of(item[0]), words_of(item[1])
    raise TypeError(
        "PreTokenizedEncodeInput must be Union[PreTokenizedInputSequence, "
        "Tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]]"
    )


def _listed(value: Any) -> Any:
    """A numpy array as lists; anything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value
