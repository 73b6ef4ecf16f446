"""Threads that wait for batches: used again, alone in a fork, gone with their tokenizer."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from textcore import Tokenizer
from textcore.data import DEFAULT_DIR

TEXTS = ["some words of a text " * 400] * 12
THREADS = 4

START = f"""
import os, sys
from textcore import Tokenizer
tok = Tokenizer.from_dir({str(DEFAULT_DIR)!r})
texts = {TEXTS!r}
expected = tok.encode_batch(texts)
assert tok.encode_batch(texts, threads={THREADS}) == expected
"""


@pytest.fixture
def tokenizer() -> Tokenizer:
    return Tokenizer.from_dir(DEFAULT_DIR)


def idle_of(tokenizer: Tokenizer) -> list[object]:
    assert tokenizer._encoder is not None
    return list(tokenizer._encoder.crew.idle)


def run(code: str) -> None:
    """Run a program that has to end soon, with nothing to complain of."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", START + code],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_no_thread_is_there_before_it_is_asked_for(tokenizer):
    tokenizer.encode_batch(TEXTS, threads=1)
    assert idle_of(tokenizer) == []


def test_threads_are_used_again(tokenizer):
    expected = tokenizer.encode_batch(TEXTS)
    tokenizer.encode_batch(TEXTS, threads=THREADS)
    helpers = set(map(id, idle_of(tokenizer)))
    for _ in range(20):
        assert tokenizer.encode_batch(TEXTS, threads=THREADS) == expected
        assert tokenizer.encode_batch_to_numpy(TEXTS, threads=2)[0].size == sum(map(len, expected))
    assert set(map(id, idle_of(tokenizer))) == helpers
    assert len(helpers) == THREADS - 1


def test_calls_at_once_have_threads_of_their_own(tokenizer):
    expected = tokenizer.encode_batch(TEXTS)
    wrong = []

    def call() -> None:
        for _ in range(10):
            if tokenizer.encode_batch(TEXTS, threads=3) != expected:
                wrong.append(1)

    callers = [threading.Thread(target=call) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert wrong == []
    assert 2 <= len(idle_of(tokenizer)) <= 8


def test_threads_end_with_their_tokenizer():
    run(
        f"""
import _thread, gc, time

def wait_for(count):
    end = time.monotonic() + 30
    while _thread._count() != count and time.monotonic() < end:
        time.sleep(0.001)
    assert _thread._count() == count

wait_for({THREADS - 1})
del tok
gc.collect()
wait_for(0)
"""
    )


def test_the_interpreter_ends_with_threads_that_wait():
    run("")


def test_a_batch_that_fails_leaves_threads_that_work():
    model = {"type": "BPE", "vocab": {"a": 0}, "merges": [], "unk_token": "missing"}
    tokenizer = Tokenizer({"model": model})
    good = ["a" * 9000] * 12
    for _ in range(10):
        with pytest.raises(ValueError, match="unk_token"):
            tokenizer.encode_batch([*good, "b", *good], threads=THREADS)
        assert tokenizer.encode_batch(good, threads=THREADS) == [[0] * 9000] * 12
    assert len(idle_of(tokenizer)) == THREADS - 1


def test_a_forked_process_starts_its_own():
    run(
        f"""
child = os.fork() if hasattr(os, "fork") else None
if child == 0:
    right = all(tok.encode_batch(texts, threads={THREADS}) == expected for _ in range(5))
    sys.exit(0 if right else 1)
assert child is None or os.waitpid(child, 0)[1] == 0
assert tok.encode_batch(texts, threads={THREADS}) == expected
"""
    )
