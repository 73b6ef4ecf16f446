"""Chat templates: messages to prompt text, and to ids."""
