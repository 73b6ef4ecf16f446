"""Encodings as a whole, beside the reference and beside ids alone.

Ids, offsets and words are read; the last two are dropped, as a caller drops them that has
used them. They cost up to four times the ids on ordinary text, where a token takes longer to
find than its tuple of offsets takes to make.
"""

WHOLE = {"add_special_tokens": False, "truncation": False, "padding": False}


def _read(encoding):
    ids, _, _ = encoding.ids, encoding.offsets, encoding.word_ids
    return ids


def test_encoding(turns, loaded, documents):
    from tokenizers import Tokenizer as Reference

    from textcore import Tokenizer

    file = loaded.folder / "tokenizer.json"
    ours, reference = Tokenizer.from_file(file), Reference.from_file(str(file))
    reference.no_truncation()
    reference.no_padding()
    jobs = {
        "textcore": lambda: [_read(ours.encoding(text, **WHOLE)) for text in documents],
        "textcore, ids alone": lambda: [ours.encode(text) for text in documents],
        "tokenizers": lambda: [
            _read(reference.encode(text, add_special_tokens=False)) for text in documents
        ],
    }
    turns.race("whole encodings", jobs, len(documents), unit="ms", reference="tokenizers")
