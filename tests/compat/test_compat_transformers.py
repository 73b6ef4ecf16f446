"""compat.transformers: fast tokenizers patched, against themselves unpatched."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import transformers
from trained import FAMILIES
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from textcore.compat import transformers as compat
from textcore.compat.tokenizers import Tokenizer
from textcore.pipeline.aligned import AlignedPath

TEXTS = [
    "Hello, world! It's 2026.\n\n  def f(x): return x",
    "日本語テスト 👍🏽 éè the quick brown fox",
    "<s> a </s><|im_start|>user",
]
TEMPLATE = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}\n{% endfor %}"


def write(folder: Path, family: str) -> Path:
    (folder / "tokenizer.json").write_text(FAMILIES[family]().to_str(), encoding="utf-8")
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "pad_token": "<s>",
        "unk_token": "<s>",
        "chat_template": TEMPLATE,
        "model_max_length": 512,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


@pytest.fixture(scope="module", params=sorted(FAMILIES))
def pair(request: Any, tmp_path_factory: Any) -> Iterator[tuple[Any, Any]]:
    folder = write(tmp_path_factory.mktemp(request.param), request.param)
    theirs = AutoTokenizer.from_pretrained(str(folder))
    with compat.patched():
        ours = AutoTokenizer.from_pretrained(str(folder))
    return ours, theirs


def lists(encoded: Any) -> dict[str, Any]:
    return {name: getattr(value, "tolist", lambda value=value: value)()
            for name, value in encoded.items()}  # fmt: skip


def grown(tokenizer: Any) -> Any:
    tokenizer = copy.deepcopy(tokenizer)
    added = tokenizer.add_tokens(["brand_new", "quick"])
    special = tokenizer.add_special_tokens({"additional_special_tokens": ["<zz>"]})
    return added, special, tokenizer("a brand_new <zz> quick fox")["input_ids"], len(tokenizer)


MESSAGES = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "the fox"}]
CALLS: dict[str, Callable[[Any], Any]] = {
    "call": lambda t: lists(t(TEXTS)),
    "one": lambda t: lists(t(TEXTS[0])),
    "pair": lambda t: lists(t(TEXTS[0], TEXTS[1])),
    "padded": lambda t: lists(t(TEXTS, padding=True, truncation=True, max_length=12)),
    "fixed": lambda t: lists(t(TEXTS, padding="max_length", max_length=300, truncation=True)),
    "multiple": lambda t: lists(t(TEXTS, padding=True, pad_to_multiple_of=8)),
    "arrays": lambda t: lists(t(TEXTS, padding=True, return_tensors="np")),
    "offsets": lambda t: lists(
        t(TEXTS, return_offsets_mapping=True, return_special_tokens_mask=True)
    ),
    "words": lambda t: lists(t([["a", "quick"], ["fox"]], is_split_into_words=True)),
    "word ids": lambda t: t(TEXTS[0]).word_ids(),
    "char to token": lambda t: t(TEXTS[0]).char_to_token(3),
    "overflow": lambda t: lists(
        t(TEXTS, truncation=True, max_length=9, stride=2, return_overflowing_tokens=True)
    ),
    "plain": lambda t: t.encode(TEXTS[0], add_special_tokens=False),
    "batch_decode": lambda t: t.batch_decode(t(TEXTS)["input_ids"], skip_special_tokens=True),
    "decode": lambda t: t.decode(t(TEXTS[0])["input_ids"]),
    "tokenize": lambda t: t.tokenize(TEXTS[0]),
    "ids to tokens": lambda t: t.convert_ids_to_tokens(t(TEXTS[0])["input_ids"]),
    "tokens to ids": lambda t: t.convert_tokens_to_ids(["a", "</s>", "no such token"]),
    "tokens to string": lambda t: t.convert_tokens_to_string(t.tokenize(TEXTS[0])),
    "vocabulary": lambda t: (len(t), t.vocab_size, t.get_vocab()),
    "added": lambda t: str(t.added_tokens_decoder),
    "grown": grown,
    "template": lambda t: t.apply_chat_template(MESSAGES, tokenize=False),
    "template ids": lambda t: lists(t.apply_chat_template(MESSAGES, return_dict=True)),
    "special ids": lambda t: (t.all_special_ids, t.bos_token_id, t.eos_token_id),
    "special count": lambda t: (t.num_special_tokens_to_add(), t.num_special_tokens_to_add(True)),
    "split special": lambda t: lists(t(TEXTS[2], split_special_tokens=True)),
    "saved": lambda t: t.backend_tokenizer.to_str(),
}


@pytest.mark.parametrize("what", CALLS)
def test_patched_is_as_unpatched(pair: tuple[Any, Any], what: str):
    ours, theirs = pair
    assert CALLS[what](ours) == CALLS[what](theirs)


ENCODING = (
    *("call", "one", "pair", "padded", "fixed", "multiple", "arrays", "offsets", "words"),
    *("overflow", "split special", "template ids"),
)


def rows(encoded: dict[str, Any]) -> list[list[int]]:
    ids = encoded["input_ids"]
    return ids if ids and isinstance(ids[0], list) else [ids]


@pytest.mark.parametrize("what", ENCODING)
def test_textcore_made_the_ids(
    pair: tuple[Any, Any], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes out of textcore's pipeline is what is returned; the other asks it nothing."""
    ours, theirs = pair
    made: list[list[int]] = []
    for name in ("encodings", "blank_encodings"):
        original = getattr(AlignedPath, name)

        def watched(self: Any, *args: Any, original: Any = original, **options: Any) -> Any:
            found = original(self, *args, **options)
            for encoding in found:
                made.extend(each.ids for each in (encoding, *encoding.overflowing))
            return found

        monkeypatch.setattr(AlignedPath, name, watched)
    expected = rows(CALLS[what](theirs))
    assert not made
    assert rows(CALLS[what](ours)) == expected
    # It also makes the pieces that are cut off, which not every call returns.
    assert [row for row in made if row in expected] == expected


