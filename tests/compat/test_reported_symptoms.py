"""What users have reported of tokenizer libraries, done with both: the same answer each time."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import tokenizers

from textcore.compat import tokenizers as compat


def byte_level(lib: Any, merges: list[str] | None = None, **options: Any) -> Any:
    """A byte-level BPE tokenizer over all bytes and some merges."""
    pairs = [tuple(pair.split("+")) for pair in merges or ["h+e", "l+l", "he+ll", "Ġ+he"]]
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    tokens = [*alphabet, *dict.fromkeys(left + right for left, right in pairs)]
    vocab = {token: index for index, token in enumerate(tokens)}
    tokenizer = lib.Tokenizer(lib.models.BPE(vocab, pairs, **options))
    tokenizer.pre_tokenizer = lib.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = lib.decoders.ByteLevel()
    return tokenizer


def word_piece(lib: Any) -> Any:
    """A BERT-like tokenizer."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "hello", "naive", "world", "##s"]
    words += ["*", ".", ",", "##a", "は", "株", "x", "##x"]
    vocab = {word: index for index, word in enumerate(words)}
    tokenizer = lib.Tokenizer(lib.models.WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.normalizer = lib.normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = lib.pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = lib.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.decoder = lib.decoders.WordPiece()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    return tokenizer


def llama(lib: Any, scheme: str = "first", **metaspace: Any) -> Any:
    """A Llama-like tokenizer: byte fallback, a mark for each space."""
    names = [f"<0x{value:02X}>" for value in range(256)]
    tokens = ["<unk>", "<s>", "</s>", *names, "▁", *"abehiloUS", "he", "ll", "▁he", "▁▁", "hi"]
    merges = [("h", "e"), ("l", "l"), ("▁", "he"), ("▁", "▁"), ("h", "i")]
    vocab = {token: index for index, token in enumerate(tokens)}
    model = lib.models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    tokenizer = lib.Tokenizer(model)
    tokenizer.pre_tokenizer = lib.pre_tokenizers.Metaspace(
        prepend_scheme=scheme, split=False, **metaspace
    )
    tokenizer.decoder = lib.decoders.Sequence(
        [
            lib.decoders.Replace("▁", " "),
            lib.decoders.ByteFallback(),
            lib.decoders.Fuse(),
            lib.decoders.Strip(" ", 1, 0),
        ]
    )
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    return tokenizer


def facts(encoding: Any) -> tuple[Any, ...]:
    return encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids, encoding.type_ids


def unigram(lib: Any, pieces: list[tuple[str, float]], **options: Any) -> Any:
    return lib.Tokenizer(lib.models.Unigram(pieces, **options))


def grown(tokenizer: Any, lib: Any, *tokens: Any, special: bool = False, **flags: Any) -> Any:
    add = tokenizer.add_special_tokens if special else tokenizer.add_tokens
    add([lib.AddedToken(token, **flags) for token in tokens])
    return tokenizer


def stream(lib: Any, tokenizer: Any, ids: list[int], **options: Any) -> list[str | None]:
    steps = lib.decoders.DecodeStream(**options)
    return [steps.step(tokenizer, token_id) for token_id in ids]


def sliced(lib: Any) -> Any:
    text = lib.NormalizedString("hello big world")
    part = text[6:9]
    part.replace(lib.Regex("^.*$"), "BIGGER")
    return str(part), part.normalized, part.original, text.normalized


def template(lib: Any, pair: bool) -> Any:
    tokenizer = word_piece(lib)
    tokenizer.post_processor = lib.processors.TemplateProcessing(
        single="[CLS] $A:1 [SEP]:1",
        pair="[CLS] $B:2 [SEP] $A [SEP]:3",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return facts(tokenizer.encode("hello a", "world" if pair else None))


def reloaded(lib: Any, tokenizer: Any) -> Any:
    return lib.Tokenizer.from_str(tokenizer.to_str())


def changed(lib: Any, tokenizer: Any, **model: Any) -> Any:
    """A tokenizer whose file says something else of its model."""
    spec = json.loads(tokenizer.to_str())
    spec["model"].update(model)
    return lib.Tokenizer.from_str(json.dumps(spec))


def cut(tokenizer: Any, text: str, *pair: str, **options: Any) -> Any:
    tokenizer.enable_truncation(**options)
    encoding = tokenizer.encode(text, *pair)
    return facts(encoding), [facts(part) for part in encoding.overflowing]


def padded(tokenizer: Any, **options: Any) -> Any:
    tokenizer.enable_padding(**options)
    batch = tokenizer.encode_batch(["a", "hello worlds a"])
    return [(facts(each), each.attention_mask) for each in batch]


def split(lib: Any, pattern: Any, behavior: str, invert: bool, text: str) -> Any:
    return lib.pre_tokenizers.Split(pattern, behavior, invert).pre_tokenize_str(text)


MASK = {"lstrip": True, "special": True}
SYMPTOMS: dict[str, Callable[[Any], Any]] = {
    "a mask that takes the space before it": lambda lib: facts(
        grown(byte_level(lib), lib, "<mask>", **MASK).encode("he, <mask> hell")
    ),
    "offsets behind a mask and an accent": lambda lib: facts(
        word_piece(lib).encode("A, naïve [MASK] hello.")
    ),
    "offsets behind added tokens": lambda lib: facts(
        grown(word_piece(lib), lib, "***").encode("hello *** world")
    ),
    "offsets of words that are whole": lambda lib: facts(
        changed(lib, byte_level(lib), ignore_merges=True).encode(" hell hehell")
    ),
    "offsets with a space put before text behind a token": lambda lib: facts(
        _prefixed(lib).encode("<dev>hell-1</dev> hell")
    ),
    "accents of kana": lambda lib: facts(word_piece(lib).encode("バ株式 で")),
    "replacing in a slice": sliced,
    "a split by text that looks like a pattern": lambda lib: split(
        lib, r"\w+|[^\w\s]+", "isolated", False, r"a \w+|[^\w\s]+ b"
    ),
    "a split by pattern, reloaded": lambda lib: _resplit(lib),
    "an end token in the middle": lambda lib: facts(llama(lib).encode("abs</s>US")),
    "a text that begins with a token": lambda lib: facts(llama(lib).encode("<s>hello")),
    "always a mark behind tokens": lambda lib: facts(llama(lib, "always").encode("<s>hi</s> he")),
    "never a mark": lambda lib: facts(llama(lib, "never").encode("hi<s>  hi")),
    "spaces behind tokens when decoding": lambda lib: [
        llama(lib).decode(ids, skip_special_tokens=skip)
        for ids in (llama(lib).encode("<s>hi</s> hi").ids, [1, 277])
        for skip in (True, False)
    ],
    "bytes that are no text": lambda lib: llama(lib).decode([3 + 0xE4, 3 + 0xBD, 270, 3 + 0xFF]),
    "a stream of bytes": lambda lib: stream(
        lib, llama(lib), [1, *llama(lib).encode("hi 你好 he").ids], skip_special_tokens=True
    ),
    "a stream that begins with tokens": lambda lib: stream(
        lib, llama(lib), [1, 1, 2, 277], skip_special_tokens=False
    ),
    "a token that holds another": lambda lib: facts(
        grown(byte_level(lib), lib, "<a>", "<a><b>", "<b>").encode("<a><b><b><a>")
    ),
    "a word only where it stands alone": lambda lib: facts(
        grown(byte_level(lib), lib, "ell", single_word=True).encode("hell ell, ell_ ell")
    ),
    "spaces on both sides": lambda lib: facts(
        grown(byte_level(lib), lib, "<x>", lstrip=True, rstrip=True).encode("he  <x> \n he<x>")
    ),
    "a token in normalized form": lambda lib: facts(
        grown(word_piece(lib), lib, "Été", "NEW", normalized=True).encode("ete été new NEW")
    ),
    "a token as it is": lambda lib: facts(
        grown(word_piece(lib), lib, "NEW", normalized=False).encode("new NEW")
    ),
    "a token that is added twice": lambda lib: [
        (t := byte_level(lib)).add_tokens(["he", "new", "new"]),
        t.add_special_tokens(["new"]),
        t.get_vocab_size(),
        t.token_to_id("new"),
        t.decode([t.token_to_id("new")]),
    ],
    "ids with gaps": lambda lib: _gaps(lib),
    "ids that there are not": lambda lib: byte_level(lib).decode([5, 100000, 6]),
    "an empty text": lambda lib: [facts(make(lib).encode("")) for make in (word_piece, llama)],
    "an empty vocabulary": lambda lib: facts(lib.Tokenizer(lib.models.BPE()).encode("abc")),
    "zero bytes and marks of order": lambda lib: [
        facts(make(lib).encode("a\x00b\ufeffhi\ufeff")) for make in (byte_level, word_piece, llama)
    ],
    "a very long word": lambda lib: [
        facts(word_piece(lib).encode("x" * length + " a")) for length in (99, 100, 101)
    ],
    "unknown characters, joined or not": lambda lib: [
        facts(_unknown(lib, fuse).encode("aéüa 🙂🙂")) for fuse in (True, False)
    ],
    "unknown pieces of a Unigram model": lambda lib: facts(
        unigram(lib, [("<unk>", 0.0), ("a", -1.0), ("ab", -1.5)], unk_id=0).encode("abzzab日本")
    ),
    "bytes of a Unigram model": lambda lib: facts(
        unigram(
            lib,
            [("<unk>", 0.0), ("a", -1.0), *((f"<0x{i:02X}>", -9.0) for i in range(256))],
            unk_id=0,
            byte_fallback=True,
        ).encode("aéa日")
    ),
    "a template with the second first": lambda lib: [
        template(lib, pair) for pair in (True, False)
    ],
    "pieces that overlap": lambda lib: cut(
        word_piece(lib), "hello a world a hello", max_length=5, stride=1
    ),
    "pieces of the second of a pair": lambda lib: cut(
        word_piece(lib), "a hello", "a a world hello", max_length=7, strategy="only_second"
    ),
    "pieces from the left": lambda lib: cut(
        word_piece(lib), "hello a world a", max_length=4, direction="left"
    ),
    "type ids of what is cut off": lambda lib: _typed_cut(lib),
    "filled from the left, to a multiple": lambda lib: padded(
        word_piece(lib), direction="left", pad_to_multiple_of=8, pad_id=7, pad_token="#"
    ),
    "words that are given": lambda lib: facts(
        word_piece(lib).encode(["hello", "worlds", "", "[MASK]"], is_pretokenized=True)
    ),
    "decoders, cleaned up": lambda lib: [
        word_piece(lib).decode([6, 11, 8, 9, 10, 13]),
        lib.decoders.WordPiece(cleanup=True).decode(["do", "##n't", "n't", "!", "'s", "."]),
        lib.decoders.CTC().decode(["<pad>", "h", "h", "<pad>", "h", "|", "|", "i"]),
        lib.decoders.Metaspace(prepend_scheme="never").decode(["▁a", "▁▁b"]),
        lib.decoders.BPEDecoder().decode(["he</w>", "l", "l</w>"]),
        lib.decoders.Strip(" ", 1, 2).decode(["  a  ", "a   "]),
    ],
    "splits of every kind": lambda lib: [
        split(lib, lib.Regex(r"\s+|,"), behavior, invert, " a, b  c,")
        for behavior in (
            *("removed", "isolated", "merged_with_previous", "merged_with_next"),
            "contiguous",
        )
        for invert in (False, True)
    ],
    "a byte-level prefix with a sequence": lambda lib: _sequence(lib),
    "tokens that are cut in encoding": lambda lib: _split_special(lib),
    "merges whose parts have spaces": lambda lib: _spaced_merges(lib),
    "a subword prefix": lambda lib: facts(_subword(lib).encode("abab ba b")),
    "copies": lambda lib: [
        facts(each.encode("hello [MASK] a"))
        for tokenizer in [word_piece(lib)]
        for each in (
            copy.deepcopy(tokenizer),
            pickle.loads(pickle.dumps(tokenizer)),
            reloaded(lib, tokenizer),
        )
    ],
}


def _typed_cut(lib: Any) -> Any:
    tokenizer = word_piece(lib)
    tokenizer.post_processor = lib.processors.TemplateProcessing(
        single="[CLS] $A:2 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_truncation(max_length=4, stride=1)
    tokenizer.enable_padding(length=6, direction="left")
    found = []
    for add in (True, False):
        encoding = tokenizer.encode("hello a world a hello a", add_special_tokens=add)
        for part in (encoding, *encoding.overflowing):
            found.append((facts(part), part.sequence_ids, part.special_tokens_mask))
    return found


def _prefixed(lib: Any) -> Any:
    tokenizer = grown(byte_level(lib), lib, "<dev>", "</dev>", special=True)
    tokenizer.pre_tokenizer = lib.pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.post_processor = lib.processors.RobertaProcessing(("b", 66), ("a", 65))
    return tokenizer


def _resplit(lib: Any) -> Any:
    tokenizer = byte_level(lib)
    tokenizer.pre_tokenizer = lib.pre_tokenizers.Split(lib.Regex(r"\w+|[^\w\s]+"), "isolated")
    return reloaded(lib, tokenizer).to_str(), facts(tokenizer.encode("h, ell"))


def _gaps(lib: Any) -> Any:
    tokenizer = lib.Tokenizer(lib.models.BPE({"a": 0, "b": 10, "ab": 4}, [("a", "b")]))
    tokenizer.add_tokens(["x", "b"])
    ids = tokenizer.get_vocab()
    return sorted(ids.items()), tokenizer.get_vocab_size(), facts(tokenizer.encode("abxba"))


def _unknown(lib: Any, fuse: bool) -> Any:
    vocab = {"<unk>": 0, "a": 1, " ": 2}
    return lib.Tokenizer(lib.models.BPE(vocab, [], unk_token="<unk>", fuse_unk=fuse))


def _sequence(lib: Any) -> Any:
    tokenizer = byte_level(lib)
    tokenizer.pre_tokenizer = lib.pre_tokenizers.Sequence(
        [
            lib.pre_tokenizers.Digits(individual_digits=True),
            lib.pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=False),
        ]
    )
    tokenizer.post_processor = lib.processors.ByteLevel(trim_offsets=True)
    return facts(tokenizer.encode("he12 hell"))


def _split_special(lib: Any) -> Any:
    tokenizer = word_piece(lib)
    tokenizer.encode_special_tokens = True
    return facts(tokenizer.encode("hello [MASK]"))


def _spaced_merges(lib: Any) -> Any:
    vocab = {" ": 0, "a": 1, " a": 2, " a a": 3, "  ": 4}
    merges = [(" ", "a"), (" a", " a"), (" ", " ")]
    tokenizer = lib.Tokenizer(lib.models.BPE(vocab, merges))
    return facts(reloaded(lib, tokenizer).encode(" a a  a")), tokenizer.to_str()


def _subword(lib: Any) -> Any:
    vocab = {"a": 0, "b": 1, "##a": 2, "##b": 3, "ab": 4, "##ab": 5}
    model = lib.models.BPE(vocab, [("a", "##b"), ("##a", "##b")], continuing_subword_prefix="##")
    tokenizer = lib.Tokenizer(model)
    tokenizer.pre_tokenizer = lib.pre_tokenizers.WhitespaceSplit()
    return tokenizer


@pytest.mark.parametrize("symptom", SYMPTOMS)
def test_both_libraries_answer_alike(symptom: str) -> None:
    assert SYMPTOMS[symptom](compat) == SYMPTOMS[symptom](tokenizers)
