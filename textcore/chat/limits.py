"""How much a chat template may cost.

The limits are far above what any real template needs for a conversation that fits a model, and
low enough that a hostile one is stopped within seconds and some hundreds of megabytes.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of one rendering, and of compiling; an error names the field that was met.

    ``work``: operations; one is about one node of the template's syntax tree evaluated once, and
    64 characters copied. ``size``: characters of one string (the prompt too), and 32 times the
    items of one list. ``memory``: bytes of all strings and lists made, whether kept or not.
    ``bits``: of one integer. ``depth``: calls of macros in each other, and values in each other.
    ``source``: characters of a template. ``nodes``: of its syntax tree. ``scopes``: its distinct
    names times its branches, loops and macros, which is what compiling costs.
    """

    work: int = 20_000_000
    size: int = 1 << 25
    memory: int = 1 << 29
    bits: int = 1 << 14
    depth: int = 200
    source: int = 1 << 18
    nodes: int = 1 << 15
    scopes: int = 1 << 21


DEFAULT_LIMITS = Limits()

_PROBLEMS = {
    "work": "more than {} operations",
    "size": "a string of more than {} characters, or a list of more than a 32nd of that",
    "memory": "more than {} bytes of strings and lists",
    "bits": "an integer of more than {} bits",
    "depth": "nesting deeper than {}",
    "source": "a source of more than {} characters",
    "nodes": "more than {} expressions and statements",
    "scopes": "names times branches of more than {}",
}


def describe(limit: str, amount: int) -> str:
    """What an error says of a limit that was met."""
    return f"the template needs {_PROBLEMS[limit].format(amount)} (limit: {limit})"
