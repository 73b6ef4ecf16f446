"""What an output format is: data that the one parser of :mod:`textcore.output.parser` runs.

A format says which markers a model writes and what whitespace belongs to them; it has no
code of its own. How a call spells its name and arguments is a declaration of its own
type, one for each spelling, read by the class of the same spelling in
:mod:`textcore.output.bodies`.
"""

from __future__ import annotations

from dataclasses import dataclass

from textcore.errors import SpecError
from textcore.output.formats.layout import PLAIN, Layout

NAME_CHARACTERS = r"[^\s<>{}()\[\]\"',;=\ud800-\udfff]+"
"""The pattern of a function's name."""
NAME = rf"\s*(?P<name>{NAME_CHARACTERS})\s*"
"""The pattern of a function's name, with whitespace around it."""


@dataclass(frozen=True)
class Tags:
    """The delimiters around a region of the output, or around a turn of the prompt."""

    open: str
    close: str


@dataclass(frozen=True)
class JsonObject:
    """A call spelled as one JSON object that holds the name and the arguments.

    Attributes:
        name: the key of the function's name, a non-empty string.
        arguments: the keys that may hold the arguments; the first that is there counts.
        needs_arguments: an object without arguments is not a call.
    """

    name: str
    arguments: tuple[str, ...]
    needs_arguments: bool = False


@dataclass(frozen=True)
class NamedValue:
    """A call spelled as a name, a separator, and the arguments as one value.

    Attributes:
        separators: any of these ends the name.
        kept: those of the separators that are the first character of the value.
        name: the pattern (of the ``regex`` package) of all that stands before the separator;
            its group ``name`` is the function's name, a group ``id`` the call's own id.
        value: ``"json"``: a JSON object, verbatim; ``"python"``: keyword arguments of a Python
            call, behind the parenthesis; ``"raw python"``: the same, but in a string that is
            an argument itself a backslash is a backslash; else the mark around strings in an
            object whose keys are bare, behind its brace.
    """

    separators: tuple[str, ...]
    kept: tuple[str, ...] = ()
    name: str = NAME
    value: str = "json"


@dataclass(frozen=True)
class TaggedParameters:
    """A call spelled as a name and tagged parameters, XML-like.

    ``NAME name_end (parameter KEY key_end value_open VALUE value_close)* close``, with
    whitespace between.

    Attributes:
        name_ends: any of these ends the name; so do ``parameter`` and ``close``.
        parameter: begins a parameter, before its key.
        key_ends: what ends the key, each with the type of the value that it announces:
            ``"string"``, ``"json"``, or ``""`` where the tool's schema says it.
        value_open: stands between the key and the value; whitespace may stand before it.
        value_close: ends the value.
        close: ends the call.
        newline: one newline at either end of a value is layout.
        verbatim: what may stand around a value within its tags, which is then a string.
        name: the pattern of the name, as in :class:`NamedValue`.
        key_types: of ``key_ends``, those that name the JSON type of the value, with the type.
        read_only: of ``key_ends``, those that are read and never written by a constraint.
        headless: the first parameter's key follows the name with nothing between or a wrong tag,
            and the request's tools say where the name ends.
    """

    name_ends: tuple[str, ...]
    parameter: str
    key_ends: tuple[tuple[str, str], ...]
    value_close: str
    close: str
    value_open: str = ""
    newline: bool = False
    verbatim: Tags | None = None
    name: str = NAME
    key_types: tuple[tuple[str, str], ...] = ()
    read_only: tuple[str, ...] = ()
    headless: bool = False


@dataclass(frozen=True)
class NestedElements:
    """A call spelled as a name and elements, in which objects and arrays are elements again.

    ``NAME name_end (mark <KEY> VALUE mark </KEY>)* close``, with whitespace between. A value is
    text, or elements: an array's items if all are called ``item``, an object's members else; of
    members of one name, an array is made. What text stands for, the tool's schema says.

    Attributes:
        name_end: ends the name.
        mark: stands before every tag.
        close: ends the call; begins with the mark.
        item: the name of an array's items.
        name: the pattern of the name, as in :class:`NamedValue`.
    """

    name_end: str
    mark: str
    close: str
    item: str = "item"
    name: str = NAME


