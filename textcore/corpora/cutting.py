"""Where a long document may be cut so that its parts' ids are the document's.

Between two characters where every split of the tokenizer ends a piece whatever stands
around them (``Automaton.parts`` proves that from the tables), where the normalizer works on
each side alone, and where no added token can reach over.
"""

from __future__ import annotations

import unicodedata

from textcore.core.encode import Encoder
from textcore.core.scanner import Automaton
from textcore.corpora.errors import BlockProblem
from textcore.pipeline.plan import unicode_form
from textcore.tokenizer import Tokenizer

# How far back from the end of what has been read a place is looked for, in bytes.
WINDOW = 1 << 16
# Vowels and finals of Hangul compose with what is before them; all else that does is a mark.
_JAMO = range(0x1160, 0x1200)


class Cutter:
    """Finds places; made by :func:`cutter_of`."""

    def __init__(
        self, encoder: Encoder, automata: list[Automaton], tokens: list[tuple[str, bool]]
    ) -> None:
        self._automata = automata
        self._normalize = encoder.normalize
        self._tokens = tokens
        self._known: dict[str, bool] = {}

    def find(self, data: bytes, end: int) -> int | None:
        """The last place found before ``end``: a byte of ``data``, not 0; or None.

        Raises BlockProblem where the text around is not UTF-8.
        """
        start = max(0, end - WINDOW)
        while start < end and data[start] & 0xC0 == 0x80:
            start += 1
        # The last character may not be complete yet.
        while end > start and data[end - 1] & 0xC0 == 0x80:
            end -= 1
        if end > start and data[end - 1] >= 0xC0:
            end -= 1
        try:
            text = data[start:end].decode("utf-8")
        except UnicodeDecodeError as error:
            offset = start + error.start
            raise BlockProblem(not_utf8(data, offset), offset=offset) from None
        for place in range(len(text) - 2, 0, -1):
            if self._is_place(text[place - 1 : place + 2]):
                return start + len(text[:place].encode())
        return None

    def _is_place(self, around: str) -> bool:
        """Whether a text may be cut after the first of three characters."""
        known = self._known.get(around)
        if known is None:
            known = self._decide(*around)
            if len(self._known) < 1 << 16:
                self._known[around] = known
        return known

    def _decide(self, before: str, after: str, following: str) -> bool:
        if after in "\r\n":
            return False
        if self._normalize is not None and not (
            self._is_kept(before) and self._is_kept(after) and _stays_apart(following)
        ):
            return False
        for content, is_bounded in self._tokens:
            if before + after in content:
                return False
            if is_bounded and (content[0] == after or content[-1] == before):
                return False
        cuts = [automaton.parts(before, after) for automaton in self._automata]
        return None not in cuts and True in cuts

    def _is_kept(self, character: str) -> bool:
        """Whether normalizing leaves a character as it is, and joins it to none before it."""
        assert self._normalize is not None
        return self._normalize(character) == character and _stays_apart(character)


def _stays_apart(character: str) -> bool:
    """Whether a character never joins the one before it, in any Unicode form."""
    category = unicodedata.category(character)
    return category[0] != "M" and category != "Cn" and ord(character) not in _JAMO


def cutter_of(tokenizer: Tokenizer) -> Cutter | None:
    """What cuts long documents of a tokenizer, or None where its parts look at whole texts."""
    pipeline = tokenizer._pipeline
    encoder = pipeline.encoder
    if (
        encoder is None
        or not pipeline.byte_level
        or encoder.pre_split is not None
        or encoder.drop is not None
        or encoder.opening is not None
        or encoder.model is not pipeline.model.compiled
        or not (encoder.normalize is None or unicode_form(pipeline.normalizer) >= 0)
    ):
        return None
    added = pipeline.added
    tokens = []
    for content, token_id in added.ids.items():
        token = added.tokens[token_id]
        is_bounded = token.lstrip or token.rstrip or token.single_word
        tokens += [(content, is_bounded), (added.token_text(token_id) or content, is_bounded)]
    automata = [p.automaton for p in pipeline.splits or () if p.automaton is not None]
    return Cutter(encoder, automata, tokens)


def not_utf8(data: bytes, offset: int) -> str:
    """What an error says of a byte."""
    return f"not UTF-8 (byte {data[offset]:#04x})"
