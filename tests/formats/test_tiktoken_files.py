"""Files of ranks give tiktoken's ids and texts, or are refused."""

from __future__ import annotations

import base64
import json
import unicodedata
from pathlib import Path

import pytest
import tiktoken
import tiktoken_ext.openai_public as published
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_files import packaged, ranks_of, reference, trained_ranks, write_ranks

from textcore import Tokenizer
from textcore.errors import SpecError
from textcore.formats.encodings import BY_NAME, ENCODINGS
from textcore.formats.tiktoken import digest_of, read_ranks
from textcore.pipeline.patterns import compile_pattern

REAL = ("cl100k_base", "qwen", "qwen3.5")
PATTERN = r" ?\p{L}+|\s+|[^\s\p{L}]+"

TEXTS = st.text(
    st.one_of(
        st.sampled_from(" \n\r\t'sStTrRéÉ0129½<|>_-ab한日\u3000\u0301\u200d🙂"),
        st.characters(exclude_categories=("Cs",)),
    ),
    max_size=60,
)


@pytest.fixture(scope="module")
def tokenizers() -> dict[str, Tokenizer]:
    return {name: Tokenizer.from_file(packaged(name)) for name in REAL}


@pytest.mark.parametrize("name", REAL)
def test_ids_are_tiktokens(name: str, tokenizers: dict[str, Tokenizer]) -> None:
    tokenizer, expected = tokenizers[name], reference(name)

    @settings(max_examples=150, deadline=None)
    @given(TEXTS)
    def check(text: str) -> None:
        if BY_NAME[name].form is not None:
            text = unicodedata.normalize("NFC", text)
        ids = expected.encode(text, allowed_special="all")
        assert tokenizer.encode(text) == ids
        assert tokenizer.decode(ids) == expected.decode(ids)
        plain = expected.encode(text, disallowed_special=())
        assert tokenizer.encode(text, allowed_special="none") == plain
        assert tokenizer.encoding(text).ids == ids

    check()


@pytest.mark.parametrize("name", REAL)
def test_long_words_are_tiktokens(name: str, tokenizers: dict[str, Tokenizer]) -> None:
    words = ["a" * 500, "ab" * 333, " " * 300, "日本語" * 100, "é" * 200, "=" * 97 + "-" * 64]
    text = "x".join(words)
    assert tokenizers[name].encode(text) == reference(name).encode(text)


@pytest.mark.parametrize("name", REAL)
def test_any_ids_decode_as_tiktokens(name: str, tokenizers: dict[str, Tokenizer]) -> None:
    expected = reference(name)
    known = sorted([*ranks_of(packaged(name)).values(), *BY_NAME[name].special_tokens.values()])

    @settings(max_examples=100, deadline=None)
    @given(st.lists(st.sampled_from(known), max_size=12))
    def check(ids: list[int]) -> None:
        assert tokenizers[name].decode(ids) == expected.decode(ids, errors="replace")
        assert tokenizers[name].decode_bytes(ids) == expected.decode_bytes(ids)

    check()


@pytest.mark.parametrize("name", REAL)
def test_every_token_has_its_bytes(name: str, tokenizers: dict[str, Tokenizer]) -> None:
    tokenizer = tokenizers[name]
    for token, rank in ranks_of(packaged(name)).items():
        assert tokenizer.token_bytes(rank) == token
    for text, token_id in BY_NAME[name].special_tokens.items():
        assert tokenizer.token_to_id(text) == token_id
        assert tokenizer.id_to_token(token_id) == text
        assert tokenizer.encode(text) == [token_id]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 40), st.lists(st.sampled_from(["a", "b", "c", " ", "é", "zyx", "ab"])))
def test_ranks_with_gaps(seed: int, parts: list[str]) -> None:
    ranks = trained_ranks(seed)
    special = {"<end>": 5000, "<Ġ>": 5001}
    expected = tiktoken.Encoding(
        "test", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens=special
    )
    data = b"".join(b"%b %d\n" % (base64.b64encode(t), r) for t, r in ranks.items())
    tokenizer = _from_bytes(data, pattern=PATTERN, special_tokens=special)
    text = "".join(parts) + "<Ġ>" + "".join(reversed(parts))
    ids = expected.encode(text, allowed_special="all")
    assert tokenizer.encode(text) == ids
    assert tokenizer.decode(ids) == text
    plain = expected.encode(text, disallowed_special=())
    assert tokenizer.encode(text, allowed_special="none") == plain


def _from_bytes(data: bytes, **options: object) -> Tokenizer:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ranks"
        file.write_bytes(data)
        return Tokenizer.from_file(file, **options)


# ------------------------------------------------------------ which encoding it is


@pytest.mark.parametrize("name", REAL)
def test_files_are_known_by_content(name: str, tmp_path: Path) -> None:
    digest = digest_of(ranks_of(packaged(name)))
    assert digest == BY_NAME[name].digest
    # The same lines in another order, with other ends, under a name that says nothing.
    lines = packaged(name).read_bytes().splitlines()
    shuffled = b"\r\n".join([*lines[1000:], *lines[:1000]]) + b"\r\n"
    assert digest_of(read_ranks(shuffled)) == digest


