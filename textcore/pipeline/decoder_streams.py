"""Decoders on a text that still grows: the same steps, fed piece by piece.

A whole list of tokens may be rewritten at leisure; a stream should release every
character as soon as no further token can change it. So each decoder has a *stage* here.
Stages pass on :data:`Piece` s: a part of a token and whether the token begins and ends
with it. Most tokens come whole, but what ``Fuse`` or ``ByteLevel`` makes is one token
that ends with the stream, and a stage that waited for its end would never release a word.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping

from textcore.core.utf8 import Utf8Decoder
from textcore.pipeline.decoders import (
    CTC,
    STAND_INS,
    BPEDecoder,
    ByteFallback,
    ByteLevel,
    Decoder,
    Fuse,
    TokenMap,
    byte_level_bytes,
    fallback_byte,
    steps_of,
)
from textcore.pipeline.rewriters import Finder, Rewriter, rewriter_of
from textcore.pipeline.sentencepiece import PieceDecoder, PieceRun

Piece = tuple[str, bool, bool]
"""A part of a token: its text, whether the token begins with it, whether it ends with it."""


class Stage(ABC):
    """One decoder of a stream."""

    @abstractmethod
    def feed(self, pieces: Iterable[Piece]) -> list[Piece]:
        """What the decoder makes of further pieces."""

    def finish(self) -> list[Piece]:
        """What it makes of the end, when all pieces have been fed."""
        return []


class MapStage(Stage):
    """A decoder that maps token by token."""

    def __init__(self, decoder: TokenMap) -> None:
        self._decoder = decoder
        self._first = True
        self._rewriter: Rewriter | None = None

    def feed(self, pieces: Iterable[Piece]) -> list[Piece]:
        return [self._piece(*piece) for piece in pieces]

    def _piece(self, text: str, begins: bool, ends: bool) -> Piece:
        first = self._first
        if begins:
            self._first = False
            if ends:
                return self._decoder.map_token(text, first, False), True, True
            self._rewriter = rewriter_of(self._decoder, first)
        assert self._rewriter is not None
        text = self._rewriter.push(text)
        return (text + self._rewriter.end() if ends else text), begins, ends


class BPEStage(Stage):
    """Word ends: a space, unless the token is the last one; so it is held from there."""

    def __init__(self, decoder: BPEDecoder) -> None:
        self._suffix = decoder.suffix
        self._finder = Finder(decoder.needle)
        self._held: list[str | None] = []
        self._open = False

    def _settle(self, suffix: str) -> list[Piece]:
        """Ends the token that is open, if any, with ``suffix`` for each one in it."""
        if not self._open:
            return []
        self._open = False
        text = "".join(suffix if part is None else part for part in self._held)
        self._held = []
        return [(text, False, True)]

    def _parts(self, text: str, ends: bool) -> list[str | None]:
        if not self._suffix:
            # It is found before every character, and at the end.
            parts = [part for character in text for part in (None, character)]
            return [*parts, None] if ends else parts
        return [*self._finder.push(text), self._finder.end()] if ends else self._finder.push(text)

    def feed(self, pieces: Iterable[Piece]) -> list[Piece]:
        out: list[Piece] = []
        for text, begins, ends in pieces:
            if begins:
                out += self._settle(" ")
            parts = self._parts(text, ends)
            settled = len(parts)
            if self._held:
                settled = 0
            elif None in parts:
                settled = parts.index(None)
            self._held += parts[settled:]
            certain = "".join(part for part in parts[:settled] if part is not None)
            self._open = not ends or bool(self._held)
            out.append((certain, begins, not self._open))
        return out

    def finish(self) -> list[Piece]:
        return self._settle("")


class FuseStage(Stage):
    """All tokens as one, which ends with the stream."""

    def __init__(self) -> None:
        self._begun = False

    def feed(self, pieces: Iterable[Piece]) -> list[Piece]:
        text = "".join(piece[0] for piece in pieces)
        begins, self._begun = not self._begun, True
        return [(text, begins, False)]

    def finish(self) -> list[Piece]:
        return [("", not self._begun, True)]


class WholeTokens:
    """Puts the parts of tokens together."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def push(self, piece: Piece) -> str | None:
        """The token that ends with ``piece``, or None."""
        text, begins, ends = piece
        if begins and ends:
            return text
        self.parts.append(text)
        if not ends:
            return None
        text = "".join(self.parts)
        self.parts.clear()
        return text


class CTCStage(Stage):
    """Drops what repeats the token before; a token must be whole to be compared."""

    def __init__(self, decoder: CTC) -> None:
        self._decoder = decoder
        self._tokens = WholeTokens()
        self._previous: str | None = None

    def feed(self, pieces: Iterable[Piece]) -> list[Piece]:
        out: list[Piece] = []
        for piece in pieces:
            token = self._tokens.push(piece)
            if token is not None and token != self._previous:
                self._previous = token
                if text := self._decoder.map_token(token):
                    out.append((text, True, True))
        return out


