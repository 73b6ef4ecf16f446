"""Encoding a batch of documents in one call, on as many threads as there are processors.

Wall time: what threads are for. On a machine that does something else it says little.
"""

import time

import pytest

from benchmarks.corpora import size_of
from benchmarks.timing import Phase

pytestmark = pytest.mark.benchmark(timer=time.perf_counter)


def one_thread(loaded, job):
    """textcore's batch on one thread."""

    class OneThread:
        def __init__(self, peer):
            self.peer, self.batch_lists = peer, peer.batch_lists

        def encode_batch(self, texts):
            return self.peer.encode_batch(texts, threads=1)

        def encode_batch_to_numpy(self, texts):
            return self.peer.encode_batch_to_numpy(texts, threads=1)

    ours = OneThread(loaded.makers(job)["textcore"]())
    return {"textcore, one thread": lambda: ours}


def test_encode_batch(turns, loaded, documents):
    job = "encode_batch"
    turns.compare(
        {**loaded.makers(job), **one_thread(loaded, job)},
        Phase("encode a batch", lambda peer: peer.encode_batch(documents), size_of(documents)),
    )


def test_encode_batch_to_numpy(turns, loaded, documents):
    job = "encode_batch_to_numpy"
    turns.compare(
        {**loaded.makers(job), **one_thread(loaded, job)},
        Phase(
            "encode a batch to numpy",
            lambda peer: (peer, peer.encode_batch_to_numpy(documents)),
            size_of(documents),
        ),
        listed=lambda made: made[0].batch_lists(made[1]),
    )
