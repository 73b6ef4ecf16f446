"""The BPE model against the reference's, on vocabularies made to be awkward."""

import json
import random
from itertools import permutations, product

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import models

from textcore.core.bpe import BPE, MergeError
from textcore.core.bpetables import from_tables, to_tables
from textcore.core.windows import levels

ALPHABET = "abcé你"


@st.composite
def vocabularies(draw):
    """A vocabulary with merges that hold together, in a random order of ranks."""
    tokens = list(ALPHABET)
    merges = []
    for _ in range(draw(st.integers(0, 25))):
        left, right = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        if len(left + right) <= 8 and (left, right) not in merges:
            merges.append((left, right))
            if left + right not in tokens:
                tokens.append(left + right)
    merges = draw(st.permutations(merges))
    dropped = draw(st.sets(st.sampled_from(ALPHABET), max_size=1))
    used = {half for merge in merges for half in merge}
    ids = draw(st.permutations(range(len(tokens))))
    vocab = dict(zip(tokens, ids, strict=True))
    for char in dropped - used:
        if not any(char in token for token in tokens if token != char):
            del vocab[char]
    return vocab, merges


def reference(vocab, merges, **options):
    return models.BPE(vocab=vocab, merges=merges, cache_capacity=0, **options)


def ids_and_lengths(model, word):
    return [(t.id, t.offsets[1] - t.offsets[0]) for t in model.tokenize(word)]


words = st.text(ALPHABET + "x", max_size=30)
long_words = st.text(ALPHABET, min_size=50, max_size=120)


@pytest.mark.parametrize("size", [33, 64, 399, 400, 1000, 16384, 16385])
def test_thousands_of_ranks(size):
    """More than one digit of them to sort by, and most of what waits is not what was there."""
    draw = random.Random(size)
    letters = "abcdefghijklmnopqrst"
    tokens, merges = list(letters), {}
    while len(merges) < 5000:
        left, right = draw.choice(tokens), draw.choice(tokens)
        if len(left + right) <= 6 and (left, right) not in merges:
            merges[left, right] = len(merges)
            tokens.append(left + right)
    vocab = {token: i for i, token in enumerate(dict.fromkeys(tokens))}
    ours, theirs = BPE(vocab, None, [*merges]), reference(vocab, [*merges])
    for _ in range(5):
        word = "".join(draw.choices(letters, k=size))
        assert ours.tokenize(word.encode()) == ids_and_lengths(theirs, word)


@settings(max_examples=300)
@given(vocabularies(), words | long_words)
def test_equals_the_reference(made, word):
    vocab, merges = made
    assert BPE(vocab, None, merges).tokenize(word.encode()) == ids_and_lengths(
        reference(vocab, merges), word
    )


sizes = st.integers(200, 5000) | st.sampled_from([16384, 16385, 40000])


@settings(max_examples=60, deadline=None)
@given(vocabularies(), sizes, st.integers())
def test_very_long_words(made, size, seed):
    """Merges that are sorted; and so many symbols that the tree of them has several levels."""
    vocab, merges = made
    word = "".join(random.Random(seed).choices(ALPHABET, k=size))
    assert BPE(vocab, None, merges).tokenize(word.encode()) == ids_and_lengths(
        reference(vocab, merges), word
    )


repeats = st.lists(
    st.tuples(st.sampled_from(ALPHABET[:3] + "x"), st.integers(1, 9) | st.integers(30, 600)),
    min_size=1,
    max_size=6,
)


@st.composite
def doubling_vocabularies(draw):
    """Merges of which many are of a token with itself, the shorter ones first or not."""
    tokens = list(ALPHABET[:3])
    merges = []
    for _ in range(draw(st.integers(1, 15))):
        left = draw(st.sampled_from(tokens))
        right = draw(st.sampled_from([left, *tokens]))
        if len(left + right) <= 64 and (left, right) not in merges:
            merges.append((left, right))
            if left + right not in tokens:
                tokens.append(left + right)
    merges = draw(st.just(merges) | st.permutations(merges))
    return {token: i for i, token in enumerate([*tokens, "?"])}, merges


