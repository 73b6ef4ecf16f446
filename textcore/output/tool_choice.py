"""``tool_choice`` as a constraint: what a model may write, as a regex or as a grammar.

Both are derived from the format's declaration: its markers and separators, how a call spells
its name and its arguments, and its layout. docs/forcing.md says when to take which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

from ..errors import SpecError, UnsupportedError
from .forcing.bodies import Function, Options
from .forcing.lark import lark
from .forcing.outputs import OutputWriter
from .forcing.structural import structural_tag
from .forcing.tools import named, read_tools
from .formats import FORMATS, OutputFormat, get_format
from .schema import MAX_POSITIONS, SEPARATORS
from .schema.fragments import Composer, Part, fragment
from .schema.grammar import Grammar, GrammarComposer
from .schema.spacing import Spacing, check_count

ToolChoice = str | Mapping[str, Any]

_CHOICES: Final = ("none", "auto", "required")
# A shorter token is no marker but a part of one.
_SHORTEST: Final = 3


class HasAddedTokens(Protocol):
    """A tokenizer, as far as forcing needs one."""

    @property
    def added_tokens(self) -> Mapping[str, int]:
        """The added tokens and their ids."""

    @property
    def special_ids(self) -> list[int]:
        """The ids of the special tokens."""


@dataclass(frozen=True)
class ToolCallGrammar:
    """What a model may write, for engines that run grammars."""

    grammar: Grammar

    @cached_property
    def lark(self) -> str:
        """The grammar for ``llguidance``, in its dialect of Lark."""
        return lark(self.grammar)

    @cached_property
    def structural_tag(self) -> dict[str, Any]:
        """The grammar for ``xgrammar``: ``{"type": "structural_tag", "format": …}``."""
        return structural_tag(self.grammar)


def tool_call_pattern(
    tools: Sequence[Mapping[str, Any]],
    name: str | None = None,
    *,
    format: str | OutputFormat = "hermes",
    tool_choice: ToolChoice = "required",
    parallel_tool_calls: bool = False,
    reasoning: bool = False,
    prompt: str | None = None,
    tokenizer: HasAddedTokens | None = None,
    separators: tuple[str, str] = SEPARATORS,
    whitespace: int = 0,
    any_depth: int = 2,
    max_positions: int = MAX_POSITIONS,
) -> str:
    """A regex whose full matches are the outputs that a ``tool_choice`` allows.

    By default these are exactly one call: of any of the tools, or of the one named. So an
    engine that keeps to it makes ``tool_choice: "required"`` (``name`` None) or a named
    ``tool_choice`` certain. JSON arguments are in the canonical form of
    ``json_schema_to_regex``; others are spelled so that ``OutputParser`` reads them back as
    values of the types that the schema names.

    Args:
        tools: OpenAI tool definitions (``{"type": "function", "function": {"name": ...,
            "parameters": ...}}``) or the bare function objects. Without ``parameters`` a tool
            takes an empty object.
        name: the one tool to be called, whatever ``tool_choice`` says.
        format: the name of an output format whose markers are ordinary text, or a declaration.
        tool_choice: ``"required"``; ``"auto"``: text, and perhaps calls behind it;
            ``"none"``: text in which no call begins; or a named tool, as in the API.
        parallel_tool_calls: whether several calls may come.
        reasoning: whether reasoning may come first.
        prompt: the rendered prompt, which tells whether reasoning is already open.
        tokenizer: the model's tokenizer, to make sure that no marker is a special token; what
            the declaration says counts otherwise.
        separators, whitespace, any_depth, max_positions: as for ``json_schema_to_regex``.

    Raises:
        SpecError: no tools, two of one name, a malformed definition, or an unknown ``name``.
        UnsupportedError: an unknown ``format``, one whose markers are control tokens, a tool that
            is not a function, or a schema that has no regex or that the format can't write; the
            error names the tool and the keyword's JSON pointer.
    """
    form = _text_format(format, tokenizer)
    if name is not None:
        if not isinstance(name, str):
            raise TypeError(f"name: expected a string or None, not {type(name).__name__}")
        tool_choice = {"type": "function", "function": {"name": name}}
    composer = Composer(max_positions)
    composer.place = "tools"
    writer = OutputWriter(
        form,
        composer,
        {},
        _options(separators, whitespace, any_depth),
        parallel=parallel_tool_calls,
        reasoning=reasoning,
        prompt=prompt,
    )
    return fragment(_written(writer, tools, tool_choice)).text


def tool_call_grammar(
    tools: Sequence[Mapping[str, Any]],
    tool_choice: ToolChoice = "auto",
    *,
    format: str | OutputFormat = "hermes",
    tokenizer: HasAddedTokens | None = None,
    parallel_tool_calls: bool = True,
    reasoning: bool = False,
    prompt: str | None = None,
    separators: tuple[str, str] = SEPARATORS,
    whitespace: int = 0,
    max_positions: int = MAX_POSITIONS,
) -> ToolCallGrammar:
    """A grammar of the outputs that a ``tool_choice`` allows.

    It names control tokens by their ids, so it can force formats that have them; schemas may be
    recursive, and a value about which nothing is said may nest to any depth. A schema that
    ``$ref`` leads to is one rule, however often it is used.

    Args:
        tools: as for ``tool_call_pattern``.
        tool_choice: ``"auto"``: any text, and then perhaps calls whose arguments keep to their
            schemas; ``"none"``: text in which no call begins; ``"required"``: calls; or one
            call of a named tool (``{"type": "function", "function": {"name": ...}}``).
        format: the name of an output format, or a declaration.
        tokenizer: the model's tokenizer. Markers that are added tokens are named by their ids,
            as ``OutputParser.feed_ids`` recognises them. Formats whose markers are control
            tokens need it; others are spelled as text without it.
        parallel_tool_calls: whether several calls may come, where the format can.
        reasoning: whether reasoning may come first.
        prompt: the rendered prompt, which tells whether reasoning is already open.
        separators, whitespace, max_positions: as for ``json_schema_to_regex``.

    Raises:
        SpecError: no tools, two of one name, a malformed definition, or an unknown name.
        UnsupportedError: an unknown format; no tokenizer, or one without the format's control
            tokens; a tool that is not a function; a keyword that can't be honoured, or that the
            format can't write, named by its JSON pointer.
    """
    form = get_format(format)
    tokens = _tokens(form, tokenizer)
    composer = GrammarComposer(max_positions)
    composer.place = "tools"
    writer = OutputWriter(
        form,
        composer,
        tokens,
        _options(separators, whitespace, 0),
        parallel=parallel_tool_calls,
        reasoning=reasoning,
        prompt=prompt,
    )
    return ToolCallGrammar(composer.finish(_written(writer, tools, tool_choice)))


def _options(separators: tuple[str, str], whitespace: int, any_depth: int) -> Options:
    check_count("any_depth", any_depth)
    return Options(Spacing(separators, whitespace), any_depth)


def _written(
    writer: OutputWriter, tools: Sequence[Mapping[str, Any]], tool_choice: ToolChoice
) -> Part:
    """The outputs of a ``tool_choice``, checked."""
    if isinstance(tool_choice, Mapping):
        writer.parallel = False
        return writer.required(named(read_tools(tools), _chosen_name(tool_choice)))
    if tool_choice not in _CHOICES:
        raise SpecError(
            "tool_choice",
            f"{tool_choice!r:.80}; expected {', '.join(_CHOICES)} or a named function",
        )
    if tool_choice == "none":
        return writer.none()
    functions: list[Function] = read_tools(tools)
    return writer.required(functions) if tool_choice == "required" else writer.auto(functions)


def _chosen_name(tool_choice: Mapping[str, Any]) -> Any:
    """The function that a named ``tool_choice`` names."""
    kind = tool_choice.get("type", "function")
    if kind != "function":
        raise UnsupportedError("tool_choice.type", f"{kind!r}: only functions can be forced")
    inner = tool_choice.get("function", tool_choice)
    if not isinstance(inner, Mapping) or not isinstance(inner.get("name"), str):
        raise SpecError("tool_choice", "names no function")
    return inner["name"]


def _markers(form: OutputFormat) -> str:
    """What a call's markers are made of, in one text."""
    channels = form.channels
    if channels:
        return "\0".join((*channels.calls, channels.message))
    section = form.section
    tags = [form.call.open, form.call.close]
    if section is not None and not form.bare:
        tags += [section.open, section.close]
    return "\0".join(tag for tag in tags if tag and not (form.bare and tag == form.call.open))


