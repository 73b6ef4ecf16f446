"""Encoding documents whose words have been met before, one document a call."""


def test_encode_warm(turns, corpus, size, ours, peer):
    turns.compare(
        lambda _: [ours.encode(text) for text in corpus],
        lambda _: [peer.encode(text, add_special_tokens=False).ids for text in corpus],
        size=size,
    )
