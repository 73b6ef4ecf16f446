"""Writes objects: declared properties in order, then those that only a rule describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ...errors import UnsupportedError
from .constraints import Object, Schema, String
from .fragments import EMPTY, Part
from .languages import NAME_LIMIT, Pattern, excluding, plain, text_language
from .patterns import Alt, Node

if TYPE_CHECKING:
    from .writer import Writer


class Frame(Protocol):
    """What stands around and between properties, and how one is written.

    Attributes:
        opening: begins an object; empty where something else does.
        comma: stands between two properties; may be empty.
        closing: ends the object.
    """

    opening: Part
    comma: Part
    closing: Part

    def member(self, name: str, schema: Schema) -> Part | None:
        """A property of a name; None if there is none that satisfies the schema."""

    def others(self, names: Node, schema: Schema) -> Part | None:
        """A property of any of these names; None if there is none."""


class Braces:
    """Objects as the writer's spelling has them."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self.opening: Part = writer.opening("{")
        self.comma: Part = writer.comma
        self.closing: Part = writer.closing("}")

    def member(self, name: str, schema: Schema) -> Part | None:
        """See :class:`Frame`."""
        value = self._writer.write(schema)
        if value is None:
            return None
        key = self._writer.spelling.key(name)
        if key is None:
            raise UnsupportedError(schema.place, f"the format can't write the name {name[:80]!r}")
        return self._writer.entry(key, value)

    def others(self, names: Node, schema: Schema) -> Part | None:
        """See :class:`Frame`."""
        value = self._writer.write(schema)
        key = self._writer.spelling.keys(names) if value is not None else None
        return None if key is None or value is None else self._writer.entry(key, value)


