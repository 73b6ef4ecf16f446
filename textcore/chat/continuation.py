"""Prompts that end inside the final message, for the model to go on with it.

The final message's field is marked before rendering, and the prompt is cut at the mark: what a
template writes after the message (its end token) is what must go. As ``transformers`` 5.24.
"""

from __future__ import annotations

from typing import Any

from textcore.chat.data import REASONING_FIELDS, Conversation
from textcore.chat.errors import PromptError, PromptTypeError

_MARK = "CONTINUE_FINAL_MESSAGE_TAG "


class Continuation:
    """A conversation whose final message is marked for continuation.

    ``field`` is the message's field to go on with (True means "content"). The messages (plain
    data of ours, with aliased reasoning) are changed in place. Raises PromptError where the
    final message has no such text, or the template does not use the field.
    """

    def __init__(self, messages: Conversation, field: bool | str, template: str) -> None:
        if not messages:
            raise PromptError("continue_final_message is set but the conversation is empty!")
        name = field if isinstance(field, str) else "content"
        message = messages[-1]
        value = message.get(name)
        if value is None:
            raise PromptError(
                f'continue_final_message is set but the final message has no "{name}" to continue!'
            )
        names = [name]
        if name in REASONING_FIELDS:
            # Every copy is marked: the template reads one of them.
            names = [alias for alias in REASONING_FIELDS if message.get(alias) == value]
        if not any(alias in template for alias in names):
            raise PromptError(
                f'continue_final_message is set to "{name}" but this is not an accepted field '
                "in the chat_template"
            )
        try:
            if isinstance(value, (list, tuple)):
                self._text = _mark_last_text(value)
            else:
                self._text = value
                for alias in names:
                    message[alias] = message[alias] + _MARK
        except TypeError as error:  # a number, or parts that are not dicts
            raise PromptTypeError(str(error)) from error

    def cut(self, rendered: str) -> str:
        """The rendered prompt up to the end of the final message's text.

        Raises PromptError where the template left the text, or a part of it, out.
        """
        text = self._text.strip()
        mark = _MARK.strip()
        if text not in rendered or mark not in rendered:
            raise PromptError(
                "continue_final_message is set but the final message does not appear in the chat "
                "after applying the chat template! This can happen if the chat template deletes "
                "portions of the final message. Please verify the chat template and final "
                "message in your chat to ensure they are compatible."
                f"Final message to continue: {text}\nRendered chat:\n{rendered}"
            )
        place = rendered.rindex(mark)
        if rendered.startswith(_MARK, place):
            return rendered[:place]
        # The template trims what it writes, so the text's own trailing space went with the mark's.
        return rendered[:place].rstrip()


def _mark_last_text(parts: Any) -> str:
    """Mark the last part of a content list that has a text; that text."""
    for part in reversed(parts):
        if "text" in part:
            text: str = part["text"]
            part["text"] = text + _MARK
            return text
    raise PromptError(
        "continue_final_message is set but we could not find any text to continue in the final "
        "message!"
    )