@pytest.mark.parametrize("what", ["plain", "tokenize", "word ids", "char to token", "grown"])
def test_textcore_was_asked(
    pair: tuple[Any, Any], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = pair
    asked = []
    for name in ("encodings", "blank_encodings"):
        original = getattr(AlignedPath, name)

        def watched(self: Any, *args: Any, original: Any = original, **options: Any) -> Any:
            asked.append(args)
            return original(self, *args, **options)

        monkeypatch.setattr(AlignedPath, name, watched)
    expected = CALLS[what](theirs)
    assert not asked
    assert CALLS[what](ours) == expected
    assert len(asked) == 1


def held(value: Any, depth: int = 3) -> Iterator[Any]:
    """What an object holds in its attributes, and they in theirs."""
    yield value
    inner = getattr(value, "__dict__", {}).values() if depth else ()
    for each in inner:
        yield from held(each, depth - 1)


def test_nothing_of_the_original_is_held(pair: tuple[Any, Any]) -> None:
    import tokenizers

    ours, theirs = pair
    assert any(isinstance(each, tokenizers.Tokenizer) for each in held(theirs))
    assert isinstance(ours.backend_tokenizer, compat.Backend)
    assert not any(isinstance(each, tokenizers.Tokenizer) for each in held(ours))


def test_saved_and_loaded(pair: tuple[Any, Any], tmp_path: Path):
    ours, theirs = pair
    ours.save_pretrained(str(tmp_path))
    again = AutoTokenizer.from_pretrained(str(tmp_path))
    assert not isinstance(again.backend_tokenizer, Tokenizer)
    assert again(TEXTS)["input_ids"] == theirs(TEXTS)["input_ids"]


def test_pickled(pair: tuple[Any, Any]):
    ours, _ = pair
    again = pickle.loads(pickle.dumps(ours))
    assert isinstance(again.backend_tokenizer, compat.Backend)
    assert again(TEXTS)["input_ids"] == ours(TEXTS)["input_ids"]


def test_components_of_the_original_can_be_put_in(pair: tuple[Any, Any]):
    import tokenizers

    found = []
    for each in map(copy.deepcopy, pair):
        backend = each.backend_tokenizer
        backend.normalizer = tokenizers.normalizers.Lowercase()
        backend.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
        found.append((each("The QUICK fox.")["input_ids"], backend.to_str()))
    assert found[0] == found[1]


def test_training_is_the_originals(pair: tuple[Any, Any]):
    texts = ["low lower lowest", "new newer newest"] * 4
    trained = []
    for each in pair:
        with compat.patched():
            made = each.train_new_from_iterator([texts], 300)
        trained.append(made("lower newest")["input_ids"])
    assert trained[0] == trained[1]


def test_an_object_of_the_original_is_taken_over(pair: tuple[Any, Any]):
    _, theirs = pair
    with compat.patched():
        made = PreTrainedTokenizerFast(tokenizer_object=theirs.backend_tokenizer)
    assert isinstance(made.backend_tokenizer, compat.Backend)
    assert made(TEXTS)["input_ids"] == theirs(TEXTS)["input_ids"]


def test_unpatching_leaves_nothing():
    from transformers import tokenization_utils_tokenizers as module

    before = dict(vars(module.TokenizersBackend)), module.TokenizerFast
    compat.patch()
    compat.patch()
    assert module.TokenizersBackend.__dict__["_tokenizer"] is not None
    compat.unpatch()
    assert (dict(vars(module.TokenizersBackend)), module.TokenizerFast) == before
    compat.unpatch()


def test_what_textcore_cannot_run_is_an_error(tmp_path: Path):
    folder = write(tmp_path, "qwen")
    data = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    data["model"]["dropout"] = 0.1
    (folder / "tokenizer.json").write_text(json.dumps(data), encoding="utf-8")
    AutoTokenizer.from_pretrained(str(folder))
    with compat.patched(), pytest.raises(ValueError, match="dropout"):
        AutoTokenizer.from_pretrained(str(folder))


def test_the_version_that_is_patched():
    assert transformers.__version__.startswith("5.")