def test_published_encodings_are_as_published() -> None:
    """Pattern, special tokens and digest, from tiktoken's own code, without its files."""
    seen: dict[str, str] = {}

    def loaded(url: str, expected_hash: str) -> dict[bytes, int]:
        seen["hash"] = expected_hash
        return {}

    original = published.load_tiktoken_bpe
    published.load_tiktoken_bpe = loaded
    try:
        for name in ("r50k_base", "p50k_base", "p50k_edit", "o200k_base", "o200k_harmony"):
            arguments = published.ENCODING_CONSTRUCTORS[name]()
            known = BY_NAME[name]
            assert known.pattern == arguments["pat_str"]
            assert dict(known.special_tokens) == arguments["special_tokens"]
            assert known.digest == seen["hash"]
    finally:
        published.load_tiktoken_bpe = original


def test_every_known_pattern_splits_by_automaton() -> None:
    engines = {e.name: compile_pattern(e.pattern, "rust").engine for e in ENCODINGS}
    assert set(engines.values()) == {"automaton"}, engines


def test_encoding_chooses_among_the_same_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    import textcore.formats.encodings as encodings
    import textcore.formats.tiktoken as module

    ranks = trained_ranks(3)
    twins = (
        encodings.RankEncoding("one", digest_of(ranks), PATTERN, {"<1>": 9000}),
        encodings.RankEncoding("two", digest_of(ranks), PATTERN, {"<2>": 9000}),
    )
    monkeypatch.setattr(encodings, "ENCODINGS", twins)
    monkeypatch.setattr(module, "BY_NAME", {**BY_NAME, **{twin.name: twin for twin in twins}})
    data = b"".join(b"%b %d\n" % (base64.b64encode(t), r) for t, r in ranks.items())
    assert _from_bytes(data).id_to_token(9000) == "<1>"
    assert _from_bytes(data, encoding="two").id_to_token(9000) == "<2>"
    with pytest.raises(ValueError, match="not those of cl100k_base, but of one, two"):
        _from_bytes(data, encoding="cl100k_base")


def test_unknown_ranks_need_a_pattern(tmp_path: Path) -> None:
    file = write_ranks(tmp_path / "cl100k_base.tiktoken", trained_ranks(1))
    with pytest.raises(SpecError, match=r"not of a known encoding.*pattern="):
        Tokenizer.from_file(file)
    with pytest.raises(ValueError, match="unknown encoding 'nonsense'"):
        Tokenizer.from_file(file, encoding="nonsense")
    assert Tokenizer.from_file(file, pattern=PATTERN).encode("zyx")


def test_directory_with_a_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Special tokens that tokenizer_config.json names, as Kimi's repositories do."""
    write_ranks(tmp_path / "tiktoken.model", trained_ranks(2))
    entry = {"content": "[BOS]", "special": True}
    config = {"added_tokens_decoder": {"7000": entry}, "bos_token": "[BOS]"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    tokenizer = Tokenizer.from_dir(tmp_path, pattern=PATTERN)
    assert tokenizer.bos_token == "[BOS]"
    assert tokenizer.encode("[BOS]") == [7000]
    assert tokenizer.special_ids == [7000]


# ------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"YQ==", "line 258: expected a token in base64 and its rank"),
        (b"YQ== 1 2", "line 258: expected a token in base64 and its rank"),
        (b"Y!== 300", "line 258: .* is not base64"),
        (b"YQ= 300", "line 258: .* is not base64"),
        (b"enh4 -1", "line 258: expected a rank"),
        (b"enh4 2147483648", "line 258: expected a rank"),
        (b"enh4 99999999999999999999999", "line 258: expected a rank"),
        (b"YQ== 300", "line 258: .*twice"),
        (b"enh4 97", "same id"),
    ],
)
def test_wrong_lines_are_refused(line: bytes, problem: str, tmp_path: Path) -> None:
    file = write_ranks(tmp_path / "x.tiktoken", {bytes([i]): i for i in range(256)})
    file.write_bytes(file.read_bytes() + b"\n" + line + b"\n")
    with pytest.raises(SpecError, match=problem) as caught:
        Tokenizer.from_file(file, pattern=PATTERN)
    assert str(file) in str(caught.value)


def test_missing_bytes_are_refused(tmp_path: Path) -> None:
    file = write_ranks(tmp_path / "x.tiktoken", {bytes([i]): i for i in range(255)})
    with pytest.raises(SpecError, match="1 single bytes are no tokens, 0xff first"):
        Tokenizer.from_file(file, pattern=PATTERN)


def test_endless_token_is_refused(tmp_path: Path) -> None:
    ranks = {bytes([i]): i for i in range(256)} | {b"a" * 2049: 256}
    file = write_ranks(tmp_path / "x.tiktoken", ranks)
    with pytest.raises(SpecError, match="2049 bytes; at most 2048"):
        Tokenizer.from_file(file, pattern=PATTERN)


@pytest.mark.parametrize(
    ("special", "problem"),
    [({"<x>": 97}, "ordinary token"), ({"<x>": -1}, "expected an id"), ({"": 999}, "empty")],
)
def test_wrong_special_tokens_are_refused(
    special: dict[str, int], problem: str, tmp_path: Path
) -> None:
    file = write_ranks(tmp_path / "x.tiktoken", {bytes([i]): i for i in range(256)})
    with pytest.raises(SpecError, match=problem):
        Tokenizer.from_file(file, pattern=PATTERN, special_tokens=special)


def test_options_of_another_format_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(TypeError, match="pattern"):
        Tokenizer.from_file(file, pattern=PATTERN)


@pytest.mark.parametrize("data", [b"", b"\x00" * 100, b"hello\n", b"YQ== \n"])
def test_files_of_no_known_format(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.tiktoken").write_bytes(data)
    with pytest.raises(SpecError, match="not a tokenizer file of a known format"):
        Tokenizer.from_file(tmp_path / "x.tiktoken")