class ByteFallbackStage(Stage):
    """Runs of byte tokens, each as one token whose complete characters come at once."""

    def __init__(self) -> None:
        self._utf8 = Utf8Decoder()
        self._running = False
        self._start: str | None = None  # of a token that may still become a byte token

    def feed(self, pieces: Iterable[Piece]) -> list[Piece]:
        out: list[Piece] = []
        for text, begins, ends in pieces:
            if begins:
                self._start = ""
            if self._start is None:
                out.append((text, False, ends))
                continue
            text = self._start + text
            byte = fallback_byte(text) if ends else None
            if byte is not None:
                out.append((self._utf8.decode(bytes([byte])), not self._running, False))
                self._running = True
            elif ends or not may_become_byte_token(text):
                self._start = None
                out += self.finish()
                out.append((text, True, ends))
            else:
                self._start = text
        return out

    def finish(self) -> list[Piece]:
        if not self._running:
            return []
        self._running = False
        return [(self._utf8.flush(), False, True)]


def may_become_byte_token(start: str) -> bool:
    """Whether a token of byte fallback may begin with ``start``."""
    return len(start) <= 6 and fallback_byte(start + "<0x00>"[len(start) :]) is not None


class ByteLevelStage(Stage):
    """Bytes of all tokens as one token of text, whose complete characters come at once."""

    def __init__(self) -> None:
        self._utf8 = Utf8Decoder()
        self._begun = False
        self._tokens = WholeTokens()
        self._literal = False  # the open token has a character that is no stand-in

    def feed(self, pieces: Iterable[Piece]) -> list[Piece]:
        data = b"".join(map(self._bytes, pieces))
        begins, self._begun = not self._begun, True
        return [(self._utf8.decode(data), begins, False)]

    def _bytes(self, piece: Piece) -> bytes:
        """The bytes that are certain now: all of a token hangs on its last character."""
        text, begins, ends = piece
        if begins:
            self._literal = False
        if not self._literal and not ends and not STAND_INS.keys() >= set(text):
            self._literal = True
            text = "".join(self._tokens.parts) + text
            self._tokens.parts.clear()
        if self._literal:
            return text.encode()
        token = self._tokens.push(piece)
        return b"" if token is None else byte_level_bytes(token)

    def finish(self) -> list[Piece]:
        return [(self._utf8.flush(), not self._begun, True)]


class PieceStage(Stage):
    """The pieces of a SentencePiece model, as one token."""

    def __init__(self, decoder: PieceDecoder) -> None:
        self._run = PieceRun(decoder)

    def feed(self, pieces: Iterable[Piece]) -> list[Piece]:
        return [(self._run.feed([text for text, _, _ in pieces]), False, False)]

    def finish(self) -> list[Piece]:
        return [(self._run.finish(), False, True)]


def stage_of(decoder: Decoder) -> Stage:
    """The stage of one decoder that is no Sequence."""
    if isinstance(decoder, BPEDecoder):
        return BPEStage(decoder)
    if isinstance(decoder, TokenMap):
        return MapStage(decoder)
    if isinstance(decoder, CTC):
        return CTCStage(decoder)
    if isinstance(decoder, Fuse):
        return FuseStage()
    if isinstance(decoder, ByteFallback):
        return ByteFallbackStage()
    if isinstance(decoder, ByteLevel):
        return ByteLevelStage()
    if isinstance(decoder, PieceDecoder):
        return PieceStage(decoder)
    raise TypeError(f"{type(decoder).__name__} cannot be streamed")


class Pipeline:
    """The stages of a decoder, fed with token ids or with text of one fused token.

    ``tokens`` has the string of every id; the ids that are not in it and those in
    ``skipped`` are left out.
    """

    def __init__(
        self,
        decoder: Decoder,
        tokens: Mapping[int, str] | None = None,
        skipped: Collection[int] = (),
    ) -> None:
        self._stages = [stage_of(step) for step in steps_of(decoder)]
        self._tokens = tokens
        self._skipped = skipped
        self._begun = False

    def _feed(self, pieces: list[Piece]) -> str:
        for stage in self._stages:
            pieces = stage.feed(pieces)
        return "".join([piece[0] for piece in pieces])

    def feed_ids(self, ids: list[int]) -> str:
        """The text that further ids make certain."""
        assert self._tokens is not None
        kept = [i for i in ids if i in self._tokens and i not in self._skipped]
        return self._feed([(self._tokens[i], True, True) for i in kept]) if kept else ""

    def feed_text(self, text: str) -> str:
        """The text that a further part of the one fused token makes certain."""
        if not text:
            return text
        begins, self._begun = not self._begun, True
        return self._feed([(text, begins, False)])

    def finish(self, text: str) -> str:
        """The rest, after a last part of the fused token where that is what is fed."""
        pieces: list[Piece] = []
        if self._tokens is None:
            pieces.append((text, not self._begun, True))
        for stage in self._stages:
            pieces = stage.feed(pieces) + stage.finish()
        return "".join([piece[0] for piece in pieces])
