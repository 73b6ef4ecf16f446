"""A long prompt encoded again with one more turn: what the prompt cache is for.

The only benchmark with that cache on. Beside it stand textcore without it, and the peers, whose
caches of texts stay off: each of them encodes the whole prompt.
"""

from itertools import count, cycle

import pytest

from benchmarks.timing import OURS, Phase

CHARACTERS = 100_000
TURN = 1_000


class Conversation:
    """Turns of about a thousand characters of all kinds of text, between control tokens."""

    def __init__(self, texts, marks, characters):
        parts = [text[at : at + TURN] for text in texts for at in range(0, len(text), TURN)]
        self._turns = cycle([part + mark for part, mark in zip(parts, cycle(marks), strict=False)])
        self._prompts = [""]
        while len(self._prompts[0]) < characters:
            self._prompts[0] += next(self._turns)

    def prompt(self, number):
        """The prompt after so many more turns."""
        while len(self._prompts) <= number:
            self._prompts.append(self._prompts[-1] + next(self._turns))
        return self._prompts[number]


@pytest.fixture
def makers(loaded, some_of_all, quick):
    """What gives a library and, each time, the prompt with one more turn."""
    from textcore import Tokenizer

    remembering = type(loaded.makers("encode")[OURS]())(loaded.folder)
    remembering.tokenizer = Tokenizer.from_file(loaded.folder / "tokenizer.json")
    marks = list(remembering.tokenizer.added_tokens)[:3] or ["\n"]
    conversation = Conversation(some_of_all, marks, CHARACTERS // (10 if quick else 1))

    def growing(make):
        numbers = count()
        return lambda: (make(), [conversation.prompt(next(numbers))])

    def makers_of(job):
        made = {
            f"{OURS}, no prompt cache" if name == OURS else name: maker
            for name, maker in loaded.makers(job).items()
        }
        made[OURS] = lambda: remembering
        return {name: growing(make) for name, make in made.items()}

    makers_of.first = [conversation.prompt(0)]
    return makers_of


def test_growing_conversation(turns, makers):
    turns.text = f"{CHARACTERS:,} characters and a turn"
    turns.compare(
        makers("encode"),
        Phase("a growing conversation", lambda pair: pair[0].encode(pair[1]), 1),
        unit="ms",
        fresh=True,
    )


def test_growing_conversation_to_numpy(turns, loaded, makers):
    compared = makers("encode_to_numpy")
    compared.pop("tokenizers")  # it has no arrays of its own
    turns.text = f"{CHARACTERS:,} characters and a turn"
    turns.compare(
        compared,
        Phase("a growing conversation to numpy", lambda pair: pair[0].encode_to_numpy(pair[1]), 1),
        unit="ms",
        fresh=True,
        expected=[loaded.ids(makers.first)],
        listed=lambda arrays: [array.tolist() for array in arrays],
    )
