"""Text from ids that arrive one by one, as ``tokenizers`` gives it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textcore.compat.tokenizers.tokenizer import Tokenizer


class DecodeStream:
    """What each id adds to the text, or None while a character is incomplete.

    The ids are decoded again with those before them, by the reference's own algorithm, so
    that pieces and None are where it has them. ``textcore.IncrementalDetokenizer`` does
    less work for each id.
    """

    def __init__(self, ids: Any = None, skip_special_tokens: bool | None = False) -> None:
        if ids is not None and (isinstance(ids, str) or not isinstance(ids, Sequence)):
            raise TypeError(f"'{type(ids).__name__}' object is not an instance of 'Sequence'")
        self._ids = list(ids or ())
        self._skip = bool(skip_special_tokens)
        self._prefix = ""
        self._known = 0

    def step(self, tokenizer: Tokenizer, id: Any) -> str | None:
        """The text that one id or several complete, or None.

        Raises an Exception where the text so far is no longer how the text begins.
        """
        if isinstance(id, int):
            added = [id]
        elif isinstance(id, Sequence) and not isinstance(id, str):
            added = list(id)
        else:
            raise TypeError("StreamInput must be either an integer or a list of integers")
        if not self._prefix and self._ids:
            prefix = tokenizer.decode(self._ids, self._skip)
            if not prefix.endswith("\ufffd"):
                self._prefix = prefix
                self._known = len(self._ids)
        self._ids += added
        text = tokenizer.decode(self._ids, self._skip)
        # As the reference: lengths are of UTF-8.
        if len(text.encode()) <= len(self._prefix.encode()) or text.endswith("\ufffd"):
            return None
        if not text.startswith(self._prefix):
            raise Exception(
                f"Invalid prefix encountered while decoding stream. Token ID: {self._ids[-1]}, "
                f"Expected prefix: '{self._prefix}', Actual string: '{text}'"
            )
        new = text[len(self._prefix) :]
        known = len(self._ids) - self._known
        self._ids = self._ids[self._known :]
        self._prefix = tokenizer.decode(self._ids, self._skip)
        self._known = known
        return new

    def __copy__(self) -> DecodeStream:
        new = DecodeStream(self._ids, self._skip)
        new._prefix = self._prefix
        new._known = self._known
        return new

    def __deepcopy__(self, memo: object) -> DecodeStream:
        return self.__copy__()
