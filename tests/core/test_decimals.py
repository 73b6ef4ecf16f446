"""Numbers of a JSON file, beside those that the reference makes of them."""

import json
import random
import string

import pytest
from tokenizers import Tokenizer as Reference

from textcore import Tokenizer
from textcore.core.decimals import read_float


def literals(draw, count):
    """Numbers of all lengths, with exponents and without."""

    def digits(least, most):
        return "".join(draw.choices(string.digits, k=draw.randint(least, most)))

    for _ in range(count):
        first = str(draw.randint(1, 9))
        yield draw.choice(
            [
                repr(draw.uniform(-20, 0)),
                f"-{draw.randint(0, 99)}.{digits(1, 25)}",
                f"{first}.{digits(1, 20)}e{draw.randint(-330, 300)}",
                f"{first}{digits(1, 30)}.{digits(1, 5)}",
                f"{first}{digits(0, 25)}E{draw.choice(['', '+', '-'])}{draw.randint(0, 40)}",
            ]
        )


def unigram(vocab):
    return (
        '{"version": "1.0", "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": false, '
        f'"vocab": [{vocab}]}}}}'
    )


@pytest.mark.parametrize("seed", range(8))
def test_read_as_by_the_reference(seed):
    numbers = list(literals(random.Random(seed), 500))
    text = unigram(", ".join(f'["t{i}", {number}]' for i, number in enumerate(numbers)))
    # It writes a float so that it is read as the same one.
    expected = json.loads(Reference.from_str(text).to_str())["model"]["vocab"]
    assert [read_float(number) for number in numbers] == [float(score) for _, score in expected]


@pytest.mark.parametrize("number", ["1e400", "-1e309", "12345678901234567890123e300"])
def test_out_of_range(number):
    with pytest.raises(ValueError, match="out of range"):
        read_float(number)


@pytest.mark.parametrize("number", ["", "-", ".", "1.", "1e", "1e+", "x", "1.5x", "1 ", "--1"])
def test_no_number(number):
    with pytest.raises(ValueError, match="is no number"):
        read_float(number)


def test_totals_that_differ_in_the_last_bit():
    """Scores of a published vocabulary; "r" and "rr" either way are the same to ten digits."""
    text = unigram(
        '["<unk>", 0.0], ["_", -2.1267833709716797], ["r", -7.8619232177734375], '
        '["rr", -11.265965461730957]'
    )
    tokenizer, reference = Tokenizer.from_str(text), Reference.from_str(text)
    for word in ("_rrr", "rrr", "_rrrrr", "_r_rrr_rrrrr"):
        assert tokenizer.encode(word) == reference.encode(word).ids


def test_scores_are_written_so_that_they_are_read_as_they_are():
    draw = random.Random(3)
    scores = [read_float(repr(draw.uniform(-20, 0))) for _ in range(2000)]
    text = unigram('["<unk>", 0.0]' + "".join(f', ["t{i}", {s!r}]' for i, s in enumerate(scores)))
    expected = [
        score for _, score in json.loads(Reference.from_str(text).to_str())["model"]["vocab"]
    ]
    written = Tokenizer.from_str(text).to_json()
    again = json.loads(Reference.from_str(written).to_str())["model"]["vocab"]
    assert [score for _, score in again] == expected
