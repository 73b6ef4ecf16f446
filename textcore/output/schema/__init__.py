r"""JSON Schema as a regex over canonical JSON text, for engines that force a model's output.

The canonical form of a value is what ``json.dumps(value, ensure_ascii=False)`` writes, with

- properties in the order in which the schema names them (``properties``, then what only
  ``required`` names), then properties that only ``additionalProperties`` or
  ``patternProperties`` describe; none that nothing describes;
- no array items after ``prefixItems`` unless ``items`` describes them;
- integers as digits; other numbers with an optional fraction and exponent, the exponent after
  one non-zero digit and at most 307; multiples (``multipleOf``) without exponent, and with no
  more decimal places than the unit has (at least one);
- where nothing is said about a value at all, at most ``any_depth`` levels of arrays and objects.

A text matches exactly when it is the canonical text of a value that satisfies the schema. Any
valid value *of the properties described* has a canonical text, so the form costs the model no
meaning, and the schema's order of properties is the order in which the model will decide them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...errors import SpecError, UnsupportedError
from .constraints import Schema, intersect
from .fragments import Composer, Fragment, fragment, regex_escape
from .limits import Work
from .reader import Reader
from .spacing import Spacing, check_count
from .spelling import JsonSpelling
from .writer import Writer

SEPARATORS: Final = (", ", ": ")
"""The default spacing: that of ``json.dumps`` and of chat templates' ``tojson``."""

MAX_POSITIONS: Final = 100_000
"""The default bound on a regex's size."""


def json_schema_to_regex(
    schema: Mapping[str, Any] | bool,
    *,
    separators: tuple[str, str] = SEPARATORS,
    whitespace: int = 0,
    any_depth: int = 2,
    max_positions: int = MAX_POSITIONS,
) -> str:
    """A regex whose full matches are the canonical JSON texts of the values ``schema`` allows.

    The regex has no look-around, anchors or back-references, and means the same to Python's
    ``re``, ``regex`` and Rust's engines (``outlines-core``, ``llguidance``). docs/forcing.md
    has the table of keywords and the cost of large regexes.

    Args:
        schema: a parsed JSON Schema, draft 2020-12.
        separators: what stands between items and between a name and its value, as in
            ``json.dumps``: a comma and a colon, each with JSON whitespace around it or none.
        whitespace: how many characters of it may stand wherever JSON allows some, in place of
            the separators' own; 0: exactly the separators.
        any_depth: how deep a value may nest about which nothing is said (``{}``, ``true``).
        max_positions: the most characters and classes that the regex may have, counted repeats
            written out: the order of the number of states in the engine's automaton.

    Raises:
        SpecError: the schema is malformed, or no value satisfies it.
        UnsupportedError: a keyword can't be honoured (recursion, uniqueItems, an overlap of
            oneOf's branches, an unknown keyword), or the regex would be too large. The error
            names the keyword's JSON pointer.
        TypeError, ValueError: an option is not of the type or form described.
    """
    return schema_fragment(
        schema,
        place="#",
        spacing=Spacing(separators, whitespace),
        any_depth=any_depth,
        composer=Composer(max_positions),
    ).text


def schema_fragment(
    schema: Any,
    *,
    place: str,
    spacing: Spacing,
    any_depth: int,
    composer: Composer,
    also: Schema | None = None,
) -> Fragment:
    """As ``json_schema_to_regex``, as part of a larger regex.

    ``place`` stands for the schema's root in errors; ``also`` is one more condition.
    """
    check_count("any_depth", any_depth)
    work = Work()
    read = Reader(schema, place, work).read()
    if also is not None:
        read = intersect(read, also, work)
    composer.place = place
    spelling = JsonSpelling(composer, spacing)
    written = Writer(composer, spelling, any_depth, work).write(read)
    if written is None:
        raise no_value(read, place)
    return fragment(written)


def no_value(schema: Schema, place: str) -> SpecError:
    """The error for a schema that no value satisfies."""
    reason = schema.reason if schema.is_never() and schema.reason else ""
    return SpecError(place, f"no value satisfies the schema{reason and ': '}{reason}")


__all__ = [
    "MAX_POSITIONS",
    "SEPARATORS",
    "SpecError",
    "UnsupportedError",
    "json_schema_to_regex",
    "regex_escape",
    "schema_fragment",
]
