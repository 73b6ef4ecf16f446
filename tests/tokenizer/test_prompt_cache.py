"""The prompt cache: the same ids as without it, within its bound, for any number of threads."""

from __future__ import annotations

import gc
import pickle
import random
import sys
import threading
from typing import Any

import pytest
import trained
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore import Tokenizer
from textcore.errors import TextError
from textcore.pipeline import plan

# Tokens that begin, end and overlap in each other.
CONTENTS = ["a", "ab", "abx", "bx", "x", " ", " a", "a ", "日", "x日"]
NORMALIZERS: list[Any] = [
    None,
    {"type": "NFC"},
    {"type": "Lowercase"},
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "ab "},
    {
        "type": "Sequence",
        "normalizers": [
            {"type": "Prepend", "prepend": "▁"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        ],
    },
]
METASPACE = {"type": "Metaspace", "replacement": "▁", "split": True}
PRE_TOKENIZERS: list[Any] = [
    None,
    {"type": "Whitespace"},
    {"type": "UnicodeScripts"},
    {**METASPACE, "prepend_scheme": "first"},
    {**METASPACE, "prepend_scheme": "always"},
]
ALPHABET = [*"abABcdszx <>\n\té.日▁", "\u0301", "É", "😀"]
PAIRS = ["a b", "ab x", "x 日", "c a", "▁ a", "a ▁", "> <", "\n \n", "s >", "b a"]
PIECES = ["a", "b", "x", " ", "ab", "a ", "c", ".", "日", "\u0301", "😀"]
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
flags = st.builds(
    lambda normalized, set_too: {name: name in (normalized, *set_too) for name in FLAGS},
    st.sampled_from(["normalized", ""]),
    st.sampled_from([(), (), (), *[(name,) for name in FLAGS[:3]]]),
)
HEADER, END = "<|im_start|>", "<|im_end|>"


def _spec(normalizer: Any, pre_tokenizer: Any, added: list[tuple[str, Any]]) -> dict[str, Any]:
    """A tokenizer in which no added token has the id that its text would have without it."""
    contents = {text for text, _ in added}
    tokens = [*ALPHABET, *(pair.replace(" ", "", 1) for pair in PAIRS)]
    tokens = ["?", *(token for token in dict.fromkeys(tokens) if token not in contents)]
    vocab = {token: i for i, token in enumerate(tokens)}
    merges = [pair.split(" ") for pair in PAIRS]
    merges = [pair for pair in merges if {*pair, "".join(pair)} <= set(vocab)]
    return {
        "version": "1.0",
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "added_tokens": [
            {"id": len(vocab) + i, "content": text, **kind} for i, (text, kind) in enumerate(added)
        ],
        "model": {"type": "BPE", "vocab": vocab, "merges": merges, "unk_token": "?"},
    }


def _ids(tokenizer: Tokenizer, call: str, text: str, **options: Any) -> list[int]:
    if call == "numpy":
        return tokenizer.encode_to_numpy(text, **options).tolist()
    if call == "count":
        return [0] * tokenizer.count(text, **options)
    return tokenizer.encode(text, **options)


@settings(max_examples=400)
@given(
    normalizer=st.sampled_from([None, None, *NORMALIZERS]),
    pre_tokenizer=st.sampled_from(PRE_TOKENIZERS),
    added=st.lists(
        st.tuples(st.sampled_from(CONTENTS), flags),
        min_size=1,
        max_size=4,
        unique_by=lambda entry: entry[0],
    ),
    bound=st.sampled_from([1 << 20, 5000]),
    shortest=st.sampled_from([1, 1, 1, 32]),
    data=st.data(),
)
def test_gives_what_a_tokenizer_without_it_gives(
    normalizer, pre_tokenizer, added, bound, shortest, data
):
    spec = _spec(normalizer, pre_tokenizer, added)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "REMEMBER_FROM", shortest)
        cached = Tokenizer(spec, cache_lines=64, prompt_cache=bound)
    plain = Tokenizer(spec, cache_lines=64, prompt_cache=0)
    contents = [content for content, _ in added]
    pieces = st.lists(st.sampled_from([*contents, *PIECES]), max_size=8).map("".join)
    selections = st.sampled_from(["all", "all", "all", contents[::2]])
    texts = ["".join(contents) * 3]
    for _ in range(data.draw(st.integers(2, 16))):
        # A text that was there, as it was or cut, with something after it.
        known = data.draw(st.sampled_from(texts[-2:]))
        cut = data.draw(st.sampled_from([0, 0, 1, 2, 3, 8]))
        text = known[: len(known) - cut] + data.draw(pieces)
        texts.append(text)
        call = data.draw(st.sampled_from(["list", "numpy", "count"]))
        allowed = data.draw(selections)
        expected = plain.encode(text, allowed_special=allowed)
        found = _ids(cached, call, text, allowed_special=allowed)
        assert found == ([0] * len(expected) if call == "count" else expected), texts


