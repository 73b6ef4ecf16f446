"""textcore: the text boundary of an LLM engine."""