@dataclass(frozen=True)
class Section:
    """What stands around and between the calls of one message.

    Attributes:
        open: begins the calls; may be empty where calls begin with their own tag.
        close: ends them; may be empty, or missing.
        begin: what else stands before the first call, behind whitespace ("[" of a list).
        separator: stands between two calls.
        end: what else stands behind the last call.
        optional: a call may stand outside a section, too.
    """

    open: str
    close: str = ""
    begin: str = ""
    separator: str = ""
    end: str = ""
    optional: bool = False


@dataclass(frozen=True)
class Channels:
    """Messages with a header that says what they are, in place of tags around regions.

    ``HEADER message BODY end``, again and again; the output begins in a header.

    Attributes:
        begins: what a header begins with; text that begins otherwise has no header.
        message: ends the header.
        ends: any of these ends the body.
        call: a pattern found in the header of a call; its group ``name`` is the function.
        reasoning: a pattern found in the header of reasoning.
        content: a pattern found in the header of content.
        calls: how the header of a call is written, ``{name}`` for the function; any of these.
        thoughts: how the header of reasoning is written.
        texts: how the header of content is written.
        again: begins the next message, behind what ends one, if it is not that itself.
        call_end: of ``ends``, what ends a call; empty: any.
        known_call: a pattern found in the header of a call, too, if its group ``name`` is one of
            the request's tools.
    """

    begins: tuple[str, ...]
    message: str
    ends: tuple[str, ...]
    call: str
    reasoning: str
    content: str
    calls: tuple[str, ...] = ()
    thoughts: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    again: str = ""
    call_end: str = ""
    known_call: str = ""


@dataclass(frozen=True)
class JsonArguments:
    """A call spelled as its arguments alone, a JSON object; a header has named the function."""


Body = JsonObject | NamedValue | TaggedParameters | NestedElements | JsonArguments


@dataclass(frozen=True)
class Calls:
    """One way to write calls; see :class:`OutputFormat` for the parts.

    Attributes:
        call: the tags around one call.
        body: how it spells its name and its arguments.
        section: what stands around and between calls.
    """

    call: Tags
    body: Body
    section: Section | None = None

    @property
    def openers(self) -> tuple[str, ...]:
        """The tags in content that may begin a call."""
        section = self.section
        if section is None or not section.open:
            return (self.call.open,) if self.call.open else ()
        if section.optional and self.call.open:
            return section.open, self.call.open
        return (section.open,)

    @property
    def followers(self) -> tuple[str, ...]:
        """The tags that may stand behind a call."""
        section = self.section or Section("")
        tags = (self.call.open, section.separator, section.end, section.close, section.open)
        return tuple(tag for tag in dict.fromkeys(tags) if tag)

    @property
    def strays(self) -> tuple[str, ...]:
        """The tags that mean nothing where no call is around them."""
        section = self.section or Section("")
        tags = [section.close, self.call.close]
        if section.optional:
            tags.append(section.open)
        if isinstance(self.body, TaggedParameters | NestedElements):
            tags.append(self.body.close)
        # A bracket is no tag.
        return tuple(tag for tag in tags if tag.strip("{}[]()"))

    @property
    def close(self) -> str:
        """What closes a call that can't be read: the outermost tag behind it."""
        close = (self.section.close if self.section else "") or self.call.close
        if not close and isinstance(self.body, TaggedParameters | NestedElements):
            close = self.body.close
        return close


