"""Exact cuts: the pieces encode by themselves as they do in the whole."""

import gc
import random
from itertools import accumulate

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_bpe import vocabularies

from textcore.core.bpe import BPE
from textcore.core.cuts import Cuts
from textcore.core.windows import levels

PIECES = "abcé你"


def cut_model(vocab, merges):
    """A model that can be cut: every byte has a token of its own."""
    full = dict(vocab)
    for byte in range(256):
        full[f"<0x{byte:02X}>"] = 10_000 + byte
    return BPE(full, None, merges, byte_fallback=True)


ALPHABET = "aé你😀 好b."

# Characters of three bytes that end and begin alike.
THREES = "你彠゠好佽あ"
threes = st.text(THREES, min_size=2, max_size=4).map(str.encode)
slices = st.builds(
    lambda data, start, end: data[start : len(data) - end],
    threes,
    st.integers(0, 3),
    st.integers(0, 2),
)


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("spaced", [False, True])
@settings(max_examples=150)
@given(
    st.lists(st.text(ALPHABET + "▁", min_size=2, max_size=4).map(str.encode), max_size=12),
    st.lists(st.binary(min_size=2, max_size=4), max_size=3) | st.lists(slices, max_size=12),
    st.lists(
        st.sampled_from([*ALPHABET, "你好", "ab" * 40, "é" * 9, "你" * 70]) | st.text(THREES),
        max_size=80,
    ),
)
def test_every_version_cuts_alike(level, spaced, entries, broken, parts):
    """Where entries break characters, one may leave a cut out that another finds."""
    cuts = Cuts(entries + broken)
    if spaced:
        cuts = Cuts.spaced(cuts, "▁".encode())
    text = "".join(parts)
    found, expected = cuts.cut(text, level), cuts.cut(text)
    assert set(accumulate(map(len, found))) <= set(accumulate(map(len, expected)))
    assert broken or found == expected


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("seed", range(3))
def test_each_pair_of_ascii_characters_is_told_from_all_others(level, seed):
    """With so many different rows that they fill several tables."""
    draw = random.Random(seed)
    pairs = {bytes(draw.choices(range(128), k=2)) for _ in range(2500)}
    text = bytes(draw.choices(range(128), k=5000))
    ends = [at for at in range(1, len(text)) if text[at - 1 : at + 1] not in pairs]
    found = Cuts(list(pairs)).cut(text.decode(), level)
    assert list(accumulate(map(len, found))) == [*ends, len(text)]


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("seed", range(3))
def test_each_pair_of_any_characters_is_told_from_most_others(level, seed):
    """A Bloom filter may leave a cut out; none is at a place where an entry has both."""
    draw = random.Random(seed)
    kinds = ((0x20, 0x80), (0x80, 0x800), (0x2000, 0xD800), (0xF900, 0x10000), (0x10000, 0x20000))
    letters = [chr(draw.randrange(*kind)) for kind in kinds for _ in range(12)]
    pairs = {"".join(draw.choices(letters, k=2)) for _ in range(600)}
    text = "".join(draw.choices(letters, k=5000))
    found = Cuts([pair.encode() for pair in pairs]).cut(text, level)
    ends = set(accumulate(map(len, found)))
    apart = {at for at in range(1, len(text)) if text[at - 1 : at + 1] not in pairs} | {len(text)}
    assert ends <= apart
    assert len(apart - ends) < len(apart) // 50


@pytest.mark.parametrize("level", levels())
@settings(max_examples=300)
@given(vocabularies(), st.text(PIECES + "xü", max_size=60))
def test_the_pieces_encode_as_the_whole(level, made, word):
    model = cut_model(*made)
    pieces = model.cuts.cut(word, level)
    joined = [pair for piece in pieces for pair in model.tokenize(piece.encode())]
    assert joined == model.tokenize(word.encode())


@pytest.mark.parametrize("level", levels())
@given(
    st.lists(st.binary(min_size=1, max_size=5) | slices, max_size=10),
    st.text("aé你😀", max_size=20) | st.text(THREES, max_size=40) | st.text("a" + THREES),
)
def test_no_entry_reaches_over_a_cut(level, entries, text):
    data = text.encode()
    at = 0
    for piece in Cuts(entries).cut(text, level)[:-1]:
        at += len(piece.encode())
        for entry in entries:
            for inside in range(1, len(entry)):
                assert data[max(0, at - inside) : at + len(entry) - inside] != entry or (
                    at - inside < 0
                )


@st.composite
def byte_models(draw):
    """A byte-level model whose merges break characters apart."""
    contents = {f"{byte:02x}": bytes([byte]) for byte in range(256)}
    tokens = [f"{byte:02x}" for byte in sorted(set("aé你好😀".encode()))]
    merges = []
    for _ in range(draw(st.integers(0, 25))):
        left, right = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        if len(left + right) <= 16 and (left, right) not in merges:
            merges.append((left, right))
            if left + right not in contents:
                contents[left + right] = contents[left] + contents[right]
                tokens.append(left + right)
    vocab = {token: number for number, token in enumerate(contents)}
    return BPE(vocab, contents, merges)


