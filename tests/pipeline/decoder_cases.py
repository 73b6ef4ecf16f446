"""Random decoders, tokens and ids, and the reference's decoder for them."""

from __future__ import annotations

import json
from typing import Any

import tokenizers
from hypothesis import strategies as st

from textcore.pipeline.decoders import STAND_INS, Decoder, build_decoder
from textcore.pipeline.spec import Node


def reference(spec: dict[str, Any]) -> Any:
    """The reference's decoder for a component of a tokenizer.json."""
    file = {
        "version": "1.0",
        "added_tokens": [],
        "decoder": spec,
        "model": {"type": "BPE", "vocab": {}, "merges": []},
    }
    return tokenizers.Tokenizer.from_str(json.dumps(file)).decoder


def build(spec: Any) -> Decoder:
    return build_decoder(Node(spec, "decoder"))


TEXT = st.text(st.sampled_from(" ▁_ab#'Ġðć.é中😀|\ufffd\n"), max_size=5)
TOKEN = (
    TEXT
    | st.sampled_from(["<0x41>", "<0xe4>", "<0xB8>", "<0xAD>", "<0x+A>", "<0x-0>", "<0xG1>"])
    | st.sampled_from(["##s", " do not", " n't", " ' ", " 've", "</w>", "a</w>", "<pad>", "<0xé>"])
    | st.sampled_from(sorted(STAND_INS))
)
TOKENS = st.lists(TOKEN, max_size=8)
NEEDLE = st.text(st.sampled_from("ab ▁#"), max_size=3)
FLAG = st.booleans()


def fixed(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {k: v if isinstance(v, st.SearchStrategy) else st.just(v) for k, v in fields.items()}
    )


STEP = st.one_of(
    fixed(type="ByteLevel", add_prefix_space=FLAG, trim_offsets=FLAG),
    fixed(type="ByteFallback"),
    fixed(type="Fuse"),
    # Only from the start: the reference panics where "stop" exceeds a token's length.
    fixed(type="Strip", content=st.sampled_from(" ▁a"), start=st.integers(0, 3), stop=st.just(0)),
    fixed(type="Replace", pattern=fixed(String=NEEDLE), content=NEEDLE),
    fixed(
        type="Metaspace",
        replacement=st.sampled_from("▁_"),
        prepend_scheme=st.sampled_from(["first", "never", "always"]),
    ),
    fixed(type="BPEDecoder", suffix=NEEDLE | st.just("</w>")),
    fixed(type="WordPiece", prefix=st.just("##") | NEEDLE, cleanup=FLAG),
    fixed(
        type="CTC", pad_token=st.just("<pad>") | NEEDLE, word_delimiter_token=NEEDLE, cleanup=FLAG
    ),
)
DECODER = STEP | fixed(type="Sequence", decoders=st.lists(STEP, max_size=4))


# What real tokenizers have, and what is close to it.
COMMON: list[dict[str, Any] | None] = [
    None,
    {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True},
    {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ],
    },
    {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
        ],
    },
    {
        "type": "Sequence",
        "decoders": [
            {"type": "ByteFallback"},
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
        ],
    },
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never"},
    {"type": "WordPiece", "prefix": "##", "cleanup": True},
    {"type": "BPEDecoder", "suffix": "</w>"},
    {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True},
    {
        "type": "Sequence",
        "decoders": [
            {"type": "Fuse"},
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        ],
    },
]


@st.composite
def vocabularies(draw: st.DrawFn) -> dict[int, str]:
    """Distinct strings under distinct ids, dense or far apart."""
    strings = draw(st.lists(TOKEN, unique=True, min_size=1, max_size=10))
    id_range = draw(st.sampled_from([12, 5000, 2**32 - 1]))
    ids = draw(
        st.lists(
            st.integers(0, id_range), unique=True, min_size=len(strings), max_size=len(strings)
        )
    )
    return dict(zip(ids, strings, strict=True))


@st.composite
def ids_of(draw: st.DrawFn, vocabulary: dict[int, str]) -> list[int]:
    """Ids of the vocabulary and a few outside of it."""
    known = st.sampled_from(sorted(vocabulary))
    return draw(st.lists(known | known | known | st.integers(0, 20), max_size=14))


def reference_tokenizer(
    vocabulary: dict[int, str], spec: dict[str, Any] | None, special: set[int]
) -> tokenizers.Tokenizer:
    """The reference's tokenizer with just these tokens."""
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    file = {
        "version": "1.0",
        "added_tokens": [
            {"id": i, "content": vocabulary[i], "special": True, **flags}
            for i in sorted(special)
            if vocabulary[i]
        ],
        "decoder": spec,
        "model": {
            "type": "WordLevel",
            "unk_token": "",
            "vocab": {token: i for i, token in vocabulary.items()},
        },
    }
    return tokenizers.Tokenizer.from_str(json.dumps(file))
