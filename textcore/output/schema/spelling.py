"""How values are spelled: what a writer asks of JSON, and of what stands in its place."""

from __future__ import annotations

import json
from typing import Protocol

from .fragments import Composer, Fragment, Part, literal
from .patterns import Node
from .spacing import Spacing
from .strings import quoted


class Spelling(Protocol):
    """A way to write values as text.

    Attributes:
        comma: stands between items, and between properties.
        colon: stands between a property's name and its value.
        gap: stands inside a bracket, before the first item and behind the last.
    """

    comma: Fragment
    colon: Fragment
    gap: Fragment

    def string(self, language: Node) -> Part | None:
        """The texts of the strings in a language; None if there are none."""

    def constant(self, value: str) -> Part | None:
        """The text of one string; None if it can't be written."""

    def word(self, value: bool | None) -> Fragment:
        """The text of true, false or null."""

    def key(self, name: str) -> Fragment | None:
        """The text of a property's name; None if it can't be written."""

    def keys(self, language: Node) -> Fragment | None:
        """The texts of those property names in a language that can be written; None: none."""


class JsonSpelling:
    """The canonical form of JSON."""

    def __init__(self, composer: Composer, spacing: Spacing) -> None:
        self._composer = composer
        self.comma = spacing.comma(composer)
        self.colon = spacing.colon(composer)
        self.gap = spacing.gap(composer)

    def string(self, language: Node) -> Part | None:
        """See :class:`Spelling`."""
        return quoted(language, self._composer)

    def constant(self, value: str) -> Part | None:
        """See :class:`Spelling`."""
        return literal(json.dumps(value, ensure_ascii=False))

    def word(self, value: bool | None) -> Fragment:
        """See :class:`Spelling`."""
        return literal(json.dumps(value))

    def key(self, name: str) -> Fragment | None:
        """See :class:`Spelling`."""
        return literal(json.dumps(name, ensure_ascii=False))

    def keys(self, language: Node) -> Fragment | None:
        """See :class:`Spelling`."""
        return quoted(language, self._composer)