@settings(max_examples=400)
@given(vocabularies() | doubling_vocabularies(), repeats, st.booleans())
def test_words_of_repeated_characters(made, parts, fuse_unk):
    """Runs of symbols are merged as one, wherever that comes to the same."""
    vocab, merges = made
    word = "".join(character * count for character, count in parts)
    options = {"unk_token": "?", "fuse_unk": fuse_unk} if "?" in vocab else {}
    assert BPE(vocab, None, merges, **options).tokenize(word.encode()) == ids_and_lengths(
        reference(vocab, merges, **options), word
    )


@pytest.mark.parametrize("ranks", list(permutations(range(3))))
def test_a_run_in_which_the_merges_do_not_follow_each_other(ranks):
    """What the first two letters make merges before the others do, or after them."""
    merges = [[("a", "a"), ("aa", "a"), ("aa", "aa")][rank] for rank in ranks]
    vocab = {"a" * (i + 1): i for i in range(4)}
    word = "a" * 1001
    assert BPE(vocab, None, merges).tokenize(word.encode()) == ids_and_lengths(
        reference(vocab, merges), word
    )


@given(vocabularies(), words, st.booleans(), st.booleans(), st.booleans())
def test_unknown_characters(made, word, fuse_unk, in_vocab, ignore_merges):
    vocab, merges = made
    if in_vocab:
        vocab["<unk>"] = len(vocab) + 7
    options = {"fuse_unk": fuse_unk, "ignore_merges": ignore_merges}
    if in_vocab:
        options["unk_token"] = "<unk>"
    assert BPE(vocab, None, merges, **options).tokenize(word.encode()) == ids_and_lengths(
        reference(vocab, merges, **options), word
    )


@given(vocabularies(), words, st.sets(st.integers(0, 255), max_size=4), st.booleans())
def test_byte_fallback_with_holes(made, word, holes, fuse_unk):
    vocab, merges = made
    vocab["<unk>"] = 500
    for byte in set(range(256)) - holes - ({0x78} if len(holes) % 2 else set()):
        vocab[f"<0x{byte:02X}>"] = 1000 + byte
    options = {"unk_token": "<unk>", "byte_fallback": True, "fuse_unk": fuse_unk}
    assert BPE(vocab, None, merges, **options).tokenize(word.encode()) == ids_and_lengths(
        reference(vocab, merges, **options), word
    )


@st.composite
def affixed(draw):
    """A vocabulary whose inner pieces have a prefix and whose last have a suffix."""
    prefix = draw(st.sampled_from(["", "##"]))
    suffix = draw(st.sampled_from(["", "</w>"]))
    vocab = {}
    for char in ALPHABET[:4]:
        for before in ("", prefix):
            for after in ("", suffix):
                vocab.setdefault(before + char + after, len(vocab))
    merges = []
    for _ in range(draw(st.integers(0, 15))):
        left = draw(st.sampled_from([t for t in vocab if not (suffix and t.endswith(suffix))]))
        right = draw(st.sampled_from([t for t in vocab if t.startswith(prefix)]))
        made = left + right[len(prefix) :]
        if (left, right) not in merges and len(made) < 12:
            merges.append((left, right))
            vocab.setdefault(made, len(vocab))
    return vocab, merges, prefix, suffix


@settings(max_examples=300)
@given(affixed(), words, st.booleans())
def test_prefix_and_suffix(made, word, ignore_merges):
    vocab, merges, prefix, suffix = made
    expected = ids_and_lengths(
        reference(
            vocab,
            merges,
            continuing_subword_prefix=prefix,
            end_of_word_suffix=suffix,
            ignore_merges=ignore_merges,
        ),
        word,
    )
    ours = BPE(vocab, None, merges, prefix=prefix, suffix=suffix, ignore_merges=ignore_merges)
    assert ours.tokenize(word.encode()) == expected


