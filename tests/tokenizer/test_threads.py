"""One tokenizer in many threads at once, doing everything, against what one thread gets."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from textcore import IncrementalDetokenizer, Tokenizer
from textcore.data import default_tokenizer
from textcore.pipeline.added_tokens import SELECTIONS

THREADS = 8
ROUNDS = 12
WORDS = ["Hello", " world", "  ", "\n", "é", "日本", "😀", "naïve", "x" * 40, "<|im_end|>", "1234"]


def texts(seed: int) -> list[str]:
    """Texts of all sizes, some of them words that nobody has seen; some with added tokens."""
    chosen = random.Random(seed)
    sizes = (0, 1, 3, 20, 300, 3000)
    return ["".join(chosen.choices(WORDS, k=size)) + f" {seed}{size}" for size in sizes]


def conversation(seed: int) -> list[str]:
    """A prompt that grows, long enough to be remembered."""
    turn = "<|im_start|>user\n" + "How do you do? " * 100 + f"{seed}<|im_end|>\n"
    return [turn * count for count in (4, 5, 6)]


@contextmanager
def switching_often() -> Iterator[None]:
    """Threads take turns as often as the interpreter can let them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def in_threads(job: Callable[[int], Any], count: int = THREADS) -> list[Any]:
    """What the job gives in each thread; all of them begin together. Raises what one raises."""
    ready = threading.Barrier(count)
    results: list[Any] = [None] * count
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            ready.wait(30)
            results[number] = job(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    with switching_often():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]
    return results


@pytest.fixture
def tokenizer() -> Tokenizer:
    """One that has no worker, no remembered word and no table made at first use yet."""
    spec = default_tokenizer().to_json()
    return Tokenizer.from_str(spec, cache_lines=64)


def everything(tok: Tokenizer, seed: int) -> list[Any]:
    """What every method says of the texts of a seed."""
    said: list[Any] = []
    for text in texts(seed) + conversation(seed):
        ids = tok.encode(text)
        encoding = tok.encoding(text, add_special_tokens=False)
        stream = IncrementalDetokenizer(tok, skip_special_tokens=False)
        streamed = "".join([stream.add(token) for token in ids]) + stream.flush()
        said += [ids, tok.encode_to_numpy(text).tolist(), tok.count(text), tok.decode(ids)]
        said += [tok.encode(text, allowed_special="none"), streamed, stream.text]
        said += [encoding.ids, encoding.offsets, encoding.tokens]
    return said


def test_every_method(tokenizer: Tokenizer) -> None:
    expected = [everything(default_tokenizer(), seed) for seed in range(3)]

    def job(number: int) -> bool:
        return all(
            everything(tokenizer, (number + turn) % 3) == expected[(number + turn) % 3]
            for turn in range(3)
        )

    assert all(in_threads(job))


def test_batches_in_threads_of_their_own(tokenizer: Tokenizer) -> None:
    many = [text for seed in range(4) for text in texts(seed)]
    expected = [default_tokenizer().encode(text) for text in many]
    flat = [token for ids in expected for token in ids]

    def job(number: int) -> bool:
        listed = tokenizer.encode_batch(many, threads=1 + number % 4)
        ids, offsets = tokenizer.encode_batch_to_numpy(many, threads=1 + number % 3)
        return listed == expected and ids.tolist() == flat and offsets[-1] == len(flat)

    assert all(in_threads(job))


def test_short_texts_by_the_thousand(tokenizer: Tokenizer) -> None:
    """The calls that take a worker and give it back most often."""
    short = ["Hello world", "日本", "a", "", "x" * 40, "one two three"]
    expected = [default_tokenizer().encode(text) for text in short]

    def job(number: int) -> bool:
        return all(
            [tokenizer.encode(text) for text in short] == expected
            and [tokenizer.count(text) for text in short] == list(map(len, expected))
            for _ in range(100 * ROUNDS)
        )

    assert all(in_threads(job))


def test_more_selections_of_tokens_than_are_kept_ready() -> None:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    tokens: list[dict[str, Any]] = [
        {"id": 1 + i, "content": f"<{i}>", "special": True, **flags} for i in range(SELECTIONS + 3)
    ]
    model = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
    tok = Tokenizer({"model": model, "added_tokens": tokens})
    text = "".join(token["content"] for token in tokens)

    def job(number: int) -> bool:
        return all(
            tok.encode(text, allowed_special={f"<{i}>"}) == [1 + i]
            for turn in range(10 * ROUNDS)
            for i in [(number + turn) % len(tokens)]
        )

    assert all(in_threads(job))


def test_a_text_that_fails_ends_a_batch() -> None:
    """Whatever thread meets it, its error is raised, and the tokenizer goes on as before."""
    model = {"type": "BPE", "vocab": {"a": 0}, "merges": [], "unk_token": "missing"}
    tok = Tokenizer({"model": model})
    good = ["a" * 9000] * 40
    for _ in range(ROUNDS):
        with pytest.raises(ValueError, match="unk_token"):
            tok.encode_batch([*good, "b", *good, "b"], threads=4)
        assert tok.encode_batch(good, threads=4) == [[0] * 9000] * 40
