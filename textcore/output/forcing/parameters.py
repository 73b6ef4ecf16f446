"""Arguments as tagged parameters, each written so that its reader finds the same value."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

from ...errors import UnsupportedError
from ..bodies.reader import Name
from ..bodies.tagged import KEY
from ..formats.declaration import TaggedParameters
from ..formats.layout import Layout
from ..parameter_types import STRING, Types
from ..schema.constraints import Constraint, Number, Schema, String
from ..schema.fragments import EMPTY, Fragment, Part, joined, literal
from ..schema.languages import Pattern, plain
from ..schema.patterns import Node, complement, ranges_of
from ..schema.values import text_of
from ..schema.writer import Writer
from .fences import Fence
from .leaves import (
    NAMES,
    bare_strings,
    check_read,
    check_type,
    constant_text,
    mistaken,
    unwritable,
)
from .spellings import either_word
from .texts import SPACES, raw, space, within

# A name that no parameter has, as it can't be written.
_UNKNOWN: Final = "<>"
Marks = Callable[[str], list[Part]]

_WHITESPACE: Final = tuple(chr(code) for low, high in SPACES for code in range(low, high + 1))


class ParameterFrame:
    """Properties as tagged parameters; see :class:`textcore.output.schema.objects.Frame`.

    Args:
        writer: writes what is no string, in the format's own spelling.
        body: the declaration of the parameters.
        layout: the whitespace between them.
        types: the types of each parameter, as the reader knows them.
        marks: spells a tag.
        fence: what ends a value of the parameter of a name, to its reader.
    """

    def __init__(
        self,
        writer: Writer,
        body: TaggedParameters,
        layout: Layout,
        types: Callable[[str], Types],
        marks: Marks,
        fence: Callable[[str], Fence],
    ) -> None:
        self.opening: Part = EMPTY
        self.comma: Part = EMPTY
        self.closing: Part = EMPTY
        self._writer = writer
        self._body = body
        self._layout = layout
        self._types = types
        self._marks = marks
        self._fence_of = fence
        self._fence = fence("")
        self._kinds = {end: kind for end, kind in body.key_ends if end not in body.read_only}
        self._announced = dict(body.key_types)

    def member(self, name: str, schema: Schema) -> Part | None:
        """See :class:`Frame`."""
        for end in self._kinds:
            read = Name(KEY, tuple(one for one, _ in self._body.key_ends))
            read.feed(name + end, 0)
            if read.name != name or read.ended_by != end:
                raise UnsupportedError(
                    schema.place, f"the format can't write the name {name[:80]!r}"
                )
        outer, self._fence = self._fence, self._fence_of(name)
        written = self._parameter(literal(name), schema, self._types(name))
        self._fence = outer
        return written

    def others(self, names: Node, schema: Schema) -> Part | None:
        """See :class:`Frame`."""
        firsts = "".join({end[0] for end in self._kinds}) + '\n<>"'
        outside = ranges_of((*SPACES, *((ord(c), ord(c)) for c in firsts)))
        words = within(names, complement(outside))
        try:
            words = Pattern("", schema.place, words, self._writer.work).of_length(1, None)
        except UnsupportedError:
            return None
        key = raw(words, self._writer.scalars)
        return None if key is None else self._parameter(key, schema, self._types(_UNKNOWN))

    def _parameter(self, key: Fragment, schema: Schema, types: Types) -> Part | None:
        """One parameter, by each of the ways to announce its type."""
        schema = schema.resolved()
        ways = []
        for end, kind in self._kinds.items():
            value = self._value(schema, kind, self._announced.get(end, ""), types)
            if value is not None:
                newline = "\n" if self._body.newline else ""
                head = [*self._marks(self._body.parameter), key, *self._marks(end)]
                if self._body.value_open:
                    head += [self.space(self._layout.value), *self._marks(self._body.value_open)]
                ways.append(self.joined([*head, literal(newline), *value]))
        return self._writer.composer.alt(ways) if ways else None

    def space(self, text: str) -> Part:
        """Layout, which may be missing in a loose one."""
        return space(self._layout, text, self._writer.scalars)

    def joined(self, parts: list[Part]) -> Part:
        """Parts in order, neighbouring regexes as one: what is one lexeme to an engine."""
        return joined(parts, self._writer.composer, self._writer.scalars)

    def _value(self, schema: Schema, kind: str, announced: str, types: Types) -> list[Part] | None:
        """A value and the tag behind it; None if none can stand here."""
        if kind == "string":
            types = STRING
        texts: list[Part | None] = []
        structures: list[Part | None] = []
        if schema.anything:
            if kind == "json":
                return self._closed([], [self._writer.write(schema)])
            return self._closed(
                [self._text(plain(0, None), STRING, String(place=schema.place))], []
            )
        for value in schema.values.values():
            if _announces(kind, announced, value):
                written = self._constant(value, schema, kind, types)
                (structures if isinstance(value, dict | list) else texts).append(written)
        for constraint in schema.alternatives:
            if not _announces(kind, announced, constraint):
                continue
            if isinstance(constraint, String):
                if self._writer.allowed(constraint):
                    language = self._writer.language(constraint)
                    texts.append(self._text(language, types, constraint))
                continue
            if not kind:
                check_type(constraint, types)
            written = self._writer.constraint(constraint)
            (texts if isinstance(constraint, Number) else structures).append(written)
        return self._closed(texts, structures)

    def _closed(
        self, texts: list[Part | None], structures: list[Part | None]
    ) -> list[Part] | None:
        """Values with their closing tag: a text and the tag's beginning are one lexeme."""
        writer, scalars = self._writer, self._writer.scalars
        close = self._marks(self._body.value_close)
        newline = literal("\n" if self._body.newline else "")
        head, rest = (close[0], close[1:]) if isinstance(close[0], Fragment) else (EMPTY, close)
        ways: list[Part] = []
        kept = [text for text in texts if text is not None]
        if kept:
            ways.append(scalars.seq([scalars.alt(kept), newline, head]))
        parts = [part for part in structures if part is not None]
        if parts:
            ways.append(
                writer.composer.seq([writer.composer.alt(parts), scalars.seq([newline, head])])
            )
        if not ways:
            return None
        behind = [*rest, self.space(self._layout.parameter)]
        if not rest and len(ways) == 1 and isinstance(ways[0], Fragment):
            return [scalars.seq([ways[0], *behind])]
        return [writer.composer.alt(ways), *behind]

    def _constant(self, value: Any, schema: Schema, kind: str, types: Types) -> Part | None:
        """The text of one value, if it is read back as one that the schema allows."""
        if isinstance(value, dict | list) or kind == "json":
            written = self._writer.constant(value)
            if written is None:
                raise unwritable(text_of(value, (", ", ": ")), schema)
            return written
        text = constant_text(value, schema, types, self._fence)
        if self._verbatim(text):
            raise unwritable(text, schema)
        if not kind:
            check_read(text, schema, types, self._writer.work)
        if value is None or isinstance(value, bool):
            return either_word(value, self._writer.scalars)
        return literal(text)

    def _verbatim(self, text: str) -> bool:
        verbatim = self._body.verbatim
        return verbatim is not None and text.startswith(verbatim.open[0])

    # Strings that stand as they are.

    def _text(self, language: Node, types: Types, string: String) -> Fragment | None:
        """The strings of a language that are read back as strings, without the closing tag."""
        verbatim = self._body.verbatim
        place = string.place
        ways = [self._bare(language, types, string)]
        if verbatim is not None:
            close = Fence([verbatim.close + self._body.value_close])
            inner = raw(close.around(language, place, self._writer.work), self._writer.scalars)
            around = (literal(verbatim.open), literal(verbatim.close))
            if inner is not None:
                ways.append(self._writer.scalars.seq([around[0], inner, around[1]]))
        kept = [way for way in ways if way is not None]
        return self._writer.scalars.alt(kept) if kept else None

    def _bare(self, language: Node, types: Types, string: String) -> Fragment | None:
        """Those of them that nothing stands around."""
        verbatim = self._body.verbatim
        opener = verbatim.open if verbatim is not None else ""
        work = self._writer.work
        node = bare_strings(language, types, self._fence, string.place, work, opener)
        if node is not None:
            return raw(node, self._writer.scalars)
        if verbatim is not None:
            return None
        raise mistaken(types, string)


