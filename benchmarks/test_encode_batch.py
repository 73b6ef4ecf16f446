"""Encoding a batch of documents in one call, with the threads that each library chooses."""


def test_encode_batch(turns, corpus, size, ours, peer):
    turns.compare(
        lambda _: ours.encode_batch(corpus),
        lambda _: [e.ids for e in peer.encode_batch_fast(corpus, add_special_tokens=False)],
        size=size,
    )
