"""Text out of ids that arrive one by one, as while a model generates."""

from tokenizers.decoders import DecodeStream

from textcore import IncrementalDetokenizer


def stream_of_ours(tokenizer, batch):
    texts = []
    for ids in batch:
        stream = IncrementalDetokenizer(tokenizer)
        texts.append("".join([stream.add(token) for token in ids]) + stream.flush())
    return texts


def stream_of_peer(tokenizer, batch):
    texts = []
    for ids in batch:
        stream = DecodeStream(skip_special_tokens=True)
        texts.append("".join([stream.step(tokenizer, token) or "" for token in ids]))
    return texts


def test_stream(turns, corpus, ours, peer):
    batch = [e.ids for e in peer.encode_batch_fast(corpus[:25], add_special_tokens=False)]
    turns.compare(
        lambda _: stream_of_ours(ours, batch),
        lambda _: stream_of_peer(peer, batch),
        size=sum(len(text.encode()) for text in corpus[:25]),
    )
