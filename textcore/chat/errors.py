"""What goes wrong with chat templates and the conversations given to them."""

from __future__ import annotations

from textcore.errors import TemplateError, TextcoreError


class TemplateFailure(TemplateError):
    """A chat template failed to compile or to render, or refused its input.

    ``message`` is what the template (or its engine) said, word for word; ``line`` is the
    template's line, counted from 1, or None where there is none to name.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        self.message = message
        self.line = line
        super().__init__(message if line is None else f"{message} (chat template, line {line})")


class TemplateRefusal(TemplateFailure):
    """The template called ``raise_exception``: it does not accept this conversation."""


class TemplateSecurityError(TemplateFailure):
    """The template reached for something that the sandbox keeps from it."""


class TemplateLimitError(TemplateFailure):
    """The template would exceed a limit; ``limit`` is the field of ``Limits`` that says which."""

    def __init__(self, limit: str, message: str, line: int | None = None) -> None:
        self.limit = limit
        super().__init__(message, line)


class PromptError(TemplateError):
    """A conversation, tool, document or variable that a prompt can't be made of."""


class PromptTypeError(PromptError, TypeError):
    """A part of a conversation that has the wrong type."""


class ToolSchemaError(TextcoreError):
    """A Python function that can't be described to a model as a tool."""
