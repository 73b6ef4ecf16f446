"""textcore: the text boundary of an LLM engine.

Text in: chat templates and tokenizers, exactly as a checkpoint's own files define them.
Text out: streamed detokenization, stop strings, reasoning and tool calls, forced calls.
"""

from textcore.chat.chatml import CHATML_TEMPLATE
from textcore.chat.templates import render_chat
from textcore.core.bytelevel import bytes_to_unicode
from textcore.encoding import Encoding
from textcore.output.detokenizer import IncrementalDetokenizer
from textcore.output.parser import OutputParser
from textcore.output.response import ResponseStream
from textcore.output.schema import json_schema_to_regex, regex_escape
from textcore.output.stops import StopChecker
from textcore.output.tags import TagStreamer
from textcore.output.tool_calls import openai_tool_call, parse_tool_calls
from textcore.output.tool_choice import tool_call_pattern
from textcore.tokenizer import Tokenizer
from textcore.version import __version__

__all__ = [
    "CHATML_TEMPLATE",
    "Encoding",
    "IncrementalDetokenizer",
    "OutputParser",
    "ResponseStream",
    "StopChecker",
    "TagStreamer",
    "Tokenizer",
    "__version__",
    "bytes_to_unicode",
    "json_schema_to_regex",
    "openai_tool_call",
    "parse_tool_calls",
    "regex_escape",
    "render_chat",
    "tool_call_pattern",
]
