"""Values that are not plain JSON: guarded from a tag, in Python's syntax, or between marks.

Each is the text that :class:`textcore.core.literals.LiteralScanner` or a JSON parser reads back
as the value.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from textcore.core.literals import LiteralScanner

from ...errors import UnsupportedError
from ..schema.fragments import EMPTY, Composer, Fragment, Part, Structure, literal
from ..schema.languages import Pattern, text_language
from ..schema.limits import Work
from ..schema.patterns import Alt, Cat, Chars, Node, Ranges, Repeat, complement, ranges_of
from ..schema.spacing import Spacing
from ..schema.spelling import JsonSpelling
from ..schema.strings import quoted
from .fences import Fence
from .texts import has, raw, within

# The names that additional arguments may have where names are not quoted.
_WORD: Final = ranges_of([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
_BEFORE_SINGLE: Final = {0x27: "'", 0x5C: "\\", 9: "t", 10: "n", 13: "r"}


class GuardedSpelling(JsonSpelling):
    """JSON in whose strings no tag of a fence occurs, as its reader looks for the tags only."""

    def __init__(
        self, composer: Composer, spacing: Spacing, fence: Fence, place: str, work: Work
    ) -> None:
        super().__init__(composer, spacing)
        self._fence = Fence(tag_in_strings(tag, place) for tag in fence.tags)
        self._place = place
        self._work = work

    def string(self, language: Node) -> Part | None:
        """See :class:`Spelling`."""
        return super().string(self._guarded(language))

    def constant(self, value: str) -> Part | None:
        """See :class:`Spelling`."""
        return None if value in self._fence else super().constant(value)

    def key(self, name: str) -> Fragment | None:
        """See :class:`Spelling`."""
        return None if name in self._fence else super().key(name)

    def keys(self, language: Node) -> Fragment | None:
        """See :class:`Spelling`."""
        return super().keys(self._guarded(language))

    def _guarded(self, language: Node) -> Node:
        return self._fence.around(language, self._place, self._work)


def tag_in_strings(tag: str, place: str) -> str:
    """What must not occur in strings, lest a tag occurs in JSON text; empty if it can't.

    Raises:
        UnsupportedError: it may begin between two strings.
    """
    for index, char in enumerate(tag):
        if char < " ":
            return ""
        if char in '"\\':
            if not index:
                raise UnsupportedError(place, f"JSON can't be told from the tag {tag!r}")
            return tag[:index]
    return tag


class PythonSpelling(GuardedSpelling):
    """Python's literals: strings in quotes of either kind, ``True``, ``False`` and ``None``.

    JSON's own words are taken, too, as some templates write them.
    """

    def string(self, language: Node) -> Part | None:
        """See :class:`Spelling`."""
        return self.keys(language)

    def constant(self, value: str) -> Part | None:
        """See :class:`Spelling`."""
        return None if value in self._fence else self._both(value)

    def word(self, value: bool | None) -> Fragment:
        """See :class:`Spelling`."""
        return either_word(value, self._composer)

    def key(self, name: str) -> Fragment | None:
        """See :class:`Spelling`."""
        return None if name in self._fence else self._both(name)

    def keys(self, language: Node) -> Fragment | None:
        """See :class:`Spelling`."""
        language = self._guarded(language)
        double, single = quoted(language, self._composer), self._single(language)
        kept = [part for part in (double, single) if part is not None]
        return self._composer.alt(kept) if kept else None

    def _both(self, value: str) -> Fragment:
        single = self._single(text_language(value))
        assert single is not None
        return self._composer.alt([literal(json.dumps(value, ensure_ascii=False)), single])

    def _single(self, language: Node) -> Fragment | None:
        inner = self._escaped(language)
        return None if inner is None else self._composer.seq([literal("'"), inner, literal("'")])

    def _escaped(self, node: Node) -> Fragment | None:
        """A language between single quotes: escapes are few, so they are listed."""
        special = ranges_of([(0, 0x1F), (0x27, 0x27), (0x5C, 0x5C)])
        return raw(_with_escapes(node, special), self._composer)


def _with_escapes(node: Node, special: Ranges) -> Node:
    """The texts of a language's strings, its special characters escaped."""
    if isinstance(node, Cat):
        return Cat(tuple(_with_escapes(part, special) for part in node.parts))
    if isinstance(node, Alt):
        return Alt(tuple(_with_escapes(part, special) for part in node.parts))
    if isinstance(node, Repeat):
        return Repeat(_with_escapes(node.part, special), node.low, node.high)
    assert isinstance(node, Chars)
    codes = [c for low, high in special for c in range(low, high + 1)]
    escaped = [c for c in codes if any(low <= c <= high for low, high in node.ranges)]
    if not escaped:
        return node
    plain = within(node, complement(special))
    assert isinstance(plain, Chars)
    branches: list[Node] = [plain] if plain.ranges else []
    short = ranges_of((ord(_BEFORE_SINGLE[c]),) * 2 for c in escaped if c in _BEFORE_SINGLE)
    if short:
        branches.append(Cat((text_language("\\"), Chars(short))))
    for high in (0, 1):
        digits = [c % 16 for c in escaped if c // 16 == high and c not in _BEFORE_SINGLE]
        last = Chars(ranges_of((ord(f"{digit:x}"),) * 2 for digit in digits))
        if digits:
            branches.append(Cat((text_language(f"\\x{high}"), last)))
    return branches[0] if len(branches) == 1 else Alt(tuple(branches))


class MarkedSpelling:
    """Strings as they stand between two equal marks, keys bare, words as JSON or Python has them.

    ``marks`` spells the mark: as text, or as a control token.
    """

    comma, colon, gap = literal(","), literal(":"), EMPTY

    def __init__(
        self,
        composer: Structure,
        scalars: Composer,
        mark: str,
        marks: Callable[[str], list[Part]],
        place: str,
        work: Work,
    ) -> None:
        self._composer = composer
        self._scalars = scalars
        self._mark = mark
        self._marks = marks
        self._place = place
        self._work = work

    def string(self, language: Node) -> Part | None:
        """See :class:`Spelling`."""
        fence = Fence([self._mark])
        inner = raw(fence.around(language, self._place, self._work), self._scalars)
        if inner is None:
            return None
        parts = [*self._marks(self._mark), inner, *self._marks(self._mark)]
        if all(isinstance(part, Fragment) for part in parts):
            return self._scalars.seq(parts)
        return self._composer.seq(parts)

    def constant(self, value: str) -> Part | None:
        """See :class:`Spelling`."""
        return None if self._mark in value else self.string(text_language(value))

    def word(self, value: bool | None) -> Fragment:
        """See :class:`Spelling`."""
        return either_word(value, self._scalars)

    def key(self, name: str) -> Fragment | None:
        """See :class:`Spelling`."""
        return literal(name) if reads_key(name, self._mark) else None

    def keys(self, language: Node) -> Fragment | None:
        """See :class:`Spelling`."""
        return word_names(language, self._scalars, self._place, self._work)


def either_word(value: bool | None, composer: Composer) -> Fragment:
    """True, false or null as Python and as JSON spell it."""
    return composer.alt([literal(str(value)), literal(json.dumps(value))])


def reads_key(name: str, mark: str = "") -> bool:
    """Whether a name is read back where names stand without quotes."""
    scanner = LiteralScanner(mark)
    scanner.start(True)
    text = f"{name}:0}}" if mark else f"{name}=0)"
    return (
        scanner.feed(text) == len(text)
        and scanner.done
        and scanner.take() == json.dumps({name: 0}, ensure_ascii=False)
    )


def word_names(language: Node, composer: Composer, place: str, work: Work) -> Fragment | None:
    """The names of a language that have letters, digits and underscores only."""
    words = within(language, _WORD)
    if has(words, "", place, work):
        try:
            words = Pattern("", place, words, work).of_length(1, None)
        except UnsupportedError:
            return None
    return raw(words, composer)
