"""Grammars as structural tags for ``xgrammar``, and for servers that take them.

Source: docs/structural_tag and docs/defining_structures/ebnf_grammar.md of mlc-ai/xgrammar.
What stands at the top is spelled in the tag's own types (``sequence``, ``or``, ``token``,
``regex`` …); a rule, as it may be recursive, is a ``grammar`` in xgrammar's EBNF.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from ..schema.fragments import EMPTY, Fragment, Part
from ..schema.grammar import Choice, Grammar, Repeated, Rule, Sequenced, Token

Format = dict[str, Any]

_OPTIONAL: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\(\?:|\?", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:U([0-9a-f]{8})|.)", re.DOTALL)


def structural_tag(grammar: Grammar) -> Format:
    """``{"type": "structural_tag", "format": …}``, JSON throughout."""
    return {"type": "structural_tag", "format": _TagWriter(grammar).written(grammar.start)}


class _TagWriter:
    """Writes parts as formats."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar

    def written(self, part: Part) -> Format:
        """A part as a format."""
        if isinstance(part, Fragment):
            return _fragment(part)
        if isinstance(part, Token):
            return {"type": "token", "token": part.id}
        if isinstance(part, Sequenced):
            return {"type": "sequence", "elements": list(map(self.written, part.parts))}
        if isinstance(part, Choice):
            return {"type": "or", "elements": list(map(self.written, part.parts))}
        if isinstance(part, Rule):
            return {"type": "grammar", "grammar": ebnf(self._grammar, part)}
        assert isinstance(part, Repeated)
        content = self.written(part.part)
        if (part.low, part.high) == (0, 1):
            return {"type": "optional", "content": content}
        if part.high is None and part.low < 2:
            return {"type": "plus" if part.low else "star", "content": content}
        high = -1 if part.high is None else part.high
        return {"type": "repeat", "min": part.low, "max": high, "content": content}


def _fragment(part: Fragment) -> Format:
    if part.exact is not None:
        return {"type": "const_string", "value": part.exact}
    return {"type": "regex", "pattern": _regex(part)}


def _regex(part: Fragment) -> str:
    """A regex without those escapes that xgrammar does not know."""
    return _ESCAPE.sub(_plain, part.text)


def _plain(found: re.Match[str]) -> str:
    if found[1]:
        return chr(int(found[1], 16))
    return found[0][1] if found[0][1] in "&~" else found[0]


def _counted(regex: str) -> str:
    """A regex of EBNF, ``{0,1}`` in the place of ``?``.

    There ``(?:ab*)?`` accepts ``b`` to xgrammar 0.2.9: what is optional may go on as its end may.
    """
    return _OPTIONAL.sub(lambda found: "{0,1}" if found[0] == "?" else found[0], regex)


def ebnf(grammar: Grammar, start: Part) -> str:
    """A part and the rules that it leads to, in xgrammar's EBNF."""
    lines = [f"root ::= {_body(start)}"]
    named: set[str] = set()
    todo = _rules(start)
    while todo:
        name = todo.pop()
        if name not in named:
            named.add(name)
            lines.append(f"{name} ::= {_body(grammar.rules[name])}")
            todo += _rules(grammar.rules[name])
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A string literal of EBNF, whose escapes JSON's are."""
    return json.dumps(text, ensure_ascii=False)


def _rules(part: Part) -> list[str]:
    if isinstance(part, Rule):
        return [part.name]
    if isinstance(part, Sequenced | Choice):
        return [name for inner in part.parts for name in _rules(inner)]
    return _rules(part.part) if isinstance(part, Repeated) else []


def _body(part: Part) -> str:
    if isinstance(part, Choice):
        return " | ".join(map(_ebnf, part.parts))
    return _ebnf(part)


def _ebnf(part: Part) -> str:
    if isinstance(part, Fragment):
        if part == EMPTY:
            return '""'
        if part.exact is not None:
            return _quoted(part.exact)
        return f"Regex({_quoted(_counted(_regex(part)))})"
    if isinstance(part, Token):
        return f"Token({part.id})"
    if isinstance(part, Rule):
        return part.name
    if isinstance(part, Sequenced):
        return " ".join(map(_ebnf, part.parts))
    if isinstance(part, Choice):
        return f"({_body(part)})"
    assert isinstance(part, Repeated)
    high = part.high
    if (part.low, high) == (0, 1):
        times = "?"
    elif high is None and part.low < 2:
        times = "+" if part.low else "*"
    else:
        times = f"{{{part.low},{'' if high is None else high}}}"
    return f"({_ebnf(part.part)}){times}"
