"""How a tokenizer decodes: the usual decoders compiled into a table of bytes.

Most decoders rewrite each token by itself and join the results. Their plan is a
:class:`~textcore.core.detokenize.ByteTable`, made once: decoding then copies bytes. What
follows ``Fuse`` or ``ByteLevel`` is applied to the joined text. Everything else takes the
token strings through the decoder as it is written down. All ways give the same text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain

from textcore.core.detokenize import ByteTable
from textcore.core.ids import IdArray
from textcore.pipeline.decoder_streams import Pipeline
from textcore.pipeline.decoders import (
    CTC,
    REPLACEMENT,
    ByteFallback,
    ByteLevel,
    Decoder,
    Fuse,
    Replace,
    Sequence,
    SpaceJoin,
    Strip,
    TokenMap,
    byte_level_bytes,
    fallback_byte,
    steps_of,
)
from textcore.pipeline.sentencepiece import SPACE, PieceDecoder

LARGEST_LISTED = 2**24


class DecodePlan:
    """Decodes token ids; immutable, safe to share between threads.

    ``tokens`` has the string of every id, model and added tokens alike; other ids are
    ignored, as the reference does. ``special_ids`` are those whose string is special.
    Ids are given as an iterable of int or an integer buffer such as a numpy array, and
    range from 0 to 2**32 - 1: else ``ValueError``, or ``TypeError`` for what is no int.
    """

    def __init__(
        self, decoder: Decoder | None, tokens: Mapping[int, str], special_ids: Collection[int]
    ) -> None:
        self.decoder: Decoder = SpaceJoin() if decoder is None else decoder
        self.tokens = tokens
        self.special_ids = frozenset(special_ids)
        self.table: ByteTable | None = None
        self.rest: Decoder | None = None
        self._compile()

    def _compile(self) -> None:
        shape = _Shape(steps_of(self.decoder))
        ids = list(self.tokens)
        strings = list(self.tokens.values())
        for token_map in shape.maps:
            strings = token_map.inner_forms(strings)
        if not shape.is_table(strings, self.tokens.values()):
            return

        def first_form(token_id: int) -> bytes:
            form = shape.first_form(self.tokens[token_id])
            return byte_level_bytes(form) if shape.stand_ins else form.encode()

        self.table = ByteTable(
            ids,
            strings,
            self.special_ids,
            stand_ins=shape.stand_ins,
            byte_fallback=shape.byte_fallback,
            strip=shape.strip,
            strip_count=shape.strip_count,
            first=first_form if shape.by_first else None,
        )
        if shape.rest:
            self.rest = Sequence(shape.rest)

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The text of ``ids``, as the reference decodes them."""
        if self.table is None:
            return self.decoder.decode(self._strings(ids, skip_special_tokens))
        text = self.table.decode(ids, skip_special_tokens)
        return text if self.rest is None else self.rest.decode([text])

    def decode_bytes(self, ids: Iterable[int], skip_special_tokens: bool = False) -> bytes:
        """The bytes of the text of ``ids``.

        They are the bytes that the tokens stand for, valid UTF-8 or not, wherever those
        are joined to make the text. Decoders that rewrite the text beyond that only know
        characters; there, ill-formed bytes come as U+FFFD, as in ``decode``.
        """
        if self.table is None or self.rest is not None:
            return self.decode(ids, skip_special_tokens).encode()
        return self.table.join(ids, skip_special_tokens)

    def token_bytes(self, token_id: int, skip_special_tokens: bool = False) -> bytes:
        """The bytes that one token stands for inside a text.

        A word's leading space is there even where the start of a text loses it. Empty for
        an id without a token, and for a special token if those are skipped.
        """
        (token_id,) = IdArray((token_id,)).tolist()
        if token_id not in self.tokens:
            return b""
        if skip_special_tokens and token_id in self.special_ids:
            return b""
        return self._inner_bytes(token_id)

    def vocab_bytes(self) -> list[bytes]:
        """The bytes each id stands for inside a text, by id; empty for special tokens.

        Raises ``ValueError`` where ids reach beyond 2**24 without being dense: the list
        would be mostly holes.
        """
        size = max(self.tokens, default=-1) + 1
        if size > LARGEST_LISTED and size > 2 * len(self.tokens):
            raise ValueError(
                f"{len(self.tokens)} tokens with ids up to {size - 1} can't be listed by id"
            )
        if self.table is not None and self.rest is None:
            return self.table.tokens(skip_special_tokens=True)
        listed = [b""] * size
        for token_id in self.tokens:
            if token_id not in self.special_ids:
                listed[token_id] = self._inner_bytes(token_id)
        return listed

    def stream_parts(
        self, skip_special_tokens: bool
    ) -> tuple[ByteTable | None, Pipeline | None, bool]:
        """What a :class:`~textcore.core.detokenize.TokenStream` of this plan is made of."""
        if self.table is None:
            skipped = self.special_ids if skip_special_tokens else frozenset()
            return None, Pipeline(self.decoder, self.tokens, skipped), skip_special_tokens
        pipeline = None if self.rest is None else Pipeline(self.rest)
        return self.table, pipeline, skip_special_tokens

    def _strings(self, ids: Iterable[int], skip_special_tokens: bool) -> list[str]:
        tokens = self.tokens
        kept = IdArray(ids).tolist()
        if skip_special_tokens:
            special = self.special_ids
            return [tokens[i] for i in kept if i in tokens and i not in special]
        return [tokens[i] for i in kept if i in tokens]

    def _inner_bytes(self, token_id: int) -> bytes:
        if self.table is None:
            return inner_bytes(steps_of(self.decoder), self.tokens[token_id])
        data = self.table.token(token_id)
        return data if self.rest is None else _replaced(steps_of(self.rest), data)