def _token(content: str, *names: str) -> tuple[str, dict[str, bool]]:
    return content, {name: name in names for name in FLAGS}


@pytest.mark.parametrize(
    ("tokens", "texts"),
    [
        pytest.param(
            [_token("a", "normalized"), _token("x", "normalized", "single_word")],
            ["aaax", "aaax."],
            id="what is left of a place matters to a token that stands alone",
        ),
        pytest.param(
            [_token("xab", "single_word"), _token("ab"), _token("x", "normalized")],
            ["x.x.axab....", "x.x.axab.."],
            id="a place is in a token that was passed over",
        ),
        pytest.param(
            [_token("xab"), _token("x", "normalized")],
            ["x.x.axac", "x.x.axab"],
            id="a token that comes first may begin before a place",
        ),
        pytest.param(
            [_token("日"), *(_token(text, "normalized") for text in ("x", "a", "ab"))],
            ["x.x.a日c", "x.x.ab"],
            id="a token is the longest only because its piece ends",
        ),
        pytest.param(
            [_token("x"), _token("a"), _token("ab")],
            ["xxa.", "xxab"],
            id="a token is the longest only because of what follows",
        ),
        pytest.param(
            [_token("x"), _token("a", "rstrip"), _token(" c"), _token(" czzzzzz")],
            ["xxa czzzz.", "xxa czzzz"],
            id="a token begins in whitespace that another one took",
        ),
        pytest.param(
            [_token("ab", "lstrip"), _token("a ", "normalized")],
            ["aba aba a", "aba aba aba "],
            id="a token that comes first takes whitespace before a place",
        ),
        pytest.param(
            [_token("x"), _token("a", "single_word")],
            ["xx a", "xx ab"],
            id="a token stands alone only at the end",
        ),
    ],
)
def test_places_that_what_follows_could_change(tokens, texts):
    spec = _spec(None, None, tokens)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "REMEMBER_FROM", 1)
        cached = Tokenizer(spec, cache_lines=64)
    plain = Tokenizer(spec, cache_lines=64, prompt_cache=0)
    for text in [*texts, *reversed(texts)]:
        assert cached.encode(text) == plain.encode(text)


def _conversation(seed: int, turns: int) -> list[str]:
    """The prompts of a conversation, each with one turn more."""
    words = ["the", "cat", "sat", "don't", "12345", "müde", "你好", "", "\n\n   ", "return x"]
    draw = random.Random(seed)
    prompts, text = [], ""
    for turn in range(turns):
        said = " ".join(draw.choices(words, k=draw.randint(200, 500)))
        text += f"{HEADER}{'user' if turn % 2 == 0 else 'assistant'}\n{said}{END}\n"
        prompts.append(f"{text}{HEADER}assistant\n")
    return prompts


def _tokenizer(**options: Any) -> Tokenizer:
    return Tokenizer.from_str(trained.FAMILIES["qwen"]().to_str(), **options)


@pytest.mark.parametrize("family", trained.FAMILIES)
def test_a_growing_conversation_of_a_trained_tokenizer(family):
    spec = trained.FAMILIES[family]().to_str()
    cached, plain = Tokenizer.from_str(spec), Tokenizer.from_str(spec, prompt_cache=0)
    tokens = [*cached.added_tokens][:2]
    for prompt in _conversation(1, 12):
        text = prompt.replace(HEADER, tokens[0]).replace(END, tokens[-1])
        assert cached.encode(text) == plain.encode(text)
        assert cached.encode(text, allowed_special="none") == plain.encode(
            text, allowed_special="none"
        )


def _prompts_of(tokenizer: Tokenizer) -> Any:
    return tokenizer._encoder.prompts


def test_a_grown_conversation_takes_the_place_of_what_it_was():
    tokenizer = _tokenizer()
    for prompt in _conversation(2, 10):
        tokenizer.encode(prompt)
    assert len(_prompts_of(tokenizer)) == 1


def test_conversations_with_the_same_beginning_are_all_remembered():
    tokenizer, plain = _tokenizer(), _tokenizer(prompt_cache=0)
    system = _conversation(3, 8)[-1]
    others = [system + _conversation(seed, 4)[-1] for seed in range(5)]
    for text in [*others, *reversed(others)]:
        assert tokenizer.encode(text) == plain.encode(text)
    assert len(_prompts_of(tokenizer)) == 5


def test_a_text_without_added_tokens_is_not_remembered():
    tokenizer = _tokenizer()
    tokenizer.encode("some words " * 2000)
    assert len(_prompts_of(tokenizer)) == 0


