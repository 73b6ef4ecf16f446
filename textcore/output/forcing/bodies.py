"""One call's body: a function's name and its arguments, spelled as a format declares."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ...errors import UnsupportedError
from ..bodies.reader import Name
from ..formats.declaration import (
    Body,
    JsonArguments,
    JsonObject,
    NamedValue,
    NestedElements,
    OutputFormat,
    TaggedParameters,
)
from ..parameter_types import ToolTypes, Types, properties_of
from ..schema import no_value
from ..schema.constraints import Object, Schema, intersect
from ..schema.fragments import EMPTY, Composer, Fragment, Part, joined, literal
from ..schema.grammar import GrammarComposer
from ..schema.limits import Work
from ..schema.objects import Frame
from ..schema.patterns import Node
from ..schema.reader import Reader
from ..schema.spacing import Spacing
from ..schema.spelling import JsonSpelling
from ..schema.writer import Writer
from .elements import ElementFrame, constant_object
from .fences import Fence
from .parameters import Marks, ParameterFrame, fence_of
from .spellings import GuardedSpelling, MarkedSpelling, PythonSpelling, reads_key, word_names
from .texts import space

_PLACEHOLDERS: Final = {
    "{index}": Fragment("[0-9]{1,4}", 4),
    "{id}": Fragment("[A-Za-z0-9]{9}", 9),
}
_SPLIT: Final = re.compile(r"(\{name\}|\{index\}|\{id\})")


@dataclass(frozen=True, slots=True)
class Function:
    """A tool's name and its arguments' schema, ``place`` for errors about it."""

    name: str
    parameters: Any
    place: str


@dataclass(frozen=True)
class Options:
    """How values are written: as for ``json_schema_to_regex``."""

    spacing: Spacing
    any_depth: int


class BodyWriter:
    """Writes the bodies of a format's calls.

    Args:
        form: the format.
        composer: makes the regex or the grammar.
        marks: spells a tag, as text or as control tokens.
        options: how values are written.
    """

    def __init__(
        self,
        form: OutputFormat,
        composer: Composer | GrammarComposer,
        marks: Marks,
        options: Options,
    ) -> None:
        self.form = form
        self.composer = composer
        self.scalars = composer.scalars if isinstance(composer, GrammarComposer) else composer
        self.marks = marks
        self.options = options

    def written(
        self,
        function: Function,
        body: Body,
        closing: list[Part],
    ) -> Part:
        """A call of a function, with what stands right behind it."""
        if isinstance(body, JsonObject):
            parts = self._object(function, body)
        elif isinstance(body, NamedValue):
            parts = self._named(function, body)
        elif isinstance(body, TaggedParameters):
            parts = self._tagged(function, body)
        elif isinstance(body, JsonArguments):
            parts = [self._json(function)]
        else:
            parts = self._nested(function, body)
        return self.joined([*parts, *closing])

    def joined(self, parts: list[Part]) -> Part:
        """Parts in order, neighbouring regexes as one."""
        return joined(parts, self.composer, self.scalars)

    def space(self, text: str) -> Part:
        """Whitespace that the layout has somewhere."""
        return space(self.form.layout, text, self.scalars)

    def filled(self, template: str, name: str) -> list[Part]:
        """A layout's template, with its placeholders filled in."""
        parts: list[Part] = []
        for piece in _SPLIT.split(template):
            if piece == "{name}":
                parts.append(literal(name))
            elif piece in _PLACEHOLDERS:
                parts.append(_PLACEHOLDERS[piece])
            elif piece:
                parts += self.marks(piece)
        return parts

    # The spellings.

    def _object(self, function: Function, body: JsonObject) -> list[Part]:
        spelling = JsonSpelling(self.scalars, self.options.spacing)
        comma, colon = spelling.comma, spelling.colon
        before, after = (
            self.scalars.optional(self.scalars.seq(self.filled(extra, function.name)))
            for extra in self.form.layout.fields
        )
        name = literal(json.dumps(function.name, ensure_ascii=False))
        head = [literal(json.dumps(body.name)), colon, name, comma]
        keys = body.arguments if self.form.layout.any_key else body.arguments[:1]
        key = self.scalars.alt(
            [self.scalars.seq([literal(json.dumps(key)), colon]) for key in keys]
        )
        opening = self.scalars.seq([literal("{"), spelling.gap])
        closing = self.scalars.seq([spelling.gap, literal("}")])
        return [opening, before, *head, key, self._json(function), after, closing]

    def _named(self, function: Function, body: NamedValue) -> list[Part]:
        separator = body.separators[0]
        kept = separator in body.kept
        ways = []
        for template in self.form.layout.names:
            self._check_name(function, template, body.name, body.separators, separator)
            name = self.filled(template, function.name)
            ways.append(self.joined([*name, *([] if kept else self.marks(separator))]))
        value = [self.space(self.form.layout.value), self._value(function, body)]
        return [self.composer.alt(ways), *value]

    def _value(self, function: Function, body: NamedValue) -> Part:
        place = f"{function.place}.parameters#"
        if body.value == "json":
            return self._json(function)
        work = Work()
        if body.value.endswith("python"):
            python = PythonSpelling(self.scalars, self.options.spacing, Fence(()), place, work)
            writer = Writer(self.composer, python, self.options.any_depth, work)
            return self._framed(function, writer, CallFrame(writer))
        marked = MarkedSpelling(self.composer, self.scalars, body.value, self.marks, place, work)
        writer = Writer(self.composer, marked, self.options.any_depth, work)
        return self._framed(function, writer, OpenBraces(writer))

    def _tagged(self, function: Function, body: TaggedParameters) -> list[Part]:
        layout = self.form.layout
        work, place = Work(), f"{function.place}.parameters#"
        spelling = PythonSpelling if layout.python else GuardedSpelling
        names = properties_of(function.parameters)

        def fence(own: str) -> Fence:
            return fence_of(body, self.form.call.close, names, own)

        guarded = spelling(self.scalars, self.options.spacing, fence(""), place, work)
        writer = Writer(self.composer, guarded, self.options.any_depth, work)
        types = parameter_types(function)
        frame = ParameterFrame(writer, body, layout, types, self.marks, fence)
        separators = (*body.name_ends, body.parameter, body.close)
        ways = []
        for template in layout.names:
            self._check_name(function, template, body.name, separators, body.name_ends[0])
            end = self.marks(body.name_ends[0])
            if layout.loose and body.name_ends[0].isspace():
                end = [frame.space(body.name_ends[0])]
            ways.append(
                self.joined(
                    [*self.filled(template, function.name), *end, self.space(layout.named)]
                )
            )
        empty = self.scalars.optional(literal(layout.empty))
        arguments = self._framed(function, writer, frame)
        return [self.composer.alt(ways), arguments, empty, *self.marks(body.close)]

    def _nested(self, function: Function, body: NestedElements) -> list[Part]:
        self._check_name(function, "{name}", body.name, (body.name_end,), body.name_end)
        work, place = Work(), f"{function.place}.parameters#"
        fence = Fence([body.mark])
        spelling = GuardedSpelling(self.scalars, self.options.spacing, fence, place, work)
        writer = Writer(self.composer, spelling, self.options.any_depth, work)
        declared = function.parameters
        frame = ElementFrame(writer, body, declared, declared, self.marks)
        return [
            literal(function.name),
            *self.marks(body.name_end),
            self.space(self.form.layout.named),
            self._framed(function, writer, frame),
            *self.marks(body.close),
        ]

    def _check_name(
        self,
        function: Function,
        template: str,
        pattern: str,
        separators: tuple[str, ...],
        end: str,
    ) -> None:
        """Raise unless the reader finds the name that is written."""
        text = template.replace("{name}", function.name)
        text = text.replace("{index}", "1").replace("{id}", "abcdefghi")
        read = Name(pattern, separators)
        read.feed(text + end, 0)
        if read.name != function.name or read.ended_by != end:
            raise UnsupportedError(
                f"{function.place}.name",
                f"{function.name[:80]!r} can't be written in the format {self.form.name!r}",
            )

    # Arguments.

    def _json(self, function: Function) -> Part:
        work = Work()
        spelling = JsonSpelling(self.scalars, self.options.spacing)
        writer = Writer(self.composer, spelling, self.options.any_depth, work)
        return self._framed(function, writer, writer.braces)

    def _framed(self, function: Function, writer: Writer, frame: Frame) -> Part:
        """The arguments as an object in a frame.

        Raises:
            SpecError: no object satisfies the schema.
        """
        place = f"{function.place}.parameters#"
        schema = {} if function.parameters is None else function.parameters
        late = isinstance(self.composer, GrammarComposer)
        read = Reader(schema, place, writer.work, late).read()
        objects = Schema(place="an object, as arguments are", alternatives=(Object(place=place),))
        read = intersect(read.resolved(), objects, writer.work).resolved()
        self.composer.place = place
        if frame is writer.braces:
            written = writer.write(read)
        else:
            constraints = [*read.alternatives, *map(constant_object, read.values.values())]
            parts = [writer.constraint(constraint, frame) for constraint in constraints]
            kept = [part for part in parts if part is not None]
            written = self.composer.alt(kept) if kept else None
        if written is None:
            raise no_value(read, place)
        if isinstance(self.composer, GrammarComposer):
            self.composer.need(written, place)
        return written


