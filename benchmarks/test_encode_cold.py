"""Encoding documents with a tokenizer that has just been loaded: every word is new."""


def test_encode_cold(turns, corpus, size, load_ours, load_peer):
    turns.compare(
        lambda ours: [ours.encode(text) for text in corpus],
        lambda peer: [peer.encode(text, add_special_tokens=False).ids for text in corpus],
        size=size,
        make_ours=load_ours,
        make_peer=load_peer,
    )