@dataclass(frozen=True)
class OutputFormat:
    """How a family of models writes reasoning, content and tool calls.

    Attributes:
        name: as model servers name it.
        aliases: further names for the same format.
        source: where the format is documented.
        reasoning: the tags around reasoning. At the very start of the output, the opening one
            may repeat what the prompt has opened, and the closing one ends what is not there.
        call: the tags around one call. The closing one may be missing in the output. Where a
            section or ``bare`` says how calls begin, either may be empty.
        body: how a call spells its name and its arguments.
        formatting: characters that are layout, not text, where they touch a tag from outside
            a call, or reasoning's tags from inside.
        turn: what opens and closes the assistant's turn in a rendered prompt.
        section: what stands around and between calls.
        unlisted: the body of a single call that comes where ``section.begin`` is missing.
        dropped: tags in content that are left out.
        bare: at the start of the output or behind reasoning, calls need no opening tag.
        call_ends_reasoning: a call that begins within reasoning ends it. What turns out not to
            be a call is reasoning still.
        openless: what the output may begin with, where the tag that opens reasoning is missing.
        other_reasoning: further tags that models of the family write around reasoning.
        other_calls: further ways in which models of the family write calls, each begun by tags
            of its own.
        fallbacks: ways to read what is behind the tags of ``call`` or ``section`` where it is no
            call as ``body`` spells one; tried in this order.
        inline: what begins a call in the middle of content without any tag, and is itself the
            beginning of what stands behind the tag. What such a call turns out not to be is
            content as a whole, and nothing in it is looked for.
        pad: what stands before content at the very start of the output, and behind it at the
            very end, and is not part of it.
        early: whether a call is announced with its name, before its arguments are complete,
            unless the parser is told otherwise.
        channels: messages with headers, in place of ``reasoning`` and ``call``.
        layout: how calls are written where the reader leaves it open.
        control: the markers of calls are control tokens of the family's tokenizers: the same
            characters as text mean nothing to the model. Those that stand where there is no call
            are left out.

    Raises:
        SpecError: a tag is empty, two that are looked for at once are the same, or the tag that
            closes a call begins with whitespace, which would be taken for the body's.
    """

    name: str
    aliases: tuple[str, ...]
    source: str
    reasoning: Tags | None
    call: Tags
    body: Body
    formatting: str
    turn: Tags
    section: Section | None = None
    unlisted: NamedValue | None = None
    dropped: tuple[str, ...] = ()
    bare: bool = False
    call_ends_reasoning: bool = False
    openless: tuple[str, ...] = ()
    other_reasoning: tuple[Tags, ...] = ()
    other_calls: tuple[Calls, ...] = ()
    fallbacks: tuple[Calls, ...] = ()
    inline: tuple[str, ...] = ()
    pad: Tags = Tags("", "")
    early: bool = True
    channels: Channels | None = None
    layout: Layout = PLAIN
    control: bool = False

    def __post_init__(self) -> None:
        """Check what the parser relies on."""
        for region in ("reasoning", "turn"):
            tags: Tags | None = getattr(self, region)
            for side in ("open", "close"):
                if tags and not getattr(tags, side):
                    raise SpecError(f"{self.name}.{region}.{side}", "a tag is empty")
        section = self.section
        if not section and not self.bare and not self.channels:
            for side in ("open", "close"):
                if not getattr(self.call, side):
                    raise SpecError(f"{self.name}.call.{side}", "a tag is empty")
        if not self.openers_of_reasoning.isdisjoint(self.openers):
            raise SpecError(f"{self.name}.call.open", "the tag that opens reasoning, too")
        if self.other_reasoning and not self.reasoning:
            raise SpecError(f"{self.name}.other_reasoning", "there are no first ones")
        if "" in self.inline:
            raise SpecError(f"{self.name}.inline", "a tag is empty")
        if not all(way.openers for way in self.other_calls):
            raise SpecError(f"{self.name}.other_calls", "nothing says where calls begin")
        if self.call.close[:1].isspace():
            raise SpecError(f"{self.name}.call.close", "the tag begins with whitespace")
        if "" in self.dropped:
            raise SpecError(f"{self.name}.dropped", "a tag is empty")
        if section and not (section.open or self.call.open or self.bare):
            raise SpecError(f"{self.name}.section.open", "nothing says where calls begin")

    @property
    def reasonings(self) -> tuple[Tags, ...]:
        """All tags around reasoning."""
        return (self.reasoning, *self.other_reasoning) if self.reasoning else ()

    @property
    def openers_of_reasoning(self) -> frozenset[str]:
        """The tags that open reasoning."""
        return frozenset(tags.open for tags in self.reasonings)

    @property
    def closers_of_reasoning(self) -> frozenset[str]:
        """The tags that close it."""
        return frozenset(tags.close for tags in self.reasonings)

    @property
    def ways(self) -> tuple[Calls, ...]:
        """All ways to write calls, the family's own first."""
        return Calls(self.call, self.body, self.section), *self.other_calls

    @property
    def readings(self) -> tuple[Calls, ...]:
        """All ways to read calls."""
        return *self.ways, *self.fallbacks

    @property
    def openers(self) -> tuple[str, ...]:
        """The tags in content that may begin a call."""
        return tuple(tag for way in self.ways for tag in way.openers)