def fence_of(body: TaggedParameters, call_close: str, names: Collection[str], own: str) -> Fence:
    """What ends the value of a parameter to its reader, wherever it stands in the value.

    Its closing tag; what ends the call, if another call can follow it; and the beginning of
    another parameter of the tool's, of which the first characters are enough here.

    Args:
        body: the declaration.
        call_close: the tag behind the body.
        names: the tool's parameters.
        own: the name of this one; empty if it is not known.
    """
    tags = [body.value_close, call_close or body.close]
    others = [name for name in names if name != own]
    firsts = dict.fromkeys(name[:1] for name in others)
    if others:
        tags += [body.parameter + first for first in (*firsts, *_WHITESPACE)]
    elif not names and body.newline:
        tags.append("\n" + body.parameter)
    return Fence(tags)


def _announces(kind: str, announced: str, what: Any) -> bool:
    """Whether a value or constraint may stand behind a key of this kind."""
    if isinstance(what, Constraint):
        name = NAMES[type(what)]
    elif isinstance(what, bool):
        name = "boolean"
    else:
        name = {str: "string", int: "number", float: "number", list: "array", dict: "object"}.get(
            type(what), "null"
        )
    if not kind:
        return True
    if announced:
        return name == announced
    return (name == "string") == (kind == "string")
