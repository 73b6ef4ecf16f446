"""A stream split at one pair of tags into what is inside and what is outside."""

from __future__ import annotations

from textcore.core.matcher import Matcher
from textcore.core.splitter import Splitter


class TagStreamer:
    """Splits a stream at tags and leaves the tags out.

    Outside, only the opening tag is looked for, inside, only the closing one: tags do not
    nest, and a tag that is not looked for is text. Only what may still become the tag looked
    for is held back, so the pieces joined are the same however the text was cut.

    Args:
        open_tag: begins an inside; not empty.
        close_tag: ends it; not empty, and it may equal ``open_tag``.
        start_inside: whether the stream begins inside.

    Raises:
        TypeError: a tag is not a str.
        ValueError: a tag is empty.
    """

    __slots__ = ("_current", "_finished", "_other", "inside")

    def __init__(self, open_tag: str, close_tag: str, start_inside: bool = False) -> None:
        for tag in (open_tag, close_tag):
            if not isinstance(tag, str):
                raise TypeError(f"a tag is a str, not {type(tag).__name__}")
            if not tag:
                raise ValueError("a tag is empty")
        outside = Splitter(Matcher((str.__str__(open_tag),)))
        inside = Splitter(Matcher((str.__str__(close_tag),)))
        self.inside = bool(start_inside)
        self._current, self._other = (inside, outside) if start_inside else (outside, inside)
        self._finished = False

    def feed(self, delta: str, final: bool = False) -> list[tuple[bool, str]]:
        """Take the stream's next piece; return what is now certain, as ``(inside, text)`` pairs.

        Pairs alternate between inside and outside, and no text is empty. ``final`` ends the
        stream: what was held back is text after all.

        Raises:
            TypeError: ``delta`` is not a str.
            ValueError: the stream has ended.
        """
        if self._finished:
            raise ValueError("text fed to a tag streamer after its final piece")
        text = self._current.feed(delta)
        if self._current.hit < 0 and not final:
            return [(self.inside, text)] if text else []
        pieces = _Pieces()
        pieces.add(self.inside, text)
        while self._current.hit >= 0:
            position = self._current.position
            self._current, self._other = self._other, self._current
            self.inside = not self.inside
            pieces.add(self.inside, self._current.feed(delta, position))
        if final:
            self._finished = True
            pieces.add(self.inside, self._current.finish())
        return pieces.joined()


class _Pieces:
    """Pieces of text, neighbours of one kind joined."""

    __slots__ = ("_done", "_inside", "_texts")

    def __init__(self) -> None:
        self._done: list[tuple[bool, str]] = []
        self._inside = False
        self._texts: list[str] = []

    def add(self, inside: bool, text: str) -> None:
        if not text:
            return
        if inside != self._inside:
            self.joined()
            self._inside = inside
        self._texts.append(text)

    def joined(self) -> list[tuple[bool, str]]:
        if self._texts:
            self._done.append((self._inside, "".join(self._texts)))
            self._texts = []
        return self._done
