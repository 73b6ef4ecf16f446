"""Number regexes against arithmetic on the same texts."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textcore.output.schema.numbers import (
    EXPONENTS,
    Range,
    alternatives,
    common_multiple,
    decimals,
    integers,
    multiples,
)


def compiled(parts: list[str]) -> re.Pattern[str]:
    """The alternatives as one pattern; of none, a pattern that matches nothing."""
    return re.compile(alternatives(parts) if parts else r"[^\x00-\U0010ffff]")


small = st.integers(-1200, 1200)
bounds = st.one_of(
    st.none(),
    st.decimals(-130, 130, places=2, allow_nan=False),
    st.integers(-12, 12).map(Decimal),
    st.builds(lambda m, e: Decimal(m).scaleb(e), st.integers(-99, 99), st.integers(-9, 9)),
)
ranges = st.builds(Range, bounds, st.booleans(), bounds, st.booleans())


def near(range_: Range, draw: st.DataObject) -> str:
    """The text of a number, often at or beside a bound."""
    ends = [b for b in (range_.low, range_.high) if b is not None]
    start = draw.draw(st.sampled_from([*ends, Decimal(0), Decimal(1)]))
    shift = draw.draw(
        st.one_of(
            st.just(Decimal(0)),
            st.decimals(-3, 3, places=3, allow_nan=False),
            st.integers(-2000, 2000).map(Decimal),
        )
    )
    return format(start + shift, "f")


@settings(deadline=None)
@given(st.none() | small, st.none() | small)
@example(0, 0)
@example(-1, 0)
@example(99, 100)
def test_integers_are_those_in_range(low: int | None, high: int | None) -> None:
    pattern = compiled(integers(low, high))
    for n in range(-1300, 1300, 1):
        inside = (low is None or n >= low) and (high is None or n <= high)
        assert (pattern.fullmatch(str(n)) is not None) == inside, n


@settings(deadline=None)
@given(st.integers(-(10**30), 10**30), st.integers(0, 10**30), st.data())
def test_long_integers(low: int, span: int, data: st.DataObject) -> None:
    high = low + span
    pattern = compiled(integers(low, high))
    n = data.draw(st.sampled_from([low, high]).flatmap(lambda b: st.integers(b - 10, b + 10)))
    assert (pattern.fullmatch(str(n)) is not None) == (low <= n <= high)


@pytest.mark.parametrize("text", ["-0", "00", "01", "+1", "1.0", "1e0", "", "-", " 1", "१"])
def test_integers_have_one_spelling(text: str) -> None:
    assert compiled(integers(None, None)).fullmatch(text) is None


@settings(deadline=None)
@given(ranges, st.data())
@example(Range(Decimal(0), True, Decimal(1), True), None)
def test_decimals_are_those_in_range(range_: Range, data: st.DataObject | None) -> None:
    pattern = compiled(decimals(range_))
    texts = ["0", "0.0", "-0", "-0.00", "1", "0.5", "1.0"]
    if data is not None:
        text = near(range_, data)
        zeros = "0" * data.draw(st.integers(0, 3))
        texts += [text, text + zeros if "." in text else f"{text}.{zeros}0"]
    for text in texts:
        inside = range_.contains(Fraction(text))
        assert (pattern.fullmatch(text) is not None) == inside, text


@settings(deadline=None)
@given(ranges, st.integers(1, 9), st.integers(0, 99), st.integers(-30, 30), st.booleans())
def test_exponents_are_those_in_range(
    range_: Range, digit: int, fraction: int, exponent: int, negative: bool
) -> None:
    pattern = compiled(decimals(range_))
    for mantissa in (f"{digit}.{fraction:02}", str(digit)):
        text = f"{'-' * negative}{mantissa}e{exponent:+03}"
        inside = range_.contains(Fraction(text))
        assert (pattern.fullmatch(text) is not None) == inside, text


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), ranges)
def test_every_double_is_written_as_python_writes_it(value: float, range_: Range) -> None:
    if abs(value) >= 10.0 ** EXPONENTS[1] * 10:
        value = 1.5
    inside = range_.contains(Fraction(repr(value)))
    assert (compiled(decimals(range_)).fullmatch(repr(value)) is not None) == inside


@pytest.mark.parametrize(
    "text", ["01", "1.", ".5", "+1", "1e", "10e3", "0e1", "1e308", "1e0001", "NaN", "Infinity"]
)
def test_what_is_not_a_canonical_number(text: str) -> None:
    assert compiled(decimals(Range())).fullmatch(text) is None


units = st.sampled_from([1, 2, 5, 7, 10, 12, 20, 25, 64, 100, 250]).map(
    Fraction
) | st.sampled_from(
    [Fraction(1, 2), Fraction(1, 4), Fraction(1, 10), Fraction(1, 100), Fraction(3, 2)]
)


@settings(deadline=None)
@given(units, st.none() | small, st.none() | small, st.booleans())
@example(Fraction(25), 30, 200, True)
@example(Fraction(7), -20, 20, True)
def test_multiples_are_those_in_range(
    unit: Fraction, low: int | None, high: int | None, whole: bool
) -> None:
    range_ = Range(
        None if low is None else Decimal(low), False, None if high is None else Decimal(high)
    )
    parts = multiples(unit, range_, whole=whole)
    if parts is None:
        assert unit in (7, 12, 64, Fraction(3, 2))
        assert None in (low, high)
        return
    pattern = compiled(parts)
    for hundredths in range(-20_000, 20_000, 100 if whole else 75):
        value = Fraction(hundredths, 100)
        inside = (value / unit).denominator == 1 and range_.contains(value)
        text = str(value.numerator) if value.denominator == 1 else str(float(value))
        assert (pattern.fullmatch(text) is not None) == inside, text


def test_decimal_places_of_a_multiple() -> None:
    pattern = compiled(multiples(Fraction(1, 100), Range(Decimal(0)), whole=False) or [])
    accepted = ["0", "0.0", "0.00", "1", "1.5", "1.50", "10.05", "99.99"]
    assert [t for t in accepted if not pattern.fullmatch(t)] == []
    assert [t for t in ["1.005", "1.500", "-1", "01", "1."] if pattern.fullmatch(t)] == []


@settings(deadline=None)
@given(units, units)
def test_common_multiple_is_the_least(a: Fraction, b: Fraction) -> None:
    both = common_multiple(a, b)
    assert (both / a).denominator == (both / b).denominator == 1
    smaller = [both / n for n in (2, 3, 5, 7)]
    assert not any((s / a).denominator == (s / b).denominator == 1 for s in smaller)


@settings(deadline=None)
@given(ranges, ranges, st.decimals(-140, 140, places=1, allow_nan=False))
def test_an_intersection_holds_what_both_hold(a: Range, b: Range, value: Decimal) -> None:
    number = Fraction(value)
    assert a.intersect(b).contains(number) == (a.contains(number) and b.contains(number))
