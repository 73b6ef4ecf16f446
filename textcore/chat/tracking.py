"""``{% generation %}`` blocks: which parts of a rendered prompt the model is to have written."""

from __future__ import annotations

from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser

Span = tuple[int, int]


class GenerationBlocks(Extension):
    """Parses ``{% generation %}...{% endgeneration %}``, which renders what is inside it.

    The code generator turns the block's call into one of the meter, which notes the span.
    """

    tags = {"generation"}  # noqa: RUF012 (as the base class declares it)

    def parse(self, parser: Parser) -> nodes.CallBlock:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        block = nodes.CallBlock(self.call_method("generated"), [], [], body)
        block.set_lineno(line)
        return block
