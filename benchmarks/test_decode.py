"""Decoding the ids of whole documents, one document a call."""


def test_decode(turns, corpus, size, ours, peer):
    batch = [encoding.ids for encoding in peer.encode_batch_fast(corpus)]
    turns.compare(
        lambda _: [ours.decode(ids) for ids in batch],
        lambda _: [peer.decode(ids, skip_special_tokens=False) for ids in batch],
        size=size,
    )
