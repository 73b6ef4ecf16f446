"""The vocabulary of a model, checked."""

from __future__ import annotations

from textcore.pipeline.spec import Node, shorten

ID_LIMIT = 2**31


def read_vocab(node: Node) -> dict[str, int]:
    """A model's ``vocab``: token to id, every id in [0, 2**31)."""
    vocab: dict[str, int] = node.get("vocab", dict)
    ids = vocab.values()
    # The usual case first, at the speed of C; which entry is wrong only matters if one is.
    if set(map(type, ids)) <= {int} and (not vocab or (min(ids) >= 0 and max(ids) < ID_LIMIT)):
        if set(map(type, vocab)) <= {str}:
            _check_text(node, vocab)
            return vocab
        raise node.error("vocab", "a token is not a string")
    for token, token_id in vocab.items():
        if type(token_id) is not int or not 0 <= token_id < ID_LIMIT:
            raise node.error(
                f"vocab[{shorten(token)}]",
                f"expected an id from 0 to 2**31 - 1, found {shorten(token_id)}",
            )
    raise AssertionError("unreachable")


def _check_text(node: Node, vocab: dict[str, int]) -> None:
    try:
        "".join(vocab).encode()
    except UnicodeEncodeError:
        for token in vocab:
            if any("\ud800" <= char <= "\udfff" for char in token):
                raise node.error(
                    f"vocab[{shorten(token)}]", "the token has a lone surrogate"
                ) from None
        # Two halves at the ends of neighbouring tokens are each a lone one: found above.
        raise
