"""``{% generation %}`` blocks: which parts of a rendered prompt the model is to have written."""

from __future__ import annotations

from contextvars import ContextVar

from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import Macro

Span = tuple[int, int]


class GenerationTracker:
    """Collects the text rendered so far, and the spans of it that generation blocks wrote."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.spans: list[Span] = []
        self._counted = 0
        self._length = 0

    def add(self, text: str) -> None:
        """Note that a block is about to write ``text`` after what was rendered so far."""
        self._length += sum(map(len, self.blocks[self._counted :]))
        self._counted = len(self.blocks)
        self.spans.append((self._length, self._length + len(text)))


_TRACKER: ContextVar[GenerationTracker | None] = ContextVar("generation_tracker", default=None)


class GenerationBlocks(Extension):
    """Parses ``{% generation %}...{% endgeneration %}``, which renders what is inside it."""

    tags = {"generation"}  # noqa: RUF012 (as the base class declares it)

    def parse(self, parser: Parser) -> nodes.CallBlock:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        call = self.call_method("_write_block")
        block = nodes.CallBlock(call, [], [], body)
        block.set_lineno(line)
        return block

    def _write_block(self, caller: Macro) -> str:
        text: str = caller()
        tracker = _TRACKER.get()
        if tracker is not None:
            tracker.add(text)
        return text