def parameter_types(function: Function) -> Callable[[str], Types]:
    """The types of a function's parameters, as the reader of the output takes them."""
    tools = ToolTypes([{"name": function.name, "parameters": function.parameters}])
    return lambda key: tools.types(function.name, key)


class CallFrame:
    """Keyword arguments of a Python call, behind its opening parenthesis."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self.opening: Part = EMPTY
        self.comma: Part = writer.comma
        self.closing: Part = literal(")")

    def member(self, name: str, schema: Schema) -> Part | None:
        """See :class:`textcore.output.schema.objects.Frame`."""
        if not reads_key(name):
            raise UnsupportedError(schema.place, f"a Python call can't have the key {name[:80]!r}")
        return self._entry(literal(name), schema)

    def others(self, names: Node, schema: Schema) -> Part | None:
        """See :class:`textcore.output.schema.objects.Frame`."""
        key = word_names(names, self._writer.scalars, schema.place, self._writer.work)
        return None if key is None else self._entry(key, schema)

    def _entry(self, key: Fragment, schema: Schema) -> Part | None:
        value = self._writer.write(schema)
        if value is None:
            return None
        return self._writer.composer.seq([self._writer.scalars.seq([key, literal("=")]), value])


class OpenBraces:
    """The object of a spelling, behind its opening brace."""

    def __init__(self, writer: Writer) -> None:
        self._inner = writer.braces
        self.opening: Part = EMPTY
        self.comma: Part = self._inner.comma
        self.closing: Part = self._inner.closing
        self.member = self._inner.member
        self.others = self._inner.others