@settings(max_examples=500)
@given(byte_models(), st.text("aé你好😀", max_size=30))
def test_the_pieces_encode_as_the_whole_where_characters_break(model, word):
    joined = [pair for piece in model.cuts.cut(word) for pair in model.tokenize(piece.encode())]
    assert joined == model.tokenize(word.encode())


@pytest.mark.parametrize("level", levels())
def test_entries_that_begin_inside_a_character(level):
    """More of them than are noted with all characters that end so."""
    draw = random.Random(1)
    most = 12_000
    entries = [
        bytes([draw.randrange(0x80, 0xC0)]) + chr(0x4E00 + draw.randrange(20_000)).encode()
        for _ in range(most)
    ]
    for some in (entries[:3], entries):
        cuts = Cuts(some)
        for entry in entries[:3] + entries[-50:]:
            left = bytes([0xE5, 0x81, entry[0]]).decode()
            text = "一" * 3 + left + entry[1:].decode() + "一" * 40
            joined = left + entry[1:].decode()
            assert (joined in "|".join(cuts.cut(text, level))) == (entry in some)


def test_a_part_of_a_character_joins_only_those_that_have_it():
    entry = b"a" + "你".encode()[:2]
    same, other = bytes("你".encode()[:2] + b"\x81").decode(), "好"
    assert Cuts([entry]).cut(f"a你a{same}a{other}") == ["a你", f"a{same}", "a", other]


def test_pieces_join_to_the_text():
    assert Cuts([b"ab", "你好".encode()]).cut("xab你好 ab") == ["x", "ab", "你好", " ", "ab"]


def test_no_cut_where_an_entry_breaks_a_character():
    # An entry of "a" and the first byte of 你 may join "a" with whatever begins so.
    entry = b"a" + "你".encode()[:1]
    assert Cuts([entry]).cut("a你a") == ["a你", "a"]


@st.composite
def unknown_models(draw, fuse_unk):
    vocab = {"a": 0, "b": 1, "<unk>": 2}
    merges = []
    for _ in range(draw(st.integers(0, 4))):
        left, right = draw(st.sampled_from([*vocab])), draw(st.sampled_from([*vocab]))
        vocab.setdefault(left + right, len(vocab))
        merges.append([left, right])
    return BPE(vocab, None, merges, unk_token="<unk>", fuse_unk=fuse_unk)


@given(unknown_models(False), st.text("abxy", max_size=20))
def test_unknown_tokens_that_stay_apart_allow_cuts(model, word):
    assume(model.cuts is not None)
    joined = [pair for piece in model.cuts.cut(word) for pair in model.tokenize(piece.encode())]
    assert joined == model.tokenize(word.encode())


@given(unknown_models(True), st.text("abxy", max_size=20))
def test_unknown_tokens_that_fuse_allow_cuts_that_need_it(model, word):
    assert model.cuts is None
    assume(model.fusing is not None)
    joined = [pair for piece in model.fusing.cut(word) for pair in model.tokenize(piece.encode())]
    fused = [
        pair for i, pair in enumerate(joined) if pair[0] != 2 or i == 0 or joined[i - 1][0] != 2
    ]
    assert [token for token, _ in fused] == [token for token, _ in model.tokenize(word.encode())]


@pytest.mark.parametrize("merge", [["a", "<unk>"], ["<unk>", "a"]])
def test_an_unknown_token_that_merges_allows_no_cuts(merge):
    vocab = {"a": 0, "<unk>": 1, "".join(merge): 2}
    model = BPE(vocab, None, [merge], unk_token="<unk>")
    assert model.cuts is None
    assert model.fusing is None


def test_text_without_an_unknown_token_allows_no_cuts():
    assert BPE({"a": 0, "b": 1}, None, []).cuts is None


def test_a_suffix_allows_no_cuts():
    assert cut_model({"a": 0}, []).cuts is not None
    full = {f"<0x{byte:02X}>": byte for byte in range(256)}
    assert BPE(full, None, [], byte_fallback=True, suffix="</w>").cuts is None


def test_merges_of_byte_tokens_allow_no_cuts():
    full = {f"<0x{byte:02X}>": byte for byte in range(256)}
    full["<0x41><0x42>"] = 256
    merges = [["<0x41>", "<0x42>"]]
    assert BPE(full, None, merges, byte_fallback=True).cuts is None


def test_what_borrows_memory_is_never_cleared_by_the_collector():
    # If it were, it would take the other's memory for its own, and free it.
    cuts = Cuts([b"ab"])
    assert not gc.is_tracked(Cuts.spaced(cuts, "▁".encode()))


def test_cuts_that_share_memory_in_garbage():
    """What a collector finds is cleared before it goes, and its memory is still freed once."""
    inner = Cuts([b"ab", "\u2581a".encode()])
    holder = [Cuts.spaced(inner, "\u2581".encode())]
    holder.append(holder)
    del holder
    gc.collect()
    assert inner.cut("ab") == ["ab"]