@given(words)
def test_tokens_that_share_an_id_are_one_symbol(word):
    # What a pair makes is looked up by id: with shared ids a stale candidate can still apply.
    vocab = {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 3, "bc": 4, "é": 5, "你": 6, "x": 7}
    merges = [("b", "c"), ("a", "b"), ("a", "bc"), ("ab", "c")]
    spec = {
        "version": "1.0",
        "added_tokens": [],
        "model": {"type": "BPE", "vocab": vocab, "merges": [" ".join(m) for m in merges]},
    }
    loaded = tokenizers.Tokenizer.from_str(json.dumps(spec))
    expected = loaded.encode(word, add_special_tokens=False).ids
    assert [i for i, _ in BPE(vocab, None, merges).tokenize(word.encode())] == expected


def test_both_spellings_of_merges():
    vocab = {"a": 0, "b": 1, "ab": 2, "aba": 3}
    spaced = BPE(vocab, None, ["#version: 0.2", "a b", "ab a"])
    paired = BPE(vocab, None, [["a", "b"], ["ab", "a"]])
    assert spaced.tokenize(b"abaab") == paired.tokenize(b"abaab") == [(3, 3), (2, 2)]


def test_a_pair_may_hold_spaces():
    vocab = {" ": 0, "a": 1, " a": 2, " a ": 3}
    assert BPE(vocab, None, [[" ", "a"], [" a", " "]]).tokenize(b" a ") == [(3, 3)]


@pytest.mark.parametrize(
    ("merges", "problem"),
    [
        (["a b", "a z"], "merges[1]: 'z' is not in the vocabulary"),
        (["z a"], "merges[0]: 'z' is not in the vocabulary"),
        (["b a"], "merges[0]: it makes 'ba', not in the vocabulary"),
        (["a b c"], "merges[0]: 'a b c' is not two tokens with one space between"),
        (["ab"], "merges[0]: 'ab' is not two tokens with one space between"),
        (["a b", ["a", "b"]], "merges[1]: expected a string like the first merge"),
        ([["a", "b"], "a b"], "merges[1]: expected a list of two strings like the first merge"),
        ([["a"]], "merges[0]: expected a list of two strings like the first merge"),
        ([7], "merges[0]: expected a list of two strings like the first merge"),
    ],
)
def test_a_merge_that_cannot_be_used_is_named(merges, problem):
    with pytest.raises(MergeError) as caught:
        BPE({"a": 0, "b": 1, "ab": 2}, None, merges)
    assert str(caught.value) == problem


def test_an_unknown_token_that_is_missing_is_an_error_when_needed():
    model = BPE({"a": 0}, None, [], unk_token="<unk>")
    assert model.tokenize(b"aa") == [(0, 1), (0, 1)]
    with pytest.raises(ValueError, match="unk_token"):
        model.tokenize(b"b")