class ObjectWriter:
    """One object in a frame."""

    def __init__(self, writer: Writer, object_: Object, frame: Frame) -> None:
        self.writer = writer
        self.composer = writer.composer
        self.object = object_
        self.frame = frame

    def write(self) -> Part | None:
        """The object's texts; None if there are none."""
        entries = self._declared()
        if entries is None:
            return None
        extra = self._extra()
        inside = self._inside(entries, extra)
        if inside is None:
            return None
        return self.composer.seq([self.frame.opening, inside, self.frame.closing])

    def _declared(self) -> list[tuple[Part, bool]] | None:
        """The entries of the declared and the required properties; None: one can't be."""
        object_, writer = self.object, self.writer
        entries = []
        required = set(object_.required)
        for name in dict.fromkeys((*object_.properties, *object_.required)):
            entry = None
            if object_.names is None or object_.names.accepts(name, writer.work):
                entry = self.frame.member(name, object_.member(name, writer.work))
            if entry is not None:
                entries.append((entry, name in required))
            elif name in required:
                return None
        return entries

    def _inside(self, entries: list[tuple[Part, bool]], extra: Part | None) -> Part | None:
        object_, composer = self.object, self.composer
        needed = sum(required for _, required in entries)
        low = max(object_.low, needed)
        if extra is None:
            if low > len(entries):
                return None
            if object_.high is not None and object_.high < needed:
                return None
            if object_.high is not None and object_.high < len(entries):
                if object_.high > needed:
                    raise self._uncounted("maxProperties")
                entries = [entry for entry in entries if entry[1]]
            if low == len(entries):
                entries = [(text, True) for text, _ in entries]
            elif low > max(needed, 1):
                raise self._uncounted("minProperties")
            return self._listed(entries, may_be_empty=low == 0)
        extra = composer.share(extra)
        more = composer.seq([self.frame.comma, extra])
        if low > max(needed, 1):
            raise self._uncounted("minProperties")
        if object_.high is None:
            chain = composer.seq([extra, composer.repeat(more, 0, None)])
            return self._listed([*entries, (chain, False)], may_be_empty=low == 0)
        if needed < len(entries):
            raise self._uncounted("maxProperties")
        left = object_.high - needed
        if left < 0:
            return None
        if left == 0:
            return self._listed(entries, may_be_empty=low == 0)
        chain = composer.seq([extra, composer.repeat(more, 0, left - 1)])
        return self._listed([*entries, (chain, False)], may_be_empty=low == 0)

    def _uncounted(self, key: str) -> UnsupportedError:
        return UnsupportedError(
            f"{self.object.place}/{key}",
            "can't be honoured as a regex beside this many optional properties",
        )

    def _listed(self, entries: list[tuple[Part, bool]], *, may_be_empty: bool) -> Part:
        """Entries in order, with commas between those that are there.

        Everything hangs on the first required entry: those before it bring the comma behind
        them, those after it the comma in front.
        """
        composer, comma = self.composer, self.frame.comma
        first = next((i for i, (_, required) in enumerate(entries) if required), None)
        if first is None:
            some = self._any_of([composer.share(text) for text, _ in entries])
            if some is None:
                return EMPTY
            return composer.optional(some) if may_be_empty else some
        before = [composer.optional(composer.seq([text, comma])) for text, _ in entries[:first]]
        after = []
        for text, required in entries[first + 1 :]:
            part = composer.seq([comma, text])
            after.append(part if required else composer.optional(part))
        return composer.seq([*before, entries[first][0], *after])

    def _any_of(self, entries: list[Part]) -> Part | None:
        """One or more optional entries in order, in O(n log n) of their size.

        Some of the first half and then perhaps some of the second, or some of the second only.
        """
        composer, comma = self.composer, self.frame.comma
        if len(entries) < 2:
            return entries[0] if entries else None
        middle = (len(entries) + 1) // 2
        left, right = self._any_of(entries[:middle]), self._any_of(entries[middle:])
        assert left is not None
        assert right is not None
        tail = [composer.optional(composer.seq([comma, text])) for text in entries[middle:]]
        return composer.alt([composer.seq([left, *tail]), right])

    # Properties that only a rule describes.

    def _extra(self) -> Part | None:
        """One entry whose name is not declared; None if there is to be none."""
        object_ = self.object
        if object_.patterns:
            return self._by_pattern()
        if object_.additional is None or object_.additional.is_never() or object_.high == 0:
            return None
        names = self._undeclared()
        return self.frame.others(names, object_.additional)

    def _by_pattern(self) -> Part | None:
        object_ = self.object
        place = object_.patterns[0][0].place
        if object_.additional is not None and not object_.additional.is_never():
            raise UnsupportedError(
                place, "can't be combined with an additionalProperties other than false"
            )
        if object_.names is not None:
            raise UnsupportedError(place, "can't be combined with propertyNames")
        entries = []
        for index, (pattern, schema) in enumerate(object_.patterns):
            self._apart(pattern, index)
            entry = self.frame.others(pattern.node, schema)
            if entry is not None:
                entries.append(entry)
        return self.composer.alt(entries) if entries else None

    def _apart(self, pattern: Pattern, index: int) -> None:
        """Raise where a name could fall under two rules."""
        for name in dict.fromkeys((*self.object.properties, *self.object.required)):
            if pattern.matches(name):
                raise UnsupportedError(
                    pattern.place, f"also matches the declared property {name[:80]!r}"
                )
        for other, _ in self.object.patterns[:index]:
            if not pattern.disjoint(other):
                raise UnsupportedError(
                    pattern.place, f"may match the same property names as {other.place}"
                )

    def _undeclared(self) -> Node:
        """The names that are allowed and not declared."""
        object_, writer = self.object, self.writer
        declared = list(dict.fromkeys((*object_.properties, *object_.required)))
        if object_.names is None:
            for name in declared:
                writer.work.spend(len(name), object_.place)
                if len(name) > NAME_LIMIT:
                    raise UnsupportedError(
                        f"{object_.place}/additionalProperties",
                        f"beside a property name of more than {NAME_LIMIT} characters",
                    )
            return excluding(declared) if declared else plain(0, None)
        for name in declared:
            if object_.names.accepts(name, writer.work):
                raise UnsupportedError(
                    f"{object_.place}/propertyNames",
                    f"also matches the declared property {name[:80]!r}",
                )
        return self._named(object_.names.resolved())

    def _named(self, names: Schema) -> Node:
        """The strings that satisfy a schema of names."""
        nodes = [text_language(v) for v in names.values.values() if isinstance(v, str)]
        nodes += [
            self.writer.language(constraint)
            for constraint in names.alternatives
            if isinstance(constraint, String) and self.writer.allowed(constraint)
        ]
        return Alt(tuple(nodes))