def _text_format(format: str | OutputFormat, tokenizer: HasAddedTokens | None) -> OutputFormat:
    """A format whose markers are text."""
    try:
        form = get_format(format)
    except UnsupportedError:
        names = ", ".join(known.name for known in FORMATS if not known.control)
        raise UnsupportedError(
            "format", f"{format!r} can't be forced by a regex; supported: {names}"
        ) from None
    control = form.control
    if tokenizer is not None:
        special = set(tokenizer.special_ids)
        markers = _markers(form)
        control = any(
            text in markers and number in special
            for text, number in tokenizer.added_tokens.items()
            if len(text) >= _SHORTEST
        )
    if control:
        raise UnsupportedError(
            "format",
            f"the markers of {form.name!r} are control tokens, which a regex can't name;"
            " use tool_call_grammar",
        )
    return form


def _tokens(form: OutputFormat, tokenizer: HasAddedTokens | None) -> dict[str, int]:
    """The control tokens that may be part of a tag."""
    if tokenizer is None:
        if form.control:
            raise UnsupportedError(
                "tokenizer",
                f"the markers of {form.name!r} are control tokens: without the model's"
                " tokenizer they can't be named",
            )
        return {}
    tokens = {
        text: number
        for text, number in tokenizer.added_tokens.items()
        if len(text) >= _SHORTEST and not text.isspace()
    }
    markers = _markers(form)
    if form.control and not any(text in markers for text in tokens):
        raise UnsupportedError(
            "tokenizer", f"none of its tokens is a marker of {form.name!r}: {markers!r}"
        )
    return tokens
