"""All that an Encoding says, compared with ``tokenizers``: part of check_parity.py.

Each text goes through every variant of :data:`VARIANTS`: alone, with a second sequence, as
words, cut from either side with overlapping pieces, and filled in every way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import tokenizers

import textcore

PROPERTIES = (
    "ids",
    "tokens",
    "type_ids",
    "attention_mask",
    "special_tokens_mask",
    "offsets",
    "word_ids",
    "sequence_ids",
    "n_sequences",
)
BY_TOKEN = ("token_to_sequence", "token_to_chars", "token_to_word")
BY_PLACE = ("char_to_token", "char_to_word", "word_to_tokens", "word_to_chars")
# Look-ups take time that grows with the encoding: this many of each are compared.
LOOK_UPS = 24
BATCH = 4


class Variant(NamedTuple):
    """One way to ask for encodings; ``truncation`` and ``padding`` in the reference's words."""

    name: str
    pair: bool = False
    words: bool = False
    add_special_tokens: bool = True
    truncation: dict[str, Any] | None = None
    padding: dict[str, Any] | None = None


def _cut(length: int, stride: int, strategy: str, direction: str) -> dict[str, Any]:
    return {
        "max_length": length,
        "stride": stride,
        "strategy": strategy,
        "direction": direction,
    }


_FILL = {"direction": "left", "pad_id": 5, "pad_type_id": 3, "pad_token": "<fill>"}

VARIANTS = (
    Variant("alone"),
    Variant("nothing added", add_special_tokens=False),
    Variant("pair", pair=True),
    Variant("pair, nothing added", pair=True, add_special_tokens=False),
    Variant("words", words=True),
    Variant("pair of words", pair=True, words=True),
    Variant("cut at the right", truncation=_cut(12, 3, "longest_first", "right")),
    Variant("cut at the left", truncation=_cut(9, 0, "only_first", "left")),
    Variant("pair, longest cut", pair=True, truncation=_cut(14, 2, "longest_first", "right")),
    Variant("pair, first cut", pair=True, truncation=_cut(60, 0, "only_first", "left")),
    Variant("pair, second cut", pair=True, truncation=_cut(60, 0, "only_second", "right")),
    Variant("words cut", words=True, truncation=_cut(11, 2, "longest_first", "right")),
    Variant("filled to the longest", padding={}),
    Variant("filled at the left", padding={**_FILL, "pad_to_multiple_of": 8}),
    Variant("pair filled to a length", pair=True, padding={**_FILL, "length": 200}),
    Variant(
        "cut and filled",
        pair=True,
        truncation=_cut(16, 1, "longest_first", "left"),
        padding={"pad_to_multiple_of": 16},
    ),
)


def facts(encoding: Any) -> dict[str, Any]:
    """Everything that an encoding of either library says, overflowing pieces included."""
    known: dict[str, Any] = {name: getattr(encoding, name) for name in PROPERTIES}
    count = len(encoding)
    known["length"] = count
    places = sorted({*range(LOOK_UPS // 2), *(count - at for at in range(-2, LOOK_UPS // 2))})
    places = [place for place in places if place >= 0]
    for name in BY_TOKEN:
        known[name] = [getattr(encoding, name)(place) for place in places]
    ends = encoding.offsets[-1][1] if count else 0
    places = [*places, *(at for at in range(ends - 4, ends + 2) if at >= 0)]
    for name in BY_PLACE:
        look_up = getattr(encoding, name)
        known[name] = [look_up(place, sequence) for place in places for sequence in (0, 1)]
    for number, piece in enumerate(encoding.overflowing):
        known |= {f"overflowing[{number}].{key}": value for key, value in facts(piece).items()}
    return known


def differences(
    ours: textcore.Tokenizer, peer: tokenizers.Tokenizer, texts: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """For each variant and batch of texts: how many were compared, and how they differ or "".

    The reference's truncation and padding are changed on the way, and off at the end.
    """
    try:
        for variant in VARIANTS:
            _set(peer, variant)
            for start in range(0, len(texts), BATCH):
                batch = texts[start : start + BATCH]
                yield len(batch), _difference(ours, peer, variant, batch)
    finally:
        peer.no_truncation()
        peer.no_padding()


def _set(peer: tokenizers.Tokenizer, variant: Variant) -> None:
    peer.no_truncation()
    peer.no_padding()
    if variant.truncation is not None:
        peer.enable_truncation(**variant.truncation)
    if variant.padding is not None:
        peer.enable_padding(**variant.padding)


def _difference(
    ours: textcore.Tokenizer, peer: tokenizers.Tokenizer, variant: Variant, texts: Sequence[str]
) -> str:
    inputs: list[Any] = [text.split() if variant.words else text for text in texts]
    if variant.pair:
        inputs = list(zip(inputs, inputs[1:] + inputs[:1], strict=True))
    add = variant.add_special_tokens
    theirs: Any
    mine: Any
    try:
        theirs = peer.encode_batch(inputs, is_pretokenized=variant.words, add_special_tokens=add)
    except Exception as error:  # The reference raises nothing more specific.
        theirs = error
    try:
        mine = ours.encoding_batch(
            inputs, is_pretokenized=variant.words, add_special_tokens=add, **_fitting(variant)
        )
    except ValueError as error:
        mine = error
    if isinstance(theirs, Exception) or isinstance(mine, Exception):
        if isinstance(theirs, Exception) and isinstance(mine, Exception):
            return ""
        return f"{variant.name}: textcore {mine!r:.80}, tokenizers {theirs!r:.80}"
    for text, one, other in zip(texts, mine, theirs, strict=True):
        found, expected = facts(one), facts(other)
        if found != expected:
            return f"{variant.name}: {_show(found, expected)} in {text[:60]!r}"
    return ""


def _show(found: dict[str, Any], expected: dict[str, Any]) -> str:
    for name in expected:
        if name not in found or found[name] != expected[name]:
            one, other = found.get(name), expected[name]
            if isinstance(one, list) and isinstance(other, list):
                pairs = enumerate(zip(one, other, strict=False))
                at = next((i for i, (x, y) in pairs if x != y), min(len(one), len(other)))
                return f"{name}[{at}] {one[at : at + 3]}, not {other[at : at + 3]},"
            return f"{name} {one}, not {other},"
    return f"more fields, {sorted(found.keys() - expected.keys())},"


def _fitting(variant: Variant) -> dict[str, Any]:
    """The variant in textcore's keywords."""
    options: dict[str, Any] = {"truncation": False, "padding": False}
    if (cut := variant.truncation) is not None:
        options |= {
            "truncation": cut["strategy"],
            "max_length": cut["max_length"],
            "stride": cut["stride"],
            "truncation_side": cut["direction"],
        }
    if (fill := variant.padding) is not None:
        options |= {"padding": fill.get("length", "longest")}
        names = {"direction": "padding_side"}
        for name, value in fill.items():
            if name != "length":
                options[names.get(name, name)] = value
        # What a call leaves out is the file's own; the reference's method has defaults.
        for name, value in {
            "padding_side": "right",
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "[PAD]",
            "pad_to_multiple_of": 0,
        }.items():
            options.setdefault(name, value)
    return options
