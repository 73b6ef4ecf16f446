"""Values that stand as text before a tag, of which their reader has to find out the type."""

from __future__ import annotations

import json
from typing import Any, Final

from ...errors import UnsupportedError
from ..parameter_types import STRING, Types, json_value
from ..schema.constraints import Array, Constraint, Number, Object, Schema, String
from ..schema.limits import Work
from ..schema.patterns import Node
from ..schema.values import text_of
from .fences import Fence
from .lookalikes import LOOKS, unmistakable

NAMES: Final = {
    Number: "number", String: "string", Array: "array", Object: "object",
}  # fmt: skip


def check_type(constraint: Constraint, types: Types) -> None:
    """Raise if the reader does not take a value for one of the constraint's type."""
    name = NAMES[type(constraint)]
    integers = isinstance(constraint, Number) and constraint.integer and "integer" in types
    if types and name not in types and not integers:
        raise UnsupportedError(
            constraint.place, f"the format takes it for {' or '.join(sorted(types))}"
        )


def bare_strings(
    language: Node, types: Types, fence: Fence, place: str, work: Work, opener: str = ""
) -> Node | None:
    """The strings of a language that are read back as strings; None where that can't be said.

    Args:
        language: the strings.
        types: the types that the reader knows the value to have; empty: any.
        fence: the tags that would end the value.
        place: where the language is declared.
        work: the budget.
        opener: what begins a value that is written in another way; may be empty.
    """
    return unmistakable(language, other_types(types), opener, fence, place, work)


def other_types(types: Types) -> tuple[str, ...]:
    """The types that a text may have beside string."""
    return () if types == STRING else tuple(sorted((types or LOOKS.keys()) - STRING))


def mistaken(types: Types, string: String) -> UnsupportedError:
    """The error for strings that would be read as values of other types."""
    names = " or ".join(other_types(types))
    place = string.patterns[0].place if string.patterns else string.place
    return UnsupportedError(
        place, f"some of these strings would be read as {names} in this format"
    )


def constant_text(value: Any, schema: Schema, types: Types, fence: Fence) -> str:
    """The text of a single scalar; :func:`check_read` says whether it is read back."""
    text = value if isinstance(value, str) else text_of(value, (", ", ": "))
    if text in fence:
        raise unwritable(text, schema)
    return text


def unwritable(text: str, schema: Schema) -> UnsupportedError:
    """The error for a value that a format has no text for."""
    return UnsupportedError(schema.place, f"the format can't write {text[:80]!r}")


def check_read(text: str, schema: Schema, types: Types, work: Work) -> None:
    """Raise unless a text is read back as a value that the schema allows."""
    if not schema.accepts(json.loads(json_value(text, types)), work):
        raise UnsupportedError(
            schema.place, f"the format takes {text[:80]!r} for a value of another type"
        )
