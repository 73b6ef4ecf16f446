"""Added tokens, as ``tokenizers`` shows them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from textcore.pipeline.added_tokens import AddedToken as Made

FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


class AddedToken:
    """A token that is looked for in a text before anything else.

    ``single_word``: only as a whole word. ``lstrip``, ``rstrip``: with the whitespace
    before, behind it. ``normalized``: in the normalized text; by default all but special
    ones. ``special``: left out of decoded texts where that is wanted.
    """

    __slots__ = ("_normalized", "content", "lstrip", "rstrip", "single_word", "special")

    def __init__(self, content: str | None = None, **options: Any) -> None:
        if content is not None and not isinstance(content, str):
            raise TypeError(f"'{type(content).__name__}' object is not an instance of 'str'")
        self.content = content or ""
        self.single_word = bool(options.pop("single_word", False))
        self.lstrip = bool(options.pop("lstrip", False))
        self.rstrip = bool(options.pop("rstrip", False))
        normalized = options.pop("normalized", None)
        self._normalized: bool | None = None if normalized is None else bool(normalized)
        self.special = bool(options.pop("special", False))
        ignored(options)

    @property
    def normalized(self) -> bool:
        """Whether it is looked for in the normalized text."""
        return not self.special if self._normalized is None else self._normalized

    @classmethod
    def _of(cls, token: Made) -> AddedToken:
        return cls(token.content, **{flag: getattr(token, flag) for flag in FLAGS})

    def _made(self) -> Made:
        return Made(self.content, **{flag: getattr(self, flag) for flag in FLAGS})

    def __getstate__(self) -> dict[str, Any]:
        return {"content": self.content, **{flag: getattr(self, flag) for flag in FLAGS}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __str__(self) -> str:
        return self.content

    def __repr__(self) -> str:
        return (
            f'AddedToken("{self.content}", rstrip={self.rstrip}, lstrip={self.lstrip}, '
            f"single_word={self.single_word}, normalized={self.normalized}, "
            f"special={self.special})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AddedToken):
            return NotImplemented
        return self.__getstate__() == other.__getstate__()

    def __hash__(self) -> int:
        return hash(self.content)


def tokens_of(tokens: Any, special: bool) -> list[Made]:
    """A list of str and AddedToken as tokens to add. Raises TypeError.

    Where they are added as special ones, they become so.
    """
    if not isinstance(tokens, list):
        raise TypeError(f"'{type(tokens).__name__}' object is not an instance of 'list'")
    return [_token_of(token, special) for token in tokens]


def _token_of(token: Any, special: bool) -> Made:
    if isinstance(token, str):
        return Made(token, normalized=not special, special=special)
    flags = ("content", *FLAGS)
    if not all(hasattr(token, name) for name in flags):
        raise TypeError("Input must be a List[Union[str, AddedToken]]")
    if special:
        token.special = True
    return Made(**{name: getattr(token, name) for name in flags})


def ignored(options: Iterable[str]) -> None:
    """Say, as the reference does, which keywords are not known."""
    for name in options:
        print(f"Ignored unknown kwarg option {name}", file=sys.stderr)
