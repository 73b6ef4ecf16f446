"""What the pipeline asks of a model."""

from __future__ import annotations

from typing import Protocol

# (id, token, (start, end)): the span in UTF-8 bytes of the text given to ``tokenize``.
Token = tuple[int, str, tuple[int, int]]


class Model(Protocol):
    """A tokenization model (BPE, Unigram, ...) as the components around it see it."""

    @property
    def vocab_size(self) -> int:
        """How many tokens the model's own vocabulary has, without added tokens."""

    def tokenize(self, text: str) -> list[Token]:
        """The tokens of one pre-token, with their spans in its UTF-8 bytes."""

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, or None."""

    def id_to_token(self, token_id: int) -> str | None:
        """The token of an id, or None."""
