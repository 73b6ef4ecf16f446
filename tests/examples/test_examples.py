"""The scripts of the how-tos run, in processes of every kind."""

from __future__ import annotations

import multiprocessing
import threading
from pathlib import Path

import pytest

from textcore import Tokenizer
from textcore.data import DEFAULT_DIR

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
METHODS = ("fork", "spawn", "forkserver")
TEXTS = [f"Document {number}: naïve 你好 👩‍👩‍👧‍👦 " * 20 for number in range(100)]


def test_datasets_map(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path))
    # Workers import the script by its name.
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import map_dataset

    tokenizer = Tokenizer.from_dir(DEFAULT_DIR)
    rows = map_dataset.main(str(DEFAULT_DIR))
    assert rows["input_ids"][:] == [tokenizer.encode(text) for text in map_dataset.TEXTS]


def test_a_tokenizer_has_the_same_hash_each_time(tmp_path):
    # By this, `datasets` finds what it has already made.
    from datasets.fingerprint import Hasher

    one, two = (Tokenizer.from_dir(DEFAULT_DIR) for _ in range(2))
    before = Hasher.hash(one)
    one.encode_batch(TEXTS, threads=2)
    one.decode(one.encode(TEXTS[0]))
    assert Hasher.hash(one) == Hasher.hash(two) == before


@pytest.mark.parametrize("method", METHODS)
def test_a_datasets_items_are_tokenized_in_workers(monkeypatch, method):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import data_loader

    tokenizer = Tokenizer.from_dir(DEFAULT_DIR)
    items = data_loader.Texts(data_loader.TEXTS, tokenizer)
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map(items.__getitem__, range(len(items)))
    assert found == [tokenizer.encode(text) for text in data_loader.TEXTS]


def encode_all(tokenizer: Tokenizer, threads: int) -> list[list[int]]:
    return tokenizer.encode_batch(TEXTS, threads=threads)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("method", METHODS)
def test_a_worker_process_encodes_with_threads(method, threads):
    tokenizer = Tokenizer.from_dir(DEFAULT_DIR)
    expected = encode_all(tokenizer, 4)  # threads have run here before the process starts
    with multiprocessing.get_context(method).Pool(2) as pool:
        for found in pool.starmap(encode_all, [(tokenizer, threads)] * 3):
            assert found == expected


def test_a_process_forked_while_threads_encode():
    tokenizer = Tokenizer.from_dir(DEFAULT_DIR)
    expected = encode_all(tokenizer, 1)
    stop = threading.Event()

    def work():
        while not stop.is_set():
            tokenizer.encode_batch(TEXTS, threads=2)

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    context = multiprocessing.get_context("fork")
    try:
        for _ in range(10):
            with context.Pool(1) as pool:
                found = pool.apply_async(encode_all, (tokenizer, 2)).get(60)
                assert found == expected
    finally:
        stop.set()
        for worker in workers:
            worker.join()
