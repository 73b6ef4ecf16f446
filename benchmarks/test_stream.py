"""Text out of ids that arrive one by one, as while a model generates."""

from benchmarks.timing import Phase

IDS = 20_000


def test_stream(turns, loaded, some_of_all, quick):
    batch, total = [], 0
    for ids in loaded.ids(some_of_all):
        batch.append(ids)
        total += len(ids)
        if total >= (IDS // 100 if quick else IDS):
            break
    turns.text = f"{total:,} ids"
    turns.compare(
        loaded.makers("stream"),
        Phase("stream, one id a call", lambda peer: peer.stream(batch), total),
        unit="µs",
    )
