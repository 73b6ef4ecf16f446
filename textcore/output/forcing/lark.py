"""Grammars as text for ``llguidance``: its dialect of Lark.

Source: docs/syntax.md of guidance-ai/llguidance. Regexes are terminals between slashes, in the
syntax of Rust's ``regex-syntax``; a token is named by its id, ``<[42]>``; a rule's name is in
lower case, a terminal's in upper case, as only rules may name tokens.
"""

from __future__ import annotations

from ..schema.fragments import EMPTY, Fragment, Part
from ..schema.grammar import Choice, Grammar, Repeated, Rule, Sequenced, Token


def lark(grammar: Grammar) -> str:
    """The grammar's text; its first rule is ``start``."""
    writer = _LarkWriter()
    lines = ["%llguidance {}", "", f"start: {writer.body(grammar.start)}"]
    lines += [f"{name}: {writer.body(part)}" for name, part in grammar.rules.items()]
    lines += ["", *(f"{name}: /{text}/" for text, name in writer.terminals.items())]
    return "\n".join(lines) + "\n"


class _LarkWriter:
    """Writes parts, and names the regexes that they use."""

    def __init__(self) -> None:
        self.terminals: dict[str, str] = {}

    def body(self, part: Part) -> str:
        """What stands behind a rule's colon."""
        if isinstance(part, Choice):
            return " | ".join(map(self.written, part.parts))
        return self.written(part)

    def written(self, part: Part) -> str:
        """A part that may stand beside others."""
        if isinstance(part, Fragment):
            return self._terminal(part) if part != EMPTY else '""'
        if isinstance(part, Token):
            return f"<[{part.id}]>"
        if isinstance(part, Rule):
            return part.name
        if isinstance(part, Sequenced):
            return " ".join(map(self._grouped, part.parts))
        if isinstance(part, Choice):
            return f"({self.body(part)})"
        assert isinstance(part, Repeated)
        return self._grouped(part.part, quantified=True) + _quantifier(part.low, part.high)

    def _grouped(self, part: Part, quantified: bool = False) -> str:
        if isinstance(part, Sequenced) or (quantified and isinstance(part, Repeated)):
            return f"({self.written(part)})"
        return self.written(part)

    def _terminal(self, part: Fragment) -> str:
        text = _between_slashes(part.text)
        return self.terminals.setdefault(text, f"T{len(self.terminals) + 1}")


def _between_slashes(text: str) -> str:
    """A regex with its slashes escaped."""
    return text.replace("/", r"\/")


def _quantifier(low: int, high: int | None) -> str:
    if (low, high) == (0, 1):
        return "?"
    if high is None and low < 2:
        return "+" if low else "*"
    return f"{{{low},{'' if high is None else high}}}"
