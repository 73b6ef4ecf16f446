"""SentencePiece models give sentencepiece's ids and texts, or are refused."""

from __future__ import annotations

import contextlib
import random
import struct
from functools import cache
from pathlib import Path

import mistral_common
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from piece_models import OPTIONS, WORDS, model, processor

from textcore import IncrementalDetokenizer, Tokenizer
from textcore.errors import SpecError, UnsupportedError

MISTRAL = Path(mistral_common.__file__).parent / "data"
REAL = (
    "tokenizer.model.v1",
    "mistral_instruct_tokenizer_240216.model.v2",
    "mistral_instruct_tokenizer_240323.model.v3",
    "mistral_instruct_tokenizer_241114.model.v7",
)
CHARACTERS = st.one_of(
    st.sampled_from(
        [*" \n\t▁abcxe0129½…Ａ１日本語한é\u0301\u0308\u00a0\u3000\u200b\u00ad\u00b4\x00\x07🙂"]
    ),
    st.characters(exclude_categories=("Cs",)),
)
PARTS = st.one_of(
    CHARACTERS,
    st.sampled_from([*WORDS, "  ", "▁▁", "<sep>", "<ctl>", "<s>", "abc", "e\u0301x", "[INST]"]),
)
TEXTS = st.lists(PARTS, max_size=25).map("".join)


@cache
def tokenizer(name: str) -> Tokenizer:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.model"
        file.write_bytes(model(name))
        return Tokenizer.from_file(file)


@pytest.mark.parametrize("name", OPTIONS)
def test_ids_are_sentencepieces(name: str) -> None:
    ours, expected = tokenizer(name), processor(name)

    @settings(max_examples=60, deadline=None)
    @given(TEXTS)
    def check(text: str) -> None:
        assert ours.encode(text) == expected.encode(text)

    check()


@pytest.mark.parametrize("name", OPTIONS)
def test_any_ids_decode_as_sentencepieces(name: str) -> None:
    ours, expected = tokenizer(name), processor(name)
    size = expected.get_piece_size()

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.one_of(st.integers(0, size - 1), st.integers(0, 20)), max_size=12))
    def check(ids: list[int]) -> None:
        text = expected.decode(ids)
        assert ours.decode(ids) == text
        stream = IncrementalDetokenizer(ours, skip_special_tokens=False)
        streamed = "".join(stream.add([token]) for token in ids) + stream.flush()
        assert streamed == text

    check()


@pytest.mark.parametrize("name", OPTIONS)
def test_normalized_text_is_sentencepieces(name: str) -> None:
    ours, expected = tokenizer(name), processor(name)

    @settings(max_examples=60, deadline=None)
    @given(TEXTS)
    def check(text: str) -> None:
        assert "".join(ours.pre_tokenize(text)) == expected.normalize(text)
        assert ours.encoding(text).ids == ours.encode(text)

    check()


@pytest.mark.parametrize("file", REAL)
def test_real_models(file: str) -> None:
    ours = Tokenizer.from_file(MISTRAL / file)
    expected = sentencepiece.SentencePieceProcessor(model_file=str(MISTRAL / file))
    assert ours.vocab_size == expected.get_piece_size()

    @settings(max_examples=150, deadline=None)
    @given(TEXTS)
    def check(text: str) -> None:
        ids = expected.encode(text)
        assert ours.encode(text) == ids
        assert ours.decode(ids) == expected.decode(ids)

    check()
    long = " ".join(WORDS) * 50 + "x" * 400 + " " * 300 + "日本" * 200
    assert ours.encode(long) == expected.encode(long)


def test_vocabulary_is_the_models() -> None:
    ours, expected = tokenizer("symbols"), processor("symbols")
    for token_id in range(expected.get_piece_size()):
        assert ours.id_to_token(token_id) == expected.id_to_piece(token_id)
        assert ours.token_to_id(expected.id_to_piece(token_id)) == token_id
    control = [i for i in range(expected.get_piece_size()) if expected.is_control(i)]
    assert ours.special_ids == control


def test_control_symbols_are_found_only_where_named() -> None:
    ours, expected = tokenizer("symbols"), processor("symbols")
    control = expected.piece_to_id("<ctl>")
    assert control not in ours.encode("a<ctl>b")
    assert control in ours.encode("a<ctl>b", allowed_special={"<ctl>"})


# ------------------------------------------------------------ made by hand


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def message(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def piece(text: str, score: float = 0.0, kind: int = 1) -> bytes:
    data = message(1, text.encode()) + b"\x15" + struct.pack("<f", score) + b"\x18" + varint(kind)
    return message(1, data)


def bpe_model(*pieces: bytes, normalizer: bytes = b"") -> bytes:
    trainer = message(2, b"\x18\x02")
    return b"".join([piece("<unk>", kind=2), *pieces]) + trainer + message(3, normalizer)


def load(data: bytes, folder: Path) -> Tokenizer:
    file = folder / "x.model"
    file.write_bytes(data)
    return Tokenizer.from_file(file)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from([-1.0, -2.0, -3.0, 0.0]), min_size=8, max_size=8),
    st.text("▁abc ", max_size=14),
)
def test_pieces_of_the_same_score(scores: list[float], text: str) -> None:
    import tempfile

    joined = ["ab", "bc", "ca", "aa", "abc", "▁a", "bca", "▁ab"]
    data = bpe_model(
        *(piece(char, -9.0) for char in "▁abc"),
        *(piece(word, score) for word, score in zip(joined, scores, strict=True)),
    )
    expected = sentencepiece.SentencePieceProcessor(model_proto=data)
    with tempfile.TemporaryDirectory() as folder:
        assert load(data, Path(folder)).encode(text) == expected.encode(text)