@pytest.mark.parametrize("letters", ["a", "ab"])
def test_a_long_word_takes_one_pass_of_the_queue(letters):
    vocab = {"a": 0, "b": 1, "aa": 2, "aaaa": 3, "ab": 4}
    word = letters * (400_000 // len(letters))
    ids = BPE(vocab, None, ["a a", "aa aa", "a b"]).tokenize(word.encode())
    assert sum(length for _, length in ids) == 400_000


short_words = st.text(ALPHABET + "x", min_size=1, max_size=10).map(str.encode)
batches = st.lists(short_words, min_size=1, max_size=40)
each_level = pytest.mark.parametrize("level", levels())


def same_as_alone(model, words, level):
    """Whether words encoded side by side have their ids, where they were encoded at all."""
    alone = [[i for i, _ in model.tokenize(word)] for word in words]
    together = model.remembered(words, level)
    for word, expected, found in zip(words, alone, together, strict=True):
        left_out = not 1 <= len(expected) <= 8
        assert found == (None if left_out else expected), word


@each_level
@settings(max_examples=150)
@given(made=vocabularies(), words=batches)
def test_words_side_by_side(level, made, words):
    vocab, merges = made
    same_as_alone(BPE(vocab, None, merges), words, level)


def byte_vocab(merges):
    """256 bytes, each as a character of two, and what ``merges`` make; ids in a strange order."""
    vocab = {chr(256 + byte): 3 * (byte ^ 0x55) for byte in range(256)}
    for left, right in merges:
        vocab.setdefault(left + right, 1000 + len(vocab))
    return vocab


def byte_model(merges):
    vocab = byte_vocab(merges)
    contents = {token: bytes(ord(c) - 256 for c in token) for token in vocab}
    return BPE(vocab, contents, [list(merge) for merge in merges])


@st.composite
def byte_merges(draw):
    """Merges of a byte-level model; in one order out of two, what they make rises with them."""
    tokens = [chr(256 + byte) for byte in b"ab \x00\xff"]
    merges = []
    for _ in range(draw(st.integers(0, 30))):
        merge = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        if merge not in merges and sum(map(len, merge)) <= 12:
            merges.append(merge)
            if "".join(merge) not in tokens:
                tokens.append("".join(merge))
    return merges if draw(st.booleans()) else draw(st.permutations(merges))


byte_words = st.lists(st.sampled_from(b"ab \x00\xffz"), min_size=1, max_size=31).map(bytes)


@each_level
@settings(max_examples=150)
@given(merges=byte_merges(), words=st.lists(byte_words, min_size=1, max_size=40))
def test_byte_level_words_side_by_side(level, merges, words):
    same_as_alone(byte_model(merges), words, level)


@each_level
def test_a_whole_batch_side_by_side(level):
    words = [bytes([97 + i % 2] * (1 + i % 31)) for i in range(256)]
    a, b = chr(256 + 97), chr(256 + 98)
    merges = [(a, a), (a * 2, a * 2), (b, b), (b * 2, b), (a * 4, a * 4), (b * 3, b * 3)]
    same_as_alone(byte_model(merges), words, level)


def test_what_does_not_merge_plainly_is_left_out():
    shared = BPE({"a": 0, "b": 1, "ab": 1}, None, ["a b"])
    assert shared.remembered([b"ab"], 0) == [None]


@st.composite
def byte_merges(draw):
    """Merges of tokens made before or, now and then, after: some block others of lower ranks."""
    made = [chr(256 + byte) for byte in b"abcd\x00\xe4"]
    merges = []
    for _ in range(draw(st.integers(1, 40))):
        merge = (draw(st.sampled_from(made)), draw(st.sampled_from(made)))
        if merge not in merges and len("".join(merge)) <= 20:
            merges.append(merge)
            made.append("".join(merge))
    return draw(st.one_of(st.just(merges), st.permutations(merges)))


@settings(max_examples=400)
@given(byte_merges(), st.booleans())
def test_words_that_are_one_token_are_those_that_merging_gives_back(merges, ignore_merges):
    vocab = byte_vocab(merges)
    contents = {token: bytes(ord(c) - 256 for c in token) for token in vocab}
    spelled = [list(merge) for merge in merges]
    model = BPE(vocab, contents, spelled, ignore_merges=ignore_merges)
    merged = BPE(vocab, contents, spelled)
    for word, token_id in model.single_words().items():
        assert [i for i, _ in merged.tokenize(word)] == [token_id]


def test_most_words_that_are_one_token_are_found():
    """All that merging gives back, but for lines that are full."""
    draw = random.Random(1)
    tokens = {chr(256 + byte): -1 for byte in range(256)}
    merges = []
    while len(merges) < 3000:
        left, right = draw.choices(list(tokens)[96:], k=2)
        if left + right not in tokens:
            tokens[left + right] = len(merges)
            merges.append((left, right))
    model = byte_model(merges)
    words = [bytes(ord(c) - 256 for c in token) for token in tokens]
    single = {w for w in words if len(w) <= 12 and len(model.tokenize(w)) == 1}
    found = set(model.single_words())
    assert found <= single
    assert len(single) > 1000
    assert len(found) > 0.8 * len(single)
    assert from_tables(to_tables(model)).single_words() == model.single_words()


@each_level
def test_words_beside_tokens_are_not_taken_for_them(level):
    """NUL is a byte of a word, and no padding; thirteen bytes are no twelve."""
    letters = [chr(256 + byte) for byte in b"abcdefghijklmnop"]
    merges = [("".join(letters[:n]), letters[n]) for n in range(1, 16) if n != 10]
    merges[9:9] = [("".join(letters[:10]), letters[10]), (chr(256 + 98), chr(256))]
    model = byte_model(merges)
    found = model.single_words()
    assert b"abcdefghijkl" in found
    assert b"abcdefghijklm" not in found
    assert b"b\0" in found
    words = [b"abcdefghijklmnop"[:n] + bytes(k) for n in range(1, 17) for k in range(2)]
    same_as_alone(model, words, level)


@pytest.mark.parametrize("words", [[b""], [b"a" * 32], [b"a"] * 257])
def test_what_is_no_batch_is_refused(words):
    with pytest.raises(ValueError, match=r"1 to 31|at most 256"):
        byte_model([]).remembered(words, 0)


@st.composite
def ranked_tokens(draw):
    """Tokens in order of rank and, as in files made from ranks, all merges that make them."""
    tokens = list("abc")
    for _ in range(draw(st.integers(1, 30))):
        token = draw(st.sampled_from(tokens)) + draw(st.sampled_from(tokens))
        if len(token) <= 40 and token not in tokens:
            tokens.append(token)
    tokens[3:] = draw(st.permutations(tokens[3:]))
    merges = [
        (token[:at], token[at:])
        for token in tokens[3:]
        for at in range(1, len(token))
        if token[:at] in tokens and token[at:] in tokens
    ]
    return {token: i for i, token in enumerate(tokens)}, merges


@settings(max_examples=400)
@given(ranked_tokens(), st.text("abc", max_size=90), st.booleans())
def test_merges_that_are_never_applied_are_dropped(made, word, ignore_merges):
    vocab, merges = made
    contents = {token: token.encode() for token in vocab}
    model = BPE(vocab, contents, merges, ignore_merges=ignore_merges)
    expected = reference(vocab, merges, ignore_merges=ignore_merges)
    assert model.tokenize(word.encode()) == ids_and_lengths(expected, word)
    joined = BPE(vocab, contents, [], joins=list(vocab), ignore_merges=ignore_merges)
    assert joined.tokenize(word.encode()) == model.tokenize(word.encode())
    if len(merges) > len(vocab) + len(vocab) // 8:
        assert len(model.merges()) < len(vocab)


def many_ranked_tokens(seed):
    """As ranked_tokens, hundreds of them, over two letters."""
    draw = random.Random(seed)
    tokens = ["".join(letters) for n in range(2, 8) for letters in product("ab", repeat=n)]
    tokens = ["a", "b", "c", *draw.sample(tokens, 200)]
    known = set(tokens)
    merges = [
        (token[:at], token[at:])
        for token in tokens
        for at in range(1, len(token))
        if token[:at] in known and token[at:] in known
    ]
    return {token: i for i, token in enumerate(tokens)}, merges


UNKNOWN = [
    {},
    {"unk_token": "<unk>"},
    {"unk_token": "<unk>", "fuse_unk": True},
    {"unk_token": "b"},
    {"unk_token": "<unk>", "byte_fallback": True},
]


@pytest.mark.parametrize("options", UNKNOWN, ids=str)
@pytest.mark.parametrize("odd", [False, True])
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.lists(st.text("abcdé", min_size=1, max_size=60), min_size=5))
def test_merges_over_characters_that_are_never_applied(options, odd, seed, words):
    """``odd``: merges of what unknown characters become, whose text is not what it stands for."""
    vocab, merges = many_ranked_tokens(seed)
    extra = ["<unk>"] if options.get("unk_token") == "<unk>" else []
    if options.get("byte_fallback"):
        extra += [f"<0x{byte:02X}>" for byte in range(256)]
    vocab |= {token: 1000 + i for i, token in enumerate(extra)}
    if odd and extra:
        merges[:0] = [(extra[-1], "a"), ("a", extra[0])]
        vocab |= {left + right: 2000 + i for i, (left, right) in enumerate(merges[:2])}
    model, expected = BPE(vocab, None, merges, **options), reference(vocab, merges, **options)
    for word in words:
        assert model.tokenize(word.encode()) == ids_and_lengths(expected, word)


