"""What an output format is: data that the one parser of :mod:`textcore.output.parser` runs.

A format says which markers a model writes and what whitespace belongs to them; it has no
code of its own. How a call spells its name and arguments is a declaration of its own
type, one for each spelling, read by the class of the same spelling in
:mod:`textcore.output.bodies`.
"""

from __future__ import annotations

from dataclasses import dataclass

from textcore.errors import SpecError


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
    """

    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class OutputFormat:
    """How a family of models writes reasoning, content and tool calls.

    Attributes:
        name: as model servers name it.
        aliases: further names for the same format.
        source: where the format is documented.
        reasoning: the tags around reasoning.
        call: the tags around one call; the closing one may be missing.
        body: how a call spells its name and its arguments.
        formatting: characters that are layout, not text, where they touch a tag from outside
            a call, or reasoning's tags from inside.
        turn: what opens and closes the assistant's turn in a rendered prompt.

    Raises:
        SpecError: a tag is empty, two that are looked for at once are the same, or the tag that
            closes a call begins with whitespace, which would be taken for the body's.
    """

    name: str
    aliases: tuple[str, ...]
    source: str
    reasoning: Tags
    call: Tags
    body: JsonObject
    formatting: str
    turn: Tags

    def __post_init__(self) -> None:
        """Check what the parser relies on."""
        for region in ("reasoning", "call", "turn"):
            tags: Tags = getattr(self, region)
            for side, tag in (("open", tags.open), ("close", tags.close)):
                if not tag:
                    raise SpecError(f"{self.name}.{region}.{side}", "a tag is empty")
        if self.reasoning.open == self.call.open:
            raise SpecError(f"{self.name}.call.open", "the tag that opens reasoning, too")
        if self.call.close[0].isspace():
            raise SpecError(f"{self.name}.call.close", "the tag begins with whitespace")
