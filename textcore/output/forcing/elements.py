"""Arguments as elements within elements, each written so that its reader finds the same value.

An object is an element for each property, an array one for each item. JSON text stands within an
element where elements can't: in objects with names that only a rule describes, or that no tag can
have, and in those without properties where an empty element would be read as something else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...errors import UnsupportedError
from ..bodies.nested import NestedReader
from ..formats.declaration import NestedElements
from ..parameter_types import ToolTypes, Types, inner_schema, types_of
from ..schema.arrays import items
from ..schema.constraints import Array, Constraint, Number, Object, Schema, String
from ..schema.fragments import EMPTY, Part, joined, literal
from ..schema.objects import ObjectWriter
from ..schema.patterns import Node
from ..schema.values import key_of, text_of
from ..schema.writer import Writer
from .fences import Fence
from .leaves import bare_strings, check_read, check_type, constant_text, mistaken, unwritable
from .parameters import Marks
from .texts import raw


def constant_object(value: Mapping[str, Any], place: str = "") -> Object:
    """The constraint that one object alone satisfies."""
    return Object(
        place=place,
        properties={k: Schema(place=place, values={key_of(v): v}) for k, v in value.items()},
        required=tuple(value),
        high=len(value),
    )


def constant_array(value: list[Any], place: str = "") -> Array:
    """The constraint that one array alone satisfies."""
    return Array(
        place=place,
        prefix=tuple(Schema(place=place, values={key_of(v): v}) for v in value),
        low=len(value),
        high=len(value),
    )


class ElementFrame:
    """Properties as elements; see :class:`textcore.output.schema.objects.Frame`.

    Args:
        writer: writes what is JSON or a number.
        body: the declaration of the elements.
        declared: the schema of the object as the tool gives it, which tells the reader of the
            output what the properties are.
        root: the tool's schema, in which references lead.
        marks: spells a tag.
    """

    def __init__(
        self, writer: Writer, body: NestedElements, declared: Any, root: Any, marks: Marks
    ) -> None:
        self.opening: Part = EMPTY
        self.comma: Part = EMPTY
        self.closing: Part = EMPTY
        self._writer = writer
        self._body = body
        self._declared = declared
        self._root = root
        self._marks = marks
        self._fence = Fence([body.mark])

    def member(self, name: str, schema: Schema) -> Part | None:
        """See :class:`Frame`."""
        if not reads_name(self._body, name):
            raise UnsupportedError(schema.place, f"the format can't write the name {name[:80]!r}")
        return self._element(name, schema, inner_schema(self._declared, name, self._root))

    def others(self, names: Node, schema: Schema) -> Part | None:
        """See :class:`Frame`."""
        raise UnsupportedError(
            schema.place or f"{self._writer.composer.place}/additionalProperties",
            "arguments that are elements need names that the schema lists, as a closing tag"
            " repeats its element's name",
        )

    def _element(self, name: str, schema: Schema, declared: Any) -> Part | None:
        """An element of a name; the same one is a rule if it may lead back to itself."""
        if not schema.references:
            return self._written(name, schema, declared)
        grammar = self._writer.grammar
        assert grammar is not None
        # The schemas that have these identities are kept by the tool's, and by this key.
        key = ("element", name, schema, id(declared), id(self._root))
        return grammar.rule(key, lambda: self._written(name, schema.resolved(), declared))

    def _written(self, name: str, schema: Schema, declared: Any) -> Part | None:
        writer = self._writer
        writer.work.spend(1, schema.place)
        types = types_of(declared, self._root)
        texts: list[Part | None] = []
        structures: list[Part | None] = []
        if schema.anything:
            texts.append(raw(self._fence.text(), writer.scalars))
        for value in schema.values.values():
            if isinstance(value, dict | list):
                structures.append(self._constant(value, schema, declared))
            else:
                texts.append(self._scalar(value, schema, types))
        for constraint in schema.alternatives:
            written = self._constraint(constraint, declared, types)
            (texts if isinstance(constraint, String | Number) else structures).append(written)
        value = self._closed(name, texts, structures)
        if value is None:
            return None
        opening = [*self._marks(self._body.mark), literal(f"<{name}>")]
        return joined([*opening, value], writer.composer, writer.scalars)

    def _closed(
        self, name: str, texts: list[Part | None], structures: list[Part | None]
    ) -> Part | None:
        """Values with their closing tag: a text and the tag's beginning are one lexeme."""
        writer = self._writer
        close = [*self._marks(self._body.mark), literal(f"</{name}>")]
        ways: list[Part] = []
        kept = [text for text in texts if text is not None]
        if kept:
            ways.append(
                joined([writer.scalars.alt(kept), *close], writer.composer, writer.scalars)
            )
        parts = [part for part in structures if part is not None]
        if parts:
            closing = joined(close, writer.composer, writer.scalars)
            ways.append(writer.composer.seq([writer.composer.alt(parts), closing]))
        return writer.composer.alt(ways) if ways else None

    # Values.

    def _constraint(self, constraint: Constraint, declared: Any, types: Types) -> Part | None:
        writer = self._writer
        if not writer.allowed(constraint):
            return None
        if isinstance(constraint, String):
            language = writer.language(constraint)
            node = bare_strings(language, types, self._fence, constraint.place, writer.work)
            if node is None:
                raise mistaken(types, constraint)
            return raw(node, writer.scalars)
        check_type(constraint, types)
        outer, writer.composer.place = writer.composer.place, constraint.place
        if isinstance(constraint, Array):
            written = self._array(constraint, declared, types)
        elif isinstance(constraint, Object):
            written = self._object(constraint, declared, types)
        else:
            written = writer.constraint(constraint)
        writer.composer.place = outer
        return written

    def _scalar(self, value: Any, schema: Schema, types: Types) -> Part:
        text = constant_text(value, schema, types, self._fence)
        check_read(text, schema, types, self._writer.work)
        if value is None and _is_empty("null", types):
            # So the template writes an item that is null.
            return self._writer.scalars.optional(literal(text))
        return literal(text)

    def _constant(self, value: Any, schema: Schema, declared: Any) -> Part | None:
        """One array or object, as elements if it is read back so, or else as JSON."""
        types = types_of(declared, self._root)
        make = constant_object if isinstance(value, dict) else constant_array
        constraint = make(value, schema.place)
        check_type(constraint, types)
        try:
            if isinstance(constraint, Object):
                return self._object(constraint, declared, types)
            return self._array(constraint, declared, types)
        except UnsupportedError:
            written = self._writer.constant(value)
        if written is None:
            raise unwritable(text_of(value, (", ", ": ")), schema)
        return written

    def _array(self, array: Array, declared: Any, types: Types) -> Part | None:
        """An item's element for each item."""

        def item(index: int) -> Part | None:
            inner = inner_schema(declared, index, self._root)
            return self._element(self._body.item, array.item(index), inner)

        if array.low or _is_empty("array", types):
            return items(self._writer.composer, array, item, EMPTY)
        some = items(self._writer.composer, replace(array, low=1), item, EMPTY)
        return self._or_empty(some, "[]")

    def _object(self, object_: Object, declared: Any, types: Types) -> Part | None:
        """An element for each property; JSON where that does not do."""
        names = (*object_.properties, *object_.required)
        as_array = self._body.item in names and (not types or "array" in types)
        if as_array or not object_.is_closed() or not all(
            reads_name(self._body, name) for name in names
        ):  # fmt: skip
            return self._writer.constraint(object_)
        frame = ElementFrame(self._writer, self._body, declared, self._root, self._marks)
        if object_.low or object_.required or _is_empty("object", types):
            return ObjectWriter(self._writer, object_, frame).write()
        some = ObjectWriter(self._writer, replace(object_, low=1), frame).write()
        return self._or_empty(some, "{}")

    def _or_empty(self, some: Part | None, empty: str) -> Part:
        ways = [part for part in (some, literal(empty)) if part is not None]
        return self._writer.composer.alt(ways)


def _is_empty(kind: str, types: Types) -> bool:
    """Whether an element without anything in it is read as an empty value of this type."""
    first = next((name for name in ("object", "array", "null") if name in types), "")
    return "string" not in types and first == kind


def reads_name(body: NestedElements, name: str) -> bool:
    """Whether an element of a name is read back."""
    reader = NestedReader(body, ToolTypes())
    mark = body.mark
    text = f"f{body.name_end}{mark}<{name}>0{mark}</{name}>{body.close}"
    taken = reader.feed(text, 0)
    return reader.done and taken == len(text) and _is_argument(reader.take(), name)


def _is_argument(arguments: str, name: str) -> bool:
    return bool(json.loads(arguments) == {name: 0})
