"""Text out: detokenizer, stop strings, reasoning and tool calls, forcing."""
