"""From a file to a tokenizer that is ready; and, of textcore's, from what it saved itself."""

import pickle

from benchmarks.peers import Textcore
from benchmarks.timing import Phase, fewer

TEXTS = ["Hello world", "Straße 12, 東京"]


class Ready(Textcore):
    """textcore with a tokenizer that came another way."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer


def test_load(turns, loaded, tmp_path):
    from textcore import Tokenizer

    tokenizer = Tokenizer.from_file(loaded.folder / "tokenizer.json")
    pickled = pickle.dumps(tokenizer)
    saved = tmp_path / "saved.textcore"
    tokenizer.save(saved)
    loaders = {
        **loaded.fresh(),
        "textcore, unpickled": lambda: Ready(pickle.loads(pickled)),
        "textcore, saved": lambda: Ready(Tokenizer.from_file(saved)),
    }
    turns.text = "tokenizer.json"
    turns.rounds = fewer(turns.rounds)
    turns.compare(
        {name: (lambda loader=loader: loader) for name, loader in loaders.items()},
        Phase("load", lambda loader: loader(), 1),
        unit="ms",
        fresh=True,
        listed=lambda peer: peer.encode(TEXTS),
    )