def plan_decoder(
    decoder: Decoder | None, tokens: Mapping[int, str], special_ids: Collection[int] = ()
) -> DecodePlan:
    """The plan by which ``decoder`` decodes ids; without one, tokens are joined by spaces."""
    return DecodePlan(decoder, tokens, special_ids)


class _Shape:
    """The parts of a decoder that a table needs, as far as it has that shape.

    That is: maps of single tokens; byte fallback or none; the end, ``Fuse`` or
    ``ByteLevel``; then what is done to the one text that there is by then.
    """

    def __init__(self, steps: tuple[Decoder, ...]) -> None:
        todo = list(steps)
        self.maps: list[TokenMap] = []
        while todo and isinstance(todo[0], TokenMap):
            self.maps.append(todo.pop(0))  # type: ignore[arg-type]
        self.by_first = any(token_map.by_first for token_map in self.maps)
        self.byte_fallback = bool(todo) and isinstance(todo[0], ByteFallback)
        if self.byte_fallback:
            todo.pop(0)
        self.stand_ins = bool(todo) and isinstance(todo[0], ByteLevel)
        self.joins = not todo or isinstance(todo[0], (Fuse, ByteLevel))
        self.rest = todo[1:]
        self.strip, self.strip_count = self._leading_strip()

    def _leading_strip(self) -> tuple[str, int]:
        """Takes a strip of the text's start from the rest, for the table to do."""
        while self.rest and isinstance(self.rest[0], Fuse):
            self.rest.pop(0)
        if not self.rest or not isinstance(strip := self.rest[0], Strip):
            return "", 0
        # U+FFFD may be what shows for bytes, of which a table of bytes knows nothing.
        if strip.stop or strip.content == REPLACEMENT:
            return "", 0
        self.rest.pop(0)
        return strip.content, strip.start

    def first_form(self, token: str) -> str:
        """What a token becomes where a text begins with it."""
        for token_map in self.maps:
            token = token_map.map_token(token, True, False)
        return token

    def is_table(self, inner_forms: Iterable[str], tokens: Iterable[str]) -> bool:
        """Whether a table decodes ``tokens``, which the maps turn into ``inner_forms``."""
        if not self.joins or any(token_map.by_last for token_map in self.maps):
            return False
        if self.byte_fallback and (self.stand_ins or self.by_first):
            # Such a table has no place for byte tokens; but many vocabularies have none.
            forms = chain(inner_forms, map(self.first_form, tokens))
            return not any(fallback_byte(form) is not None for form in forms)
        return True


def inner_bytes(steps: tuple[Decoder, ...], token: str) -> bytes:
    """The bytes of one token inside a text, for decoders that no table covers."""
    fused = False
    for index, step in enumerate(steps):
        if isinstance(step, ByteLevel):
            return _replaced(steps[index + 1 :], byte_level_bytes(token))
        if isinstance(step, ByteFallback):
            byte = fallback_byte(token)
            if byte is not None and byte >= 0x80:
                return bytes([byte])
            token = token if byte is None else chr(byte)
        elif isinstance(step, PieceDecoder):
            byte = step.byte_pieces.get(token)
            return token.replace(SPACE, " ").encode() if byte is None else bytes([byte])
        elif isinstance(step, CTC):
            token = step.map_token(token)
        elif isinstance(step, Fuse):
            fused = True
        elif isinstance(step, Replace) or (isinstance(step, TokenMap) and not fused):
            token = step.map_token(token, False, False)
    return token.encode()


def _replaced(steps: Iterable[Decoder], data: bytes) -> bytes:
    """A token's bytes after the replacements that are made in the whole text."""
    for step in steps:
        if isinstance(step, Replace):
            try:
                data = step.map_token(data.decode(), False, False).encode()
            except UnicodeDecodeError:
                return data
    return data
