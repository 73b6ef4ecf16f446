"""Long prompts encoded again with one more turn each: what the prompt cache is for.

The only benchmark with that cache on. Beside it stand textcore without it, and the peers, whose
caches of texts stay off: each of them encodes whole prompts.

A server has several conversations, and answers each in turn. So some grow side by side, several
turns in a row with each library: a processor whose caches hold what another library left there
would be met by nobody. What a call gave is let go before the next one has ended.
"""

from itertools import count, cycle

import pytest

from benchmarks.timing import OURS, Phase

CHARACTERS = 100_000
TURN = 1_000
CONVERSATIONS = 4
TURNS = 4  # of each in a round


class Conversation:
    """Turns of about a thousand characters of all kinds of text, between control tokens."""

    def __init__(self, turns, characters):
        self._turns = turns
        self._prompts = [""]
        while len(self._prompts[0]) < characters:
            self._prompts[0] += next(turns)

    def prompt(self, number):
        """The prompt after so many more turns."""
        while len(self._prompts) <= number:
            self._prompts.append(self._prompts[-1] + next(self._turns))
        return self._prompts[number]


def conversations(texts, marks, characters):
    """Some that share no beginning."""
    parts = [text[at : at + TURN] for text in texts for at in range(0, len(text), TURN)]
    turns = [part + mark for part, mark in zip(parts, cycle(marks), strict=False)]
    starts = range(0, len(turns), max(1, len(turns) // CONVERSATIONS))
    return [
        Conversation(cycle(turns[at:] + turns[:at]), characters) for at in starts[:CONVERSATIONS]
    ]


def grow(encode, prompts):
    """Encode one prompt a call: how many ids each has, and those of the last."""
    sizes = []
    for prompt in prompts:
        ids = encode([prompt])
        sizes.append(len(ids[0]))
    return sizes, ids[0]


@pytest.fixture
def makers(loaded, some_of_all, quick):
    """What gives a library and, each time, the prompts with some more turns."""
    from textcore import Tokenizer

    remembering = type(loaded.makers("encode")[OURS]())(loaded.folder)
    remembering.tokenizer = Tokenizer.from_file(loaded.folder / "tokenizer.json")
    marks = list(remembering.tokenizer.added_tokens)[:3] or ["\n"]
    growing = conversations(some_of_all, marks, CHARACTERS // (10 if quick else 1))

    def prompts(round_):
        turns = range(TURNS * round_, TURNS * (round_ + 1))
        return [one.prompt(turn) for turn in turns for one in growing]

    def beginner(make):
        numbers = count()
        return lambda: (make(), prompts(next(numbers)))

    def makers_of(job):
        made = {
            f"{OURS}, no prompt cache" if name == OURS else name: maker
            for name, maker in loaded.makers(job).items()
        }
        made[OURS] = lambda: remembering
        return {name: beginner(make) for name, make in made.items()}

    makers_of.first = prompts(0)
    return makers_of


def test_growing_conversation(turns, makers):
    turns.text = f"{CHARACTERS:,} characters and a turn"
    turns.compare(
        makers("encode"),
        Phase(
            "a growing conversation",
            lambda pair: grow(pair[0].encode, pair[1]),
            CONVERSATIONS * TURNS,
        ),
        unit="ms",
        fresh=True,
    )


def test_growing_conversation_to_numpy(turns, loaded, makers):
    compared = makers("encode_to_numpy")
    compared.pop("tokenizers")  # it has no arrays of its own
    expected = loaded.ids(makers.first)
    turns.text = f"{CHARACTERS:,} characters and a turn"
    turns.compare(
        compared,
        Phase(
            "a growing conversation to numpy",
            lambda pair: grow(pair[0].encode_to_numpy, pair[1]),
            CONVERSATIONS * TURNS,
        ),
        unit="ms",
        fresh=True,
        expected=[([len(ids) for ids in expected], expected[-1])],
        listed=lambda result: (result[0], result[1].tolist()),
    )
