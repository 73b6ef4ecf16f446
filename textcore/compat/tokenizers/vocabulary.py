"""The added tokens of a tokenizer that may get more of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

from textcore.pipeline.added_tokens import AddedToken as Made
from textcore.pipeline.added_tokens import PlacedToken


class AddedTokens:
    """Added tokens and their ids, given as the reference gives them.

    Parameters
    ----------
    model_id : the model's ``token_to_id``
    model_size : how many tokens the model has
    """

    def __init__(self) -> None:
        self.tokens: list[Made] = []
        self.ids: dict[str, int] = {}
        self.by_id: dict[int, Made] = {}
        self.special: set[str] = set()

    def add(
        self, tokens: Iterable[Made], model_id: Callable[[str], int | None], model_size: int
    ) -> int:
        """Add tokens; how many were new or have changed is returned."""
        added = 0
        largest = max(self.by_id, default=-1)
        next_id = model_size
        if self.by_id and (largest >= model_size or model_size == 0):
            next_id = largest + 1
        for token in tokens:
            known = self.ids.get(token.content)
            if not token.content or (known is not None and self.by_id.get(known) == token):
                continue
            token_id = model_id(token.content) if known is None else known
            if token_id is None:
                token_id = next_id
                next_id += 1
            self.tokens.append(token)
            self.ids[token.content] = token_id
            self.by_id[token_id] = token
            if token.special:
                self.special.add(token.content)
            added += 1
        return added

    def with_ids(self) -> tuple[Made, ...]:
        """The tokens with the ids that they have got."""
        return tuple(
            PlacedToken(**{**asdict(token), "id": self.ids[token.content]})
            for token in self.tokens
        )

    def spec(self) -> list[dict[str, Any]]:
        """The ``added_tokens`` of a tokenizer.json, by rising id."""
        return [
            {
                "id": token_id,
                "content": token.content,
                "single_word": token.single_word,
                "lstrip": token.lstrip,
                "rstrip": token.rstrip,
                "normalized": token.normalized,
                "special": token.special,
            }
            for token_id, token in sorted(self.by_id.items())
        ]
