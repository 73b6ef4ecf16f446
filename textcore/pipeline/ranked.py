"""BPE models that are given by ranks alone: the earliest token that two neighbours spell.

Two neighbours merge wherever the bytes of both together are a token, whichever two they are;
the token's rank says when. A word that is a token as a whole is that token. Source: OpenAI's
``tiktoken``.
"""

from __future__ import annotations

from collections.abc import Mapping

from textcore.core.bpe import BPE, MergeError
from textcore.errors import SpecError
from textcore.pipeline.bpe import BPEModel
from textcore.pipeline.byte_characters import BYTE_CHARACTERS
from textcore.pipeline.spec import shorten
from textcore.pipeline.vocab import ID_LIMIT


def stand_ins(content: bytes) -> str:
    """Bytes as the printable characters that stand for them in a vocabulary."""
    return content.decode("latin-1").translate(BYTE_CHARACTERS)


class RankedBPE(BPEModel):
    """A byte-level BPE model made of ranks.

    ``ids`` has the id of every token by its bytes; tokens rank in the order of their ids.
    All 256 single bytes must be tokens. ``place`` says in errors where the tokens stand.
    Raises SpecError.
    """

    def __init__(self, ids: Mapping[bytes, int], place: str) -> None:
        missing = [byte for byte in range(256) if bytes([byte]) not in ids]
        if missing:
            problem = f"{len(missing)} single bytes are no tokens, {missing[0]:#04x} first"
            raise SpecError(place, problem)
        if b"" in ids:
            raise SpecError(place, "an empty token")
        ordered = sorted(ids.items(), key=lambda item: item[1])
        if ordered[0][1] < 0 or ordered[-1][1] >= ID_LIMIT:
            raise SpecError(place, "ids must be from 0 to 2**31 - 1")
        contents = {stand_ins(content): content for content, _ in ordered}
        self.vocab = dict(zip(contents, (token_id for _, token_id in ordered), strict=True))
        self.tokens = {token_id: token for token, token_id in self.vocab.items()}
        if len(self.tokens) != len(self.vocab):
            raise SpecError(place, "two tokens have the same id")
        self.unk_token = None
        self.byte_level = True
        try:
            self.compiled = BPE(self.vocab, contents, [], joins=list(contents), ignore_merges=True)
        except MergeError as error:
            token = shorten(ordered[error.index][0])
            raise SpecError(place, f"{token}: {error.problem}") from None
