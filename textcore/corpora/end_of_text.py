"""Which token ends a document."""

from __future__ import annotations

from textcore.errors import TextcoreError
from textcore.tokenizer import Tokenizer

# Added tokens whose name says it. They come before the configuration's eos_token, which in a
# chat model ends a turn.
NAMES = ("<|endoftext|>", "<|end_of_text|>")


def end_of_text_id(tokenizer: Tokenizer, wanted: str | int | None) -> int | None:
    """The id that ends each document, None for none.

    ``wanted`` is a token's text, an id, None, or "auto": the added token ``<|endoftext|>`` or
    ``<|end_of_text|>``, else the ``eos_token`` of the tokenizer's configuration. Raises
    TextcoreError where there is no such token; none is guessed.
    """
    if wanted is None:
        return None
    if isinstance(wanted, int):
        if tokenizer.id_to_token(wanted) is None:
            raise TextcoreError(f"end of text: the tokenizer has no token with the id {wanted}")
        return wanted
    if wanted == "auto":
        return _own(tokenizer)
    token_id = tokenizer.token_to_id(wanted)
    if token_id is None:
        raise TextcoreError(f"end of text: the tokenizer has no token {wanted!r}")
    return token_id


def _own(tokenizer: Tokenizer) -> int:
    added = tokenizer.added_tokens
    for name in NAMES:
        if name in added:
            return added[name]
    if tokenizer.eos_token_id is not None:
        return tokenizer.eos_token_id
    raise TextcoreError(
        "the tokenizer does not say which token ends a document: it has no added token "
        f"{' or '.join(NAMES)}, and no configuration names an eos_token. Give the token, its "
        "id, or none"
    )