def test_a_document_that_one_token_ends_is_not_remembered():
    tokenizer = _tokenizer()
    tokenizer.encode("some words " * 2000 + END)
    assert len(_prompts_of(tokenizer)) == 0


def test_the_bound_holds():
    tokenizer = _tokenizer(prompt_cache=600_000)
    prompts = _prompts_of(tokenizer)
    used = []
    for seed in range(40):
        tokenizer.encode(_conversation(seed, 10)[-1])
        used.append(prompts.used)
    assert max(used) <= 600_000
    assert len(prompts) >= 2


def test_what_is_used_again_stays_longer():
    tokenizer = _tokenizer(prompt_cache=600_000)
    kept = _conversation(0, 10)[-1]
    calls = 0
    for _ in range(2):  # what makes its lists fast is kept the second time
        tokenizer.encode(kept)
    for seed in range(1, 60):
        tokenizer.encode(_conversation(seed, 10)[-1])
        before = _prompts_of(tokenizer).used
        tokenizer.encode(kept)
        # Nothing new is remembered where it still was there.
        calls += _prompts_of(tokenizer).used == before
    assert calls == 59


def test_zero_switches_it_off():
    assert _prompts_of(_tokenizer(prompt_cache=0)) is None


def test_a_negative_bound_is_an_error():
    with pytest.raises(ValueError, match="prompt_cache"):
        _tokenizer(prompt_cache=-1)


def test_the_bound_survives_pickling():
    copy = pickle.loads(pickle.dumps(_tokenizer(prompt_cache=12345)))
    assert _prompts_of(copy).bound == 12345


def test_a_lone_surrogate_is_named_by_its_place_in_the_whole_text():
    tokenizer = _tokenizer()
    prompt = _conversation(5, 8)[-1]
    tokenizer.encode(prompt)
    with pytest.raises(TextError, match=f"at character {len(prompt) + 3};"):
        tokenizer.encode(prompt + "abc\ud800")
    assert tokenizer.encode(prompt) == _tokenizer(prompt_cache=0).encode(prompt)


def test_a_list_that_was_given_is_the_callers_own():
    tokenizer = _tokenizer()
    prompt = _conversation(6, 8)[-1]
    expected = tokenizer.encode(prompt)
    tokenizer.encode(prompt).clear()
    array = tokenizer.encode_to_numpy(prompt)
    array[:] = 0
    assert tokenizer.encode(prompt) == expected


def test_every_place_in_a_list_is_a_reference():
    """References are counted before they are needed, for many lists at once, and given back."""
    tokenizer = _tokenizer()
    prompts = _conversation(8, 12)
    for prompt in prompts:
        tokenizer.encode(prompt)
    # Longer, shorter, and often enough that they are counted several times.
    order = [*prompts[::-1], *prompts, *([prompts[-1]] * 150), prompts[3]]
    lists = [tokenizer.encode(prompt) for prompt in order]
    del tokenizer
    gc.collect()
    # Small ints may be immortal.
    tokens = {token for token in lists[0] if token > 256}
    assert tokens
    for _ in range(2):
        expected = [sum(ids.count(token) for ids in lists) for token in tokens]
        # The set's own, the loop's, and the call's.
        assert [sys.getrefcount(token) - 3 for token in tokens] == expected
        del lists[::2]


def test_endings_that_are_taken_back():
    """So many that what has been counted of the lists has to be counted anew."""
    tokenizer, plain = _tokenizer(), _tokenizer(prompt_cache=0)
    start = _conversation(9, 8)[-1]
    draw = random.Random(9)
    tokenizer.encode(start)
    for _ in range(200):
        ending = " ".join(draw.choices(["one", "zwei", "trois", "三", "42 ", "x=y"], k=60))
        for text in (start + ending, start + ending + END):
            assert tokenizer.encode(text) == plain.encode(text)
    assert len(_prompts_of(tokenizer)) == 1


def test_threads_share_it():
    tokenizer, plain = _tokenizer(prompt_cache=300_000), _tokenizer(prompt_cache=0)
    shared = _conversation(7, 6)
    histories = [[shared[-1] + text for text in _conversation(seed, 8)] for seed in range(4)]
    expected = {text: plain.encode(text) for history in histories for text in history}
    wrong: list[str] = []

    def run(seed: int) -> None:
        draw = random.Random(seed)
        for _ in range(60):
            text = draw.choice(draw.choice(histories))
            call = draw.choice(["list", "numpy", "count"])
            found = _ids(tokenizer, call, text)
            if found != expected[text] and (call != "count" or len(found) != len(expected[text])):
                wrong.append(text)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=run, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []
