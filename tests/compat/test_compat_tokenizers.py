"""compat.tokenizers, every call made to it and to the library whose interface it has."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from trained import CORPUS, FAMILIES, HARD

from textcore.compat import tokenizers as compat

FIELDS = (
    "ids", "type_ids", "tokens", "offsets", "attention_mask", "special_tokens_mask",
    "word_ids", "sequence_ids", "n_sequences",
)  # fmt: skip


def facts(encoding: Any) -> dict[str, Any]:
    known = {name: getattr(encoding, name) for name in FIELDS}
    known["overflowing"] = [facts(piece) for piece in encoding.overflowing]
    return known


def both(family: str) -> tuple[Any, Any]:
    text = FAMILIES[family]().to_str()
    return compat.Tokenizer.from_str(text), tokenizers.Tokenizer.from_str(text)


@cache
def shared(family: str) -> tuple[Any, Any]:
    return both(family)


families = pytest.mark.parametrize("family", sorted(FAMILIES))


@families
def test_to_str_and_repr(family: str):
    ours, theirs = shared(family)
    assert ours.to_str() == theirs.to_str()
    assert ours.to_str(pretty=True) == theirs.to_str(pretty=True)
    assert repr(ours) == repr(theirs)
    assert str(ours) == str(theirs)


@families
def test_what_encode_gives(family: str):
    ours, theirs = shared(family)
    for text in HARD:
        for add in (True, False):
            got = ours.encode(text, "pair it", add_special_tokens=add)
            assert facts(got) == facts(theirs.encode(text, "pair it", add_special_tokens=add))


@families
def test_what_the_fast_batch_gives(family: str):
    ours, theirs = both(family)
    for each in (ours, theirs):
        each.enable_truncation(9, stride=1)
        each.enable_padding(pad_to_multiple_of=4)
    batch = [*CORPUS[:10], ("one of", "two of them"), ""]
    assert list(map(facts, ours.encode_batch_fast(batch))) == list(
        map(facts, theirs.encode_batch_fast(batch))
    )


@families
def test_decoding(family: str):
    ours, theirs = shared(family)
    batch = [theirs.encode(text).ids for text in [*CORPUS[:10], *HARD]] + [[100_000_000], [5, 3]]
    for skip in (True, False):
        assert ours.decode_batch(batch, skip) == theirs.decode_batch(batch, skip)
        assert [ours.decode(ids, skip) for ids in batch] == theirs.decode_batch(batch, skip)


def test_a_stream_gives_pieces_and_none_where_the_reference_does():
    for family in FAMILIES:
        ours, theirs = shared(family)
        for text in HARD:
            ids = theirs.encode(text[:120]).ids
            one, other = compat.decoders.DecodeStream(), tokenizers.decoders.DecodeStream()
            got = [one.step(ours, token) for token in ids]
            assert got == [other.step(theirs, token) for token in ids]


@families
def test_the_vocabulary(family: str):
    ours, theirs = shared(family)
    for with_added in (True, False):
        assert ours.get_vocab(with_added) == theirs.get_vocab(with_added)
        assert ours.get_vocab_size(with_added) == theirs.get_vocab_size(with_added)
    for token_id in range(theirs.get_vocab_size() + 2):
        assert ours.id_to_token(token_id) == theirs.id_to_token(token_id)
    for token in ("<s>", "a", "nothing of the kind"):
        assert ours.token_to_id(token) == theirs.token_to_id(token)
    ours_added = {i: t.__getstate__() for i, t in ours.get_added_tokens_decoder().items()}
    theirs_added = {i: t.__getstate__() for i, t in theirs.get_added_tokens_decoder().items()}
    assert ours_added == theirs_added


added_tokens = st.lists(
    st.tuples(
        st.sampled_from(["the", "qu", " fox", "<s>", "zz", "ZZ top", "é", "a", ""]),
        st.fixed_dictionaries(
            {
                name: st.booleans()
                for name in ("single_word", "lstrip", "rstrip", "normalized", "special")
            }
        ),
    ),
    max_size=4,
)


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(sorted(FAMILIES)),
    added_tokens,
    added_tokens,
    st.text(alphabet="the quick fox zzZZ top <s>éa", max_size=40),
    st.booleans(),
)
def test_adding_tokens(family: str, first: Any, second: Any, text: str, encode_special: bool):
    ours, theirs = both(family)
    for tokens, special in ((first, False), (second, True)):
        counts = []
        for library, each in ((compat, ours), (tokenizers, theirs)):
            made = [library.AddedToken(content, **flags) for content, flags in tokens]
            counts.append((each.add_special_tokens if special else each.add_tokens)(made))
        assert counts[0] == counts[1]
    ours.encode_special_tokens = theirs.encode_special_tokens = encode_special
    assert ours.to_str() == theirs.to_str()
    assert facts(ours.encode(text)) == facts(theirs.encode(text))
    ids = theirs.encode(text).ids
    assert ours.decode(ids) == theirs.decode(ids)


def test_a_component_that_changes_changes_the_tokenizer():
    ours, theirs = both("gpt2")
    for each in (ours, theirs):
        each.pre_tokenizer.add_prefix_space = False
    assert ours.encode("the fox").tokens == theirs.encode("the fox").tokens
    for library, each in ((compat, ours), (tokenizers, theirs)):
        each.normalizer = library.normalizers.Sequence([library.normalizers.Lowercase()])
        each.post_processor = None
    assert ours.encode("THE Fox").tokens == theirs.encode("THE Fox").tokens


def test_the_model_is_made_anew_for_another_pre_tokenizer():
    ours, theirs = both("qwen")
    for library, each in ((compat, ours), (tokenizers, theirs)):
        each.pre_tokenizer = library.pre_tokenizers.Whitespace()
    assert ours.encode("the quick ï fox").tokens == theirs.encode("the quick ï fox").tokens


MADE = [
    ("normalizers", "BertNormalizer", (), {}),
    ("normalizers", "ByteLevel", (), {}),
    ("normalizers", "Lowercase", (), {}),
    ("normalizers", "NFC", (), {}),
    ("normalizers", "NFKD", (), {}),
    ("normalizers", "Nmt", (), {}),
    ("normalizers", "Prepend", ("x",), {}),
    ("normalizers", "Replace", ("a", "b"), {}),
    ("normalizers", "Strip", (True, False), {}),
    ("normalizers", "StripAccents", (), {}),
    ("pre_tokenizers", "BertPreTokenizer", (), {}),
    ("pre_tokenizers", "ByteLevel", (), {"use_regex": False}),
    ("pre_tokenizers", "CharDelimiterSplit", ("-",), {}),
    ("pre_tokenizers", "Digits", (True,), {}),
    ("pre_tokenizers", "FixedLength", (3,), {}),
    ("pre_tokenizers", "Metaspace", ("_", "first", False), {}),
    ("pre_tokenizers", "Punctuation", ("merged_with_next",), {}),
    ("pre_tokenizers", "Split", ("a", "contiguous", True), {}),
    ("pre_tokenizers", "UnicodeScripts", (), {}),
    ("pre_tokenizers", "Whitespace", (), {}),
    ("pre_tokenizers", "WhitespaceSplit", (), {}),
    ("decoders", "BPEDecoder", (), {}),
    ("decoders", "ByteFallback", (), {}),
    ("decoders", "ByteLevel", (), {}),
    ("decoders", "CTC", (), {}),
    ("decoders", "Fuse", (), {}),
    ("decoders", "Metaspace", (), {"prepend_scheme": "never"}),
    ("decoders", "Replace", ("a", "b"), {}),
    ("decoders", "Strip", ("x", 1, 2), {}),
    ("decoders", "WordPiece", (), {}),
    ("processors", "BertProcessing", (("a", 1), ("b", 2)), {}),
    ("processors", "ByteLevel", (), {"trim_offsets": False}),
    ("processors", "RobertaProcessing", (("a", 1), ("b", 2)), {}),
    (
        "processors",
        "TemplateProcessing",
        (),
        {"single": "c $A:1 a", "pair": "$A $B:1 c:3", "special_tokens": [("c", 1), (7, "a")]},
    ),
    ("models", "BPE", ({"a": 0, "b": 1, "ab": 2}, [("a", "b")]), {"unk_token": "a"}),
    ("models", "Unigram", ([("a", 0.0), ("b", -1.5)], 0), {"byte_fallback": True}),
    ("models", "WordLevel", ({"a": 0, "b": 1},), {"unk_token": "a"}),
    ("models", "WordPiece", ({"a": 0, "##b": 1, "[UNK]": 2},), {}),
]


def made(library: Any, module: str, name: str, args: Any, options: Any) -> Any:
    return getattr(getattr(library, module), name)(*args, **options)


@pytest.mark.parametrize(("module", "name", "args", "options"), MADE)
def test_components(module: str, name: str, args: Any, options: Any):
    ours = made(compat, module, name, args, options)
    theirs = made(tokenizers, module, name, args, options)
    assert ours.__getstate__() == theirs.__getstate__()
    assert (repr(ours), str(ours)) == (repr(theirs), str(theirs))
    again = pickle.loads(pickle.dumps(ours))
    assert type(again) is type(ours)
    assert again.__getstate__() == ours.__getstate__()
    if module == "normalizers":
        assert [ours.normalize_str(text) for text in HARD] == [
            theirs.normalize_str(text) for text in HARD
        ]
    elif module == "pre_tokenizers":
        assert [ours.pre_tokenize_str(text) for text in HARD] == [
            theirs.pre_tokenize_str(text) for text in HARD
        ]
    elif module == "decoders":
        tokens = ["a", "▁b", "##c", "<0x61>", "d</w>", "xe"]
        assert ours.decode(tokens) == theirs.decode(tokens)
    elif module == "processors":
        assert ours.num_special_tokens_to_add(True) == theirs.num_special_tokens_to_add(True)
    else:
        got = [token.as_tuple() for token in ours.tokenize("ab")]
        assert got == [token.as_tuple() for token in theirs.tokenize("ab")]


WRONG = {
    "truncation strategy": lambda library, t: t.enable_truncation(2, strategy="x"),
    "truncation direction": lambda library, t: t.enable_truncation(2, direction="x"),
    "truncation stride": lambda library, t: t.enable_truncation(2, stride=5),
    "padding direction": lambda library, t: t.enable_padding(direction="x"),
    "no text": lambda library, t: t.encode(1),
    "words": lambda library, t: t.encode(["a"]),
    "no words": lambda library, t: t.encode("a", is_pretokenized=True),
    "a batch that is a text": lambda library, t: t.encode_batch("abc"),
    "a batch that is a number": lambda library, t: t.encode_batch(1),
    "three texts": lambda library, t: t.encode_batch([["a", "b", "c"]]),
    "texts for words": lambda library, t: t.encode_batch(["a"], is_pretokenized=True),
    "a text to decode": lambda library, t: t.decode("a"),
    "a token that is a number": lambda library, t: t.add_tokens([1]),
    "tokens that are a text": lambda library, t: t.add_tokens("ab"),
    "a normalizer": lambda library, t: setattr(t, "normalizer", 1),
    "a scheme": lambda library, t: library.pre_tokenizers.Metaspace(prepend_scheme="x"),
    "a behavior": lambda library, t: library.pre_tokenizers.Punctuation("x"),
    "a piece": lambda library, t: library.processors.TemplateProcessing(single="$X"),
    "a special": lambda library, t: library.processors.TemplateProcessing(single="a"),
    "a pair": lambda library, t: library.processors.TemplateProcessing(pair="$A"),
    "a delimiter": lambda library, t: library.pre_tokenizers.CharDelimiterSplit("ab"),
    "an index": lambda library, t: library.normalizers.Sequence([])[0],
    "vocab alone": lambda library, t: library.models.BPE({"a": 0}),
    "truncating": lambda library, t: t.encode("a").truncate(2, 0, "x"),
}


@pytest.mark.parametrize("what", WRONG)
def test_errors(what: str):
    ours, theirs = shared("qwen")
    with pytest.raises(Exception) as expected:  # noqa: PT011
        WRONG[what](tokenizers, theirs)
    with pytest.raises(expected.type) as found:
        WRONG[what](compat, ours)
    assert str(found.value) == str(expected.value)


def test_signatures():
    for name, theirs in inspect.getmembers(tokenizers.Tokenizer):
        if name.startswith("_") or not callable(theirs):
            continue
        ours = getattr(compat.Tokenizer, name)
        wanted = list(inspect.signature(theirs).parameters)
        got = [p for p in inspect.signature(ours).parameters if p != "unknown"]
        assert got[: len(wanted)] == wanted or "kwargs" in str(wanted), name


def test_copies_are_equal_and_their_own():
    ours, _ = both("gpt2")
    for again in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        assert again.to_str() == ours.to_str()
        again.add_tokens(["fresh"])
        assert ours.token_to_id("fresh") is None


def test_files(tmp_path: Path):
    ours, theirs = shared("sentencepiece")
    ours.save(str(tmp_path / "ours.json"))
    theirs.save(str(tmp_path / "theirs.json"))
    assert (tmp_path / "ours.json").read_bytes() == (tmp_path / "theirs.json").read_bytes()
    again = compat.Tokenizer.from_file(str(tmp_path / "ours.json"))
    assert again.to_str() == ours.to_str()
    assert compat.Tokenizer.from_buffer(ours.to_str().encode()).to_str() == ours.to_str()


def test_async():
    ours, _ = shared("gpt2")

    async def run() -> None:
        assert (await ours.async_encode("a fox")).ids == ours.encode("a fox").ids
        (one,) = await ours.async_encode_batch(["a fox"])
        assert one.tokens == ours.encode("a fox").tokens
        (fast,) = await ours.async_encode_batch_fast(["a fox"])
        assert fast.ids == one.ids
        assert await ours.async_decode_batch([one.ids]) == ours.decode_batch([one.ids])

    asyncio.run(run())


def test_post_process():
    ours, theirs = both("gpt2")
    got = []
    for each in (ours, theirs):
        one, two = (each.encode(text, add_special_tokens=False) for text in ("a fox", "dog"))
        each.enable_padding(length=12)
        got.append(facts(each.post_process(one, two)))
    assert got[0] == got[1]


def test_training_is_refused():
    ours, _ = shared("gpt2")
    with pytest.raises(NotImplementedError, match="does not train"):
        ours.train_from_iterator(["a"])


def test_components_written_in_python():
    class Shout:
        def normalize(self, normalized: Any) -> None:
            normalized.uppercase()

    class Halves:
        def pre_tokenize(self, pretok: Any) -> None:
            pretok.split(lambda _, piece: [piece[: len(str(piece)) // 2], piece[2:]])

    class Join:
        def decode_chain(self, tokens: list[str]) -> list[str]:
            return ["-".join(tokens)]

    found = []
    for library in (compat, tokenizers):
        model = library.models.WordLevel({"AB": 0, "CD": 1, "x": 2}, unk_token="x")
        tokenizer = library.Tokenizer(model)
        tokenizer.normalizer = library.normalizers.Normalizer.custom(Shout())
        tokenizer.pre_tokenizer = library.pre_tokenizers.PreTokenizer.custom(Halves())
        tokenizer.decoder = library.decoders.Decoder.custom(Join())
        encoding = tokenizer.encode("abcd")
        found.append((encoding.tokens, encoding.offsets, tokenizer.decode(encoding.ids)))
    assert found[0] == found[1] == (["AB", "CD"], [(0, 2), (2, 4)], "AB-CD")


def test_older_files_without_types():
    data = json.loads(FAMILIES["sentencepiece"]().to_str())
    del data["model"]["type"]
    data["model"]["merges"] = [" ".join(pair) for pair in data["model"]["merges"]]
    text = json.dumps(data)
    ours, theirs = compat.Tokenizer.from_str(text), tokenizers.Tokenizer.from_str(text)
    assert ours.to_str() == theirs.to_str()


def special_pair() -> tuple[Any, Any]:
    vocab = {"a": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3}
    made = []
    for library in (compat, tokenizers):
        tokenizer = library.Tokenizer(library.models.WordLevel(vocab, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = library.pre_tokenizers.Whitespace()
        tokenizer.post_processor = library.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        made.append(tokenizer)
    return made[0], made[1]


@pytest.mark.parametrize("length", range(4))
def test_special_tokens_alone_are_longer_than_what_is_kept(length: int) -> None:
    """Then nothing is cut, as in the original, whose difference is a large unsigned number."""
    found = []
    for tokenizer in special_pair():
        tokenizer.enable_truncation(max_length=length)
        found.append(
            [
                tokenizer.encode("a a a").ids,
                tokenizer.encode("a a a", "a a").ids,
                tokenizer.encode("a a a", add_special_tokens=False).ids,
            ]
        )
    assert found[0] == found[1]


def test_options_of_cutting_and_filling_are_keywords() -> None:
    for tokenizer in special_pair():
        with pytest.raises(TypeError):
            tokenizer.enable_truncation(3, 1)
        with pytest.raises(TypeError):
            tokenizer.enable_padding("left")


def test_normalized_tokens_added_to_a_vocabulary_with_gaps() -> None:
    model = {"type": "BPE", "vocab": {"a": 0, "b": 5, "[": 9, "c": 12}, "merges": []}
    old = {"id": 4, "content": "b", "single_word": False, "lstrip": False, "rstrip": False}
    spec = {
        "added_tokens": [{**old, "normalized": False, "special": True}],
        "normalizer": {"type": "Prepend", "prepend": "b"},
        "model": model,
    }
    found = []
    for library in (compat, tokenizers):
        tokenizer = library.Tokenizer.from_str(json.dumps({"version": "1.0", **spec}))
        tokenizer.add_tokens([library.AddedToken("[c", normalized=True), "ab"])
        encoding = tokenizer.encode("[c ab")
        found.append((encoding.ids, encoding.tokens, tokenizer.get_vocab_size()))
    assert found[0] == found[1]
    assert found[0][1][0] == "b[c"


def test_pieces_of_a_unigram_model_that_are_there_twice_are_counted() -> None:
    pieces = [("<unk>", 0.0), ("a", -1.0), ("a", -2.0)]
    assert len({
        library.Tokenizer(library.models.Unigram(pieces, 0)).get_vocab_size()
        for library in (compat, tokenizers)
    }) == 1  # fmt: skip
