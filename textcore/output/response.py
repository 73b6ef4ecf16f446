"""One request's way from token ids to the API's deltas, and many requests in step."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from textcore.output.control import HasAddedTokens
from textcore.output.deltas import CONTENT
from textcore.output.detokenizer import IncrementalDetokenizer
from textcore.output.parser import OutputParser
from textcore.output.stops import StopChecker

Delta = dict[str, Any]


class ResponseStream:
    """Detokenizer, stop strings and output parser of one response in one object.

    Ids go in, deltas of the OpenAI API come out. Stop strings are looked for in the text as it
    is shown, special tokens left out, before it is parsed: what stands behind a stop is never
    parsed. One object reads one response; it is not for several threads at once.

    Args:
        tok: the model's tokenizer.
        stops: stop strings, as ``StopChecker`` takes them.
        parser: a new ``OutputParser``; without one, all text is content. Its control tokens
            are recognised by their ids in ``tok``.
        eos_ids: ids that end the response; by default the tokenizer's ``eos_token_id``.
        include_stop: whether the stop string is part of the text.
        prompt_tokens: how many tokens the prompt has, for ``usage``.

    Attributes:
        finish_reason: None so far; then ``"stop"``, ``"tool_calls"`` or ``"length"``.
        stopped: the stop string that was found, or None.

    Raises:
        UnsupportedError, TypeError: as the parts raise them.
    """

    __slots__ = (
        "_eos",
        "_ids",
        "_parser",
        "_prompt_tokens",
        "_reasoning_tokens",
        "_stops",
        "_tokens",
        "finish_reason",
    )

    def __init__(
        self,
        tok: HasAddedTokens,
        stops: str | Iterable[str] | None = None,
        parser: OutputParser | None = None,
        *,
        eos_ids: Collection[int] | None = None,
        include_stop: bool = False,
        prompt_tokens: int = 0,
    ) -> None:
        self._parser = parser
        self._ids = IncrementalDetokenizer(tok) if parser is None else parser.bind(tok)
        checker = StopChecker(stops, include_stop)
        self._stops = checker if stops else None
        if eos_ids is None:
            eos = getattr(tok, "eos_token_id", None)
            eos_ids = () if eos is None else (eos,)
        self._eos = frozenset(eos_ids)
        self._tokens = 0
        self._reasoning_tokens = 0
        self._prompt_tokens = prompt_tokens
        self.finish_reason: str | None = None

    @property
    def stopped(self) -> str | None:
        """The stop string that was found, or None."""
        return None if self._stops is None else self._stops.stopped

    @property
    def usage(self) -> dict[str, Any]:
        """Tokens counted so far, as the API's ``usage``."""
        return {
            "prompt_tokens": self._prompt_tokens,
            "completion_tokens": self._tokens,
            "total_tokens": self._prompt_tokens + self._tokens,
            "completion_tokens_details": {"reasoning_tokens": self._reasoning_tokens},
        }

    def add(self, ids: int | Iterable[int]) -> list[Delta]:
        """Take the next ids; return the deltas that they make certain.

        An end-of-sequence id or a stop string finishes the response; ids behind it are not
        read, nor counted.

        Raises:
            TypeError, ValueError: an id is no int or out of range.
        """
        deltas: list[Delta] = []
        for token_id in (ids,) if isinstance(ids, int) else ids:
            if self.finish_reason is not None:
                break
            self._tokens += 1
            if token_id in self._eos:
                deltas += self.finish("stop")
                break
            text = self._ids.add((token_id,))
            if self._stops is not None:
                text = self._stops.add(text)
            deltas += self._parsed(text, False)
            if self._parser is not None and self._parser.in_reasoning:
                self._reasoning_tokens += 1
            if self.stopped is not None:
                deltas += self._end("stop", "")
        return deltas

    def finish(self, reason: str = "length") -> list[Delta]:
        """End the response, for a reason that the ids do not say; return what was held back.

        ``"stop"`` becomes ``"tool_calls"`` where the output has complete calls. Once finished,
        nothing changes any more.
        """
        if self.finish_reason is not None:
            return []
        text = self._ids.flush()
        if self._stops is not None:
            text = self._stops.add(text) + self._stops.finish()
        return self._end(reason, text)

    def _end(self, reason: str, text: str) -> list[Delta]:
        deltas = self._parsed(text, True)
        parser = self._parser
        if reason == "stop" and parser is not None and parser.calls > len(parser.incomplete):
            reason = "tool_calls"
        self.finish_reason = reason
        return deltas

    def _parsed(self, text: str, final: bool) -> list[Delta]:
        if self._parser is not None:
            return self._parser.feed_marked(text, final)
        return [{CONTENT: text}] if text else []


def step_responses(
    streams: Sequence[ResponseStream], batch: Sequence[int | Iterable[int]]
) -> list[list[Delta]]:
    """Give each of many responses its next ids; return each one's deltas.

    Args:
        streams: the responses, as an engine's batch has them.
        batch: for each, one id or several.

    Raises:
        ValueError: there are not as many of one as of the other.
    """
    if len(streams) != len(batch):
        raise ValueError(f"{len(streams)} responses, but ids for {len(batch)}")
    return [stream.add(ids) for stream, ids in zip(streams, batch, strict=True)]
