"""A model's output, as it streams, turned into the deltas of the OpenAI chat API.

One parser for all formats and for both ways of reading: a complete output is a stream of one
piece. :mod:`textcore.output.machine` reads; here is what it is asked and what it answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from textcore.output.control import ControlTokens, HasAddedTokens, MarkedDetokenizer
from textcore.output.formats import OutputFormat, get_format
from textcore.output.machine import Delta, OutputMachine
from textcore.output.parameter_types import ToolTypes

if TYPE_CHECKING:
    from textcore.output.probing.detection import Detection


class OutputParser(OutputMachine):
    """Separates one streamed output into reasoning, content and tool calls.

    Formatting (newlines, in most formats) around reasoning, between content and calls and
    between calls is dropped; text is otherwise kept to the last character. Reasoning and
    content come as soon as they are certain: only what may become a tag, and formatting that
    may stand before one, is held back. The deltas, joined, are the same however the text was
    cut. One object reads one output; it is not for several threads at once.

    When a call comes is one decision for all formats, ``stream_arguments``:

    - False: when its body is complete. What looks like a call but is malformed or cut off is
      content, tags included.
    - True: its id and name as soon as the name is complete, then its arguments as they come.
      What is malformed or cut off before that is content; after it, the call keeps the
      arguments that could be read, ``incomplete`` names it, and the text behind them, if any
      is left, is content.

    Args:
        reasoning: whether to separate reasoning; its tags are content otherwise.
        tools: whether to separate calls: a bool, or the request's tool definitions (none
            means no). A call's name is not checked against them; where a format does not
            say whether a value is a string, the tool's schema does.
        starts_in_reasoning: the prompt has opened the reasoning.
        format: the name of an output format, or a declaration.
        prompt: the rendered prompt, which tells how the output begins; reasoning is open if
            either this or ``starts_in_reasoning`` says so.
        stream_arguments: see above; None leaves it to the format (False for ``hermes``, True
            for the others).
        tokenizer: the model's tokenizer, if the output is to be given as token ids, by
            ``feed_ids``. Markers that are added tokens are then recognised by their ids alone.

    Attributes:
        incomplete: the indices of calls that were announced and then cut off or malformed.
        detection: what ``for_template`` has found; None for other parsers.

    Raises:
        UnsupportedError: no format has that name; the tokenizer shows a marker otherwise than
            as it stands.
        TypeError: an argument of a wrong type.
    """

    __slots__ = ("_ids", "detection")

    def __init__(
        self,
        reasoning: bool = False,
        tools: bool | Iterable[Mapping[str, Any]] | None = False,
        starts_in_reasoning: bool = False,
        *,
        format: str | OutputFormat = "hermes",
        prompt: str | None = None,
        stream_arguments: bool | None = None,
        tokenizer: HasAddedTokens | None = None,
    ) -> None:
        if prompt is not None and not isinstance(prompt, str):
            raise TypeError(f"prompt is a str, not {type(prompt).__name__}")
        written = get_format(format)
        definitions = tool_definitions(tools)
        super().__init__(
            written,
            bool(reasoning),
            tools if isinstance(tools, bool) else bool(definitions),
            ToolTypes(definitions),
            written.early if stream_arguments is None else bool(stream_arguments),
            (bool(starts_in_reasoning), prompt),
        )
        self.detection: Detection | None = None
        self._ids: MarkedDetokenizer | None = None
        if tokenizer is None:
            self._start(self._written)
        else:
            self.bind(tokenizer)

    @classmethod
    def for_template(
        cls,
        chat_template: str,
        *,
        tools: bool | Iterable[Mapping[str, Any]] | None = None,
        prompt: str | None = None,
        reasoning: bool = True,
        stream_arguments: bool | None = None,
        tokenizer: HasAddedTokens | None = None,
    ) -> OutputParser:
        """A parser of what a model writes, found from its chat template alone.

        The template renders probe conversations; the renderings, compared, say what the markers
        are, and a format counts only if all that the template renders of many messages comes
        back. Nothing is known of any template by its name. ``detection`` of the parser says
        what was found. Finding takes some tenths of a second, and is remembered.

        Raises:
            UnsupportedError: no format was found that is certain.
            TextcoreError: the template is malformed.
            TypeError: an argument of a wrong type.
        """
        from textcore.output.probing.detection import detect

        if not isinstance(chat_template, str):
            raise TypeError(f"chat_template is a str, not {type(chat_template).__name__}")
        detection = detect(str.__str__(chat_template))
        parser = cls(
            reasoning,
            tools,
            format=detection.format,
            prompt=prompt,
            stream_arguments=stream_arguments,
            tokenizer=tokenizer,
        )
        parser.detection = detection
        return parser

    def bind(self, tokenizer: HasAddedTokens) -> MarkedDetokenizer:
        """Take ids of this tokenizer from now on; for a parser that has read nothing yet.

        Raises:
            UnsupportedError: the tokenizer shows a marker otherwise than as it stands.
        """
        if self._ids is None:
            self._control = ControlTokens(self._written, tokenizer)
            self._ids = MarkedDetokenizer(tokenizer, self._control)
            self._start(self._control.format)
        return self._ids

    @property
    def in_reasoning(self) -> bool:
        """Whether what comes next is reasoning, as far as is known."""
        if self._region is None and self._step is OutputMachine._at_start:
            return self._starts[0]
        return self._region is self._reasoning

    @property
    def calls(self) -> int:
        """How many calls have been announced."""
        return self._calls + self._announced

    def feed_ids(self, ids: int | Iterable[int], final: bool = False) -> list[Delta]:
        """Take the output's next token ids; return the deltas that they make certain.

        As ``feed``, but a marker that is an added token is recognised by its id, and the same
        characters written by other tokens are text. Special tokens that are no markers are
        left out.

        Raises:
            TypeError: the parser was made without a tokenizer; an id is no int.
            ValueError: an id is out of range; the output has ended.
        """
        if self._ids is None or self._control is None:
            raise TypeError("feed_ids needs a parser that was made with a tokenizer")
        text = self._ids.add((ids,) if isinstance(ids, int) else ids)
        if final:
            text += self._ids.flush()
        return self._control.restored(self.feed(text, final))

    def feed_marked(self, text: str, final: bool = False) -> list[Delta]:
        """Take text in which control tokens are marked, as ``bind``'s detokenizer gives it."""
        deltas = self.feed(text, final)
        return deltas if self._control is None else self._control.restored(deltas)

    def feed(self, text: str, final: bool = False) -> list[Delta]:
        """Take the output's next piece; return the deltas that it makes certain.

        Each is one of

        - ``{"reasoning_content": str}``
        - ``{"content": str}``
        - ``{"tool_calls": [{"index": int, "id": str, "type": "function",
          "function": {"name": str, "arguments": ""}}]}``, which begins a call
        - ``{"tool_calls": [{"index": int, "function": {"arguments": str}}]}``, which goes on
          with it

        ``final`` ends the output: everything that was held back comes out.

        Raises:
            TypeError: ``text`` is not a str.
            ValueError: the output has ended.
        """
        region = self._region
        if region is not None and not final:
            released = region.feed(text)
            if region.hit < 0:
                return [{self._kind: released}] if released else []
            self._deltas.text(self._kind, released)
            self._run(str.__str__(text), self._at_tag(region))
            return self._deltas.take()
        if self._announced and not final:
            return self._feed_body(str.__str__(text))
        if self._finished:
            raise ValueError("text fed to an output parser after its final piece")
        self._run(str.__str__(text), 0)
        if final:
            self._finish()
        return self._deltas.take()


def tool_definitions(
    tools: bool | Iterable[Mapping[str, Any]] | None,
) -> list[Mapping[str, Any]]:
    """A request's tool definitions, checked; none for a flag."""
    if tools is None or isinstance(tools, bool):
        return []
    if isinstance(tools, (str, bytes, Mapping)) or not isinstance(tools, Iterable):
        raise TypeError(f"tools is a bool or a list of definitions, not {type(tools).__name__}")
    definitions = list(tools)
    for tool in definitions:
        if not isinstance(tool, Mapping):
            raise TypeError(f"a tool definition is a mapping, not {type(tool).__name__}")
    return definitions
