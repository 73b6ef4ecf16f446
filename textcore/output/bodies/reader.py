"""What a body's reader does, and the small steps that several share."""

from __future__ import annotations

import json
from typing import Protocol

import regex

from textcore.core.jsonscan import JsonScanner
from textcore.core.literals import LiteralScanner

WHITESPACE = " \t\n\r"

# A function's name, or a parameter's, is no longer than this.
NAME_LIMIT = 512


class Reader(Protocol):
    """Follows one body as it comes.

    Attributes:
        name: the function's name, from the moment that the call is certain to be one.
        id: the call's own id, where the body has one, by then.
        value: what follows the body's JSON or literal, if the body is one.
        opened: whether the body has begun as one does. If it is bad before that, the call's tag
            was only mentioned.
        done: the body is complete.
        bad: the text is not such a body.
        unread: when ``bad``, or at the end: text that was taken and belongs to nothing, and
            stands before the position that ``feed`` has returned.
    """

    name: str | None
    opened: bool
    unread: str

    @property
    def id(self) -> str | None: ...
    @property
    def value(self) -> JsonScanner | LiteralScanner | None: ...

    @property
    def done(self) -> bool: ...
    @property
    def bad(self) -> bool: ...

    def start(self, name: str = "") -> None:
        """Forget everything; a body may follow, behind whitespace.

        ``name`` is the function's, where something before the body has said it.
        """

    def feed(self, text: str, position: int) -> int:
        """Read on at ``text[position]``; return the position behind what belongs to the body."""

    def take(self) -> str:
        """The arguments' text that has become certain since the last time."""

    def finish(self) -> None:
        """The text ends here."""


class Literals:
    """Waits for one of several literals, behind whitespace (or what else is ``skipped``).

    No literal begins another, so the first that is complete is the one. ``seen`` is what was
    taken so far and is not yet a literal.
    """

    __slots__ = ("_literals", "_skipped", "_spaces", "found", "seen")

    def __init__(self, literals: tuple[str, ...], skipped: str = WHITESPACE) -> None:
        self._literals = tuple(filter(None, literals))
        self._skipped = skipped
        self.found: str | None = None
        self.seen = ""
        self._spaces: list[str] = []

    @property
    def taken(self) -> str:
        """Everything that was taken in earlier pieces and not found to be a literal."""
        return "".join(self._spaces) + self.seen

    def feed(self, text: str, position: int) -> int | None:
        """The position behind the literal, or the text's end to go on; None: no literal comes."""
        seen, size, start = self.seen, len(text), position
        if not seen:
            while position < size and text[position] in self._skipped:
                position += 1
            if position == size:
                self._spaces.append(text[start:])
                return size
        for literal in self._literals:
            if literal.startswith(seen):
                rest = literal[len(seen) :]
                if text.startswith(rest, position):
                    self.found = literal
                    return position + len(rest)
                if size - position < len(rest) and rest.startswith(text[position:]):
                    self._spaces.append(text[start:position])
                    self.seen = seen + text[position:]
                    return size
        return None


class Name:
    """Waits for a name and one of the separators that end it."""

    __slots__ = ("_pattern", "_separator", "_tails", "bad", "ended_by", "id", "name", "raw")

    def __init__(self, pattern: str, separators: tuple[str, ...]) -> None:
        self._pattern = regex.compile(pattern, regex.DOTALL)
        ordered = sorted(separators, key=len, reverse=True)
        self._separator = regex.compile("|".join(map(regex.escape, ordered)))
        self._tails = {tail[:end] for tail in separators for end in range(1, len(tail))}
        self.start()

    def start(self) -> None:
        """Begin anew."""
        self.raw = ""
        self.name: str | None = None
        self.id: str | None = None
        self.ended_by = ""
        self.bad = False

    def feed(self, text: str, position: int) -> int:
        """The position behind the separator, or the text's end to go on; see ``bad``."""
        before = len(self.raw)
        taken = min(len(text), position + 2 * NAME_LIMIT)
        self.raw += text[position:taken]
        found = self._separator.search(self.raw)
        if found:
            name = self._pattern.fullmatch(self.raw, 0, found.start())
            if name and found.start() <= NAME_LIMIT:
                groups = name.groupdict()
                self.name = groups["name"]
                self.id = groups.get("id")
                self.ended_by = found[0]
                return position + int(found.end()) - before
            return self._refuse(before, position)
        end = len(self.raw)
        for size in range(min(end, max(map(len, self._tails), default=0)), 0, -1):
            if self.raw[end - size :] in self._tails:
                end -= size
                break
        fits = self._pattern.fullmatch(self.raw, 0, end, partial=True)
        if end > NAME_LIMIT or fits is None:
            return self._refuse(before, position)
        return taken

    def _refuse(self, before: int, position: int) -> int:
        """No name can come; what earlier pieces had of it stays in ``raw``."""
        self.bad = True
        self.raw = self.raw[:before]
        return position


def unescaped(literal: str) -> str:
    """The string of a JSON string literal that has been checked."""
    if "\\" not in literal:
        return literal[1:-1]
    value: str = json.loads(literal)
    return value


class Unescaper:
    """The characters of a JSON string whose literal comes in pieces."""

    __slots__ = ("_held",)

    # Whole escapes only, and a high surrogate only with what follows it.
    _whole = regex.compile(
        r"(?:[^\\]++|\\[^u]|\\u(?![dD][89abAB])[0-9a-fA-F]{4}"
        r"|\\u[dD][89abAB][0-9a-fA-F]{2}(?:(?=[^\\])|(?=\\[^u])|\\u[0-9a-fA-F]{4}))*+",
        regex.DOTALL,
    )

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str, final: bool = False) -> str:
        """What a piece (of the literal without its quotes) says."""
        if self._held:
            piece = self._held + piece
            self._held = ""
        if "\\" not in piece:
            return piece
        if not final:
            found = self._whole.match(piece)
            assert found
            self._held = piece[found.end() :]
            piece = piece[: found.end()]
        value: str = json.loads(f'"{piece}"')
        return value
