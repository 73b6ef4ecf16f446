"""The literals of a chat template: which tokens they make, and which are parts of tokens."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

# What formats put something else in the place of.
_FIELD = re.compile(r"\{[^{}]*\}|%(?:\([^()]*\))?[-#+ 0-9.*]*[a-zA-Z]")
# Where formats have more parts than this, any token may be made of them.
_PARTS = 256


class Literals:
    """Tells which tokens a template may write, by its literals.

    A token is in here where it occurs in a literal, or can: in a format that is filled in, or
    around one of ``roles``.
    """

    def __init__(self, literals: Iterable[str], roles: Collection[str]) -> None:
        self._literals = dict.fromkeys(literals)
        self.text = "\0".join(self._literals)
        self._roles = roles
        split = (_FIELD.split(literal) for literal in self._literals)
        self._formats = [parts for parts in split if len(parts) > 1]
        self._any = sum(map(len, self._formats)) > _PARTS

    def __contains__(self, token: object) -> bool:
        return isinstance(token, str) and (
            self._any
            or token in self.text
            or any(_is_made(token, parts) for parts in self._formats)
            or any(self._is_built(token, role) for role in self._roles if role in token)
        )

    def _is_built(self, token: str, role: str) -> bool:
        before, _, behind = token.partition(role)
        return (before != "" or behind != "") and (
            any(literal.endswith(before) for literal in self._literals)
            and any(literal.startswith(behind) for literal in self._literals)
        )


def _is_made(token: str, parts: list[str]) -> bool:
    """Whether a token can occur in a filled-in format over the edge of one of its parts."""
    for index, part in enumerate(parts[:-1]):
        at = _overlap(part, token)
        if not at:
            continue
        for following in parts[index + 1 :]:
            length = _overlap(token, following)
            if length and at + length <= len(token):
                return True
            at = token.find(following, at) + len(following)
            if at < len(following):
                break
    return False


def _overlap(left: str, right: str) -> int:
    """The shortest length at which ``left`` ends as ``right`` begins; 0 for none."""
    if not right or right[0] not in left:
        return 0
    lengths = range(1, min(len(left), len(right)) + 1)
    return next((length for length in lengths if left.endswith(right[:length])), 0)


class Fragments:
    """Tells which literals can be a part of an occurrence of one of some tokens.

    Also as formats, and by what is cut out of them.
    """

    def __init__(self, tokens: Collection[str]) -> None:
        self._inside = "\0".join(tokens)
        self._first = frozenset(token[0] for token in tokens)
        self._last = frozenset(token[-1] for token in tokens)
        self._ends = {token[:2] for token in tokens} | {token[-2:] for token in tokens}
        self._single = frozenset(token for token in tokens if len(token) == 1)

    def __contains__(self, text: str) -> bool:
        # Two characters of an end of a token are enough, wherever they stand.
        return (
            any(text[at : at + 2] in self._ends for at in range(len(text) - 1))
            or not self._single.isdisjoint(text)
            or any(map(self._is_part, _FIELD.split(text)))
        )

    def _is_part(self, text: str) -> bool:
        return bool(text) and (
            text[-1] in self._first or text[0] in self._last or text in self._inside
        )
