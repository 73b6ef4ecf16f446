"""Encodings as a whole: ids, offsets and words read, beside the reference and beside ids alone.

The second ratio is what the rest of an encoding costs: at least a fifth on ordinary text,
where a token takes longer to find than its tuple of offsets to make. Offsets and words are
read and dropped, as a caller drops them that has used them.
"""


def _read(encoding):
    ids, _, _ = encoding.ids, encoding.offsets, encoding.word_ids
    return ids


def _ours(tokenizer, texts):
    options = {"add_special_tokens": False, "truncation": False, "padding": False}
    return [_read(tokenizer.encoding(text, **options)) for text in texts]


def test_encoding(turns, corpus, size, ours, peer):
    turns.compare(
        lambda _: _ours(ours, corpus),
        lambda _: [_read(peer.encode(text, add_special_tokens=False)) for text in corpus],
        size=size,
    )


def test_encoding_beside_encode(turns, corpus, size, ours):
    turns.compare(
        lambda _: _ours(ours, corpus),
        lambda _: [ours.encode(text) for text in corpus],
        size=size,
    )