SCORES = {
    "few": st.sampled_from([-1.0, -2.0, -3.0, 0.0]),
    "rounded": st.sampled_from([-1.1, -2.2, -3.3, -4.4, -3.3000002, -110.0, -330.00003]),
    "any": st.floats(-20.0, 1.0, width=32),
    # Beyond 100,000, the sum is set back.
    "large": st.sampled_from([-30000.0, -12345.678, -20000.5, -7.7, 5.0]),
}


@pytest.mark.parametrize("scores", SCORES)
def test_sums_round_as_sentencepieces(scores: str, tmp_path: Path) -> None:
    @settings(max_examples=60, deadline=None)
    @given(
        st.dictionaries(
            st.one_of(st.sampled_from("▁abcd"), st.text("▁abcd", min_size=2, max_size=5)),
            st.tuples(SCORES[scores], st.sampled_from([1, 1, 1, 1, 4, 5])),
            min_size=4,
            max_size=20,
        ),
        st.text(" abcde", max_size=40),
        st.integers(1, 300),
    )
    def check(pieces: dict[str, tuple[float, int]], text: str, times: int) -> None:
        data = b"".join(
            [
                piece("<unk>", kind=2),
                *(piece(word, score, kind) for word, (score, kind) in pieces.items()),
                message(2, b"\x18\x01"),
                message(3, b"\x20\x00"),
            ]
        )
        expected = sentencepiece.SentencePieceProcessor(model_proto=data)
        ours = load(data, tmp_path)
        for sample in (text, text * times, text):
            assert ours.encode(sample) == expected.encode(sample)

    check()


@pytest.mark.parametrize("name", ["unigram_plain", "unigram_bytes", "unigram_across", "plain"])
def test_long_texts(name: str) -> None:
    """Texts so long that they are taken in segments, and that sums are set back."""
    rng = random.Random(1)
    chars = "".join(map(chr, range(0x3041, 0x3097))) + "☃ é\n"
    text = " ".join(
        rng.choice(WORDS) if rng.random() < 0.8 else "".join(rng.choices(chars, k=9))
        for _ in range(30_000)
    )
    ours, expected = tokenizer(name), processor(name)
    ids = expected.encode(text)
    assert ours.encode(text) == ids
    assert ours.encode(text) == ids


SMALL = [piece(char, -9.0) for char in "▁ab"]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (bpe_model(*SMALL)[:-1] + b"\x7f", "normalizer_spec|field 3"),
        (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "field 1 of .* bytes"),
        (b"\x0a" + b"\xff" * 20, "more than 64 bits"),
        (b"\x0a", "ends inside a number"),
        (bpe_model(*SMALL) + b"\x0b", "wire type 3"),
        (bpe_model(*SMALL) + b"\x02\x00", "field 0"),
        (bpe_model(*SMALL, message(1, message(1, b"\xff"))), r"pieces\[4\]: not UTF-8"),
        (bpe_model(*SMALL, piece("")), r"pieces\[4\]: an empty piece"),
        (bpe_model(*SMALL, piece("a")), r"pieces\[4\]: .*already"),
        (bpe_model(*SMALL, piece("b\u0301")), "character that is no piece"),
        (bpe_model(*SMALL, piece("ab", float("nan"))), "score of 'ab' is nan"),
        (bpe_model(*SMALL, piece("ab", kind=9)), "unknown kind 9"),
        (bpe_model(*SMALL, piece("ab", kind=2)), "2 unknown pieces"),
        (b"".join(SMALL) + message(2, b"\x18\x01"), "0 unknown pieces"),
        (bpe_model(*SMALL) + message(2, b"\x98\x02\x01"), "byte_fallback, but 256 byte pieces"),
        (bpe_model(*SMALL) + message(2, b"\x1a\x00"), "wire type 2; expected 0"),
        (bpe_model(*SMALL, normalizer=message(2, b"\x00\x00")), "shorter than its header"),
        (bpe_model(*SMALL, normalizer=message(2, b"\xff" * 8)), "a trie of 4294967295 bytes"),
    ],
)
def test_wrong_files_are_refused(data: bytes, problem: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=problem):
        load(data, tmp_path)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (bpe_model(*SMALL, piece("ab", kind=5)), "unused"),
        (bpe_model(*SMALL) + message(2, b"\x18\x03"), "model Word is not supported"),
        (
            bpe_model(*SMALL) + message(5, message(2, b"abcd")),
            "denormalizer_spec.add_dummy_prefix",
        ),
    ],
)
def test_unsupported_files_are_refused(data: bytes, problem: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=problem):
        load(data, tmp_path)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_files_load_or_are_refused(data: st.DataObject) -> None:
    import tempfile

    whole = bytearray(
        bpe_model(*SMALL, piece("ab", -1.0), normalizer=message(2, b"\x08" + bytes(20)))
    )
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(SpecError):
        load(bytes(whole), Path(folder)).encode("ab ab")