def test_merges_over_characters_are_few():
    vocab, merges = many_ranked_tokens(0)
    assert len(BPE(vocab | {"<unk>": 500}, None, merges, unk_token="<unk>").merges()) < len(vocab)


@pytest.mark.parametrize("gap", [False, True])
def test_ranks_follow_the_tokens(gap):
    """Also where a token is among them that no merge gives back."""
    vocab, merges = many_ranked_tokens(1)
    if gap:
        vocab = {token: 2 * i for token, i in vocab.items()}
    contents = {token: token.encode() for token in vocab}
    made = [made for _, _, _, made in BPE(vocab, contents, merges).merges()]
    assert made == sorted(set(made))


def characters(count):
    return [chr(0x4E00 + i) for i in range(count)]


@pytest.mark.parametrize("count", [1, 13, 40, 3000])
def test_every_pair_is_in_the_table(count):
    letters = characters(60)
    merges = [(letters[i // 60], letters[i % 60]) for i in range(count)]
    vocab = {token: i for i, token in enumerate(letters + [a + b for a, b in merges])}
    found = BPE(vocab, None, [list(merge) for merge in merges]).merges()
    assert [(rank, left, right) for rank, left, right, _ in found] == [
        (rank, vocab[a], vocab[b]) for rank, (a, b) in enumerate(merges)
    ]


def test_pairs_that_hash_alike_are_all_found():
    # Twelve pairs that want the same four entries: the table is made anew with another hash.
    letters = characters(100)
    size, bits, groups = 112, 4, {}
    for left in range(100):
        for right in range(100):
            key = left << size.bit_length() | right
            hashed = key * 0x9E3779B97F4A7C15 % 2**64
            places = hashed >> (64 - bits), (hashed >> (64 - 2 * bits)) % 2**bits
            groups.setdefault(places, []).append((letters[left], letters[right]))
    merges = next(group[:12] for group in groups.values() if len(group) > 12)
    vocab = {token: i for i, token in enumerate(letters + [a + b for a, b in merges])}
    model = BPE(vocab, None, [list(merge) for merge in merges])
    assert len(model.merges()) == 12
    assert all(len(model.tokenize((a + b).encode())) == 1 for a, b in merges)


# Characters of two, three and four bytes that share some of them.
CHARACTERS = "aéäŉ你佤佽😀😽"
CHARACTER_BYTES = sorted(set(CHARACTERS.encode()))


@st.composite
def character_merges(draw):
    """Merges that make whole characters, most of them first, and join parts of others."""
    merges = []
    for char in draw(st.lists(st.sampled_from(CHARACTERS[1:]), unique=True)):
        made = [chr(256 + byte) for byte in char.encode()]
        while len(made) > 1:
            at = draw(st.integers(0, len(made) - 2))
            if (made[at], made[at + 1]) not in merges:
                merges.append((made[at], made[at + 1]))
            made[at : at + 2] = [made[at] + made[at + 1]]
    tokens = [chr(256 + byte) for byte in CHARACTER_BYTES] + [a + b for a, b in merges]
    for _ in range(draw(st.integers(0, 12))):
        merge = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        if merge not in merges and sum(map(len, merge)) <= 9:
            merges.append(merge)
            tokens.append("".join(merge))
    for _ in range(draw(st.integers(0, 4)) if merges else 0):
        merges.insert(draw(st.integers(0, len(merges))), merges.pop())
    return merges


def of_bytes(model, word):
    """What the reference makes of bytes that stand as characters of two bytes each."""
    found = ids_and_lengths(model, "".join(chr(256 + byte) for byte in word))
    return [(token, length // 2) for token, length in found]


@settings(max_examples=400)
@given(character_merges(), st.lists(st.text(CHARACTERS, min_size=1, max_size=10), min_size=1))
def test_words_that_begin_with_whole_characters(merges, texts):
    theirs = reference(byte_vocab(merges), merges)
    model = byte_model(merges)
    for text in texts:
        assert model.tokenize(text.encode()) == of_bytes(theirs, text.encode())
    words = [text.encode() for text in texts if len(text.encode()) <= 31][:256]
    for level in levels():
        same_as_alone(model, words, level)


@given(st.lists(st.sampled_from(CHARACTER_BYTES), max_size=40).map(bytes), character_merges())
def test_bytes_that_are_no_text(word, merges):
    assert byte_model(merges).tokenize(word) == of_bytes(
        reference(byte_vocab(merges), merges), word
    )
