"""Regexes of the numbers in a range, and of multiples, in decimal notation.

A range is split where the text of a number changes its shape: by sign, by the number of
digits, then digit by digit along each bound. Everything is exact decimal arithmetic on the
digits as the schema writes them; no binary floating point takes part.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import Final

DIGITS_LIMIT: Final = 64
"""Most digits of a bound, before and after the point."""

RESIDUES_LIMIT: Final = 2000
"""Most distinct digit endings (or listed values) that a ``multipleOf`` may need."""

EXPONENTS: Final = (-324, 307)
"""Decimal exponents that an unrestricted number may have: none overflows a double."""

_ANY: Final = "[0-9]*"


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from ``low`` to ``high``, each bound excluded if so marked; None: no bound."""

    low: Decimal | None = None
    low_open: bool = False
    high: Decimal | None = None
    high_open: bool = False

    def contains(self, value: Fraction) -> bool:
        """Whether the number lies in the range."""
        if self.low is not None:
            low = Fraction(self.low)
            if value < low or (self.low_open and value == low):
                return False
        if self.high is not None:
            high = Fraction(self.high)
            if value > high or (self.high_open and value == high):
                return False
        return True

    def intersect(self, other: Range) -> Range:
        """The numbers in both."""
        lows = [(r.low, r.low_open) for r in (self, other) if r.low is not None]
        highs = [(r.high, not r.high_open) for r in (self, other) if r.high is not None]
        low, low_open = max(lows) if lows else (None, False)
        high, high_closed = min(highs) if highs else (None, True)
        return Range(low, low_open, high, not high_closed)

    def is_empty(self) -> bool:
        """Whether no real number lies in it."""
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (
            self.low == self.high and (self.low_open or self.high_open)
        )

    def multiples(self, unit: Fraction) -> tuple[int | None, int | None]:
        """The smallest and largest ``n`` with ``n * unit`` in the range; None: no bound."""
        low = high = None
        if self.low is not None:
            exact = Fraction(self.low) / unit
            low = -(-exact.numerator // exact.denominator)
            low += self.low_open and exact == low
        if self.high is not None:
            exact = Fraction(self.high) / unit
            high = exact.numerator // exact.denominator
            high -= self.high_open and exact == high
        return low, high


EVERYWHERE: Final = Range()
"""Every number."""


def alternatives(parts: Iterable[str]) -> str:
    """The parts as one group (or the only one as it is)."""
    unique = list(dict.fromkeys(parts))
    return unique[0] if len(unique) == 1 else f"(?:{'|'.join(unique)})"


def _digit_class(first: int, last: int) -> str:
    return str(first) if first == last else f"[{first}-{last}]"


def _any_digits(count: int) -> str:
    if count < 2:
        return "[0-9]" * count
    return f"[0-9]{{{count}}}"


def _between(low: str, high: str) -> str:
    """Digit strings of one length from ``low`` to ``high``."""
    if low == high:
        return low
    shared = next(i for i, (a, b) in enumerate(zip(low, high, strict=True)) if a != b)
    first, last, rest = int(low[shared]), int(high[shared]), len(low) - shared - 1
    parts = []
    low_rest, high_rest = low[shared + 1 :], high[shared + 1 :]
    if low_rest.strip("0"):
        parts.append(str(first) + _between(low_rest, "9" * rest))
        first += 1
    tail = []
    if high_rest.strip("9"):
        tail.append(str(last) + _between("0" * rest, high_rest))
        last -= 1
    if first <= last:
        parts.append(_digit_class(first, last) + _any_digits(rest))
    return low[:shared] + alternatives(parts + tail)


def _naturals(low: int, high: int | None) -> list[str]:
    """Integers ``0 <= low <= n <= high`` without leading zeros."""
    if high is not None and low > high:
        return []
    if low == 0 and high is None:
        return ["0", "[1-9][0-9]*"]
    digits = len(str(low))
    if high is None:
        floor = 10 ** (digits - 1)
        if low == floor:
            return [f"[1-9][0-9]{{{digits - 1},}}" if digits > 1 else "[1-9][0-9]*"]
        return [_between(str(low), "9" * digits), f"[1-9][0-9]{{{digits},}}"]
    parts = []
    for count in range(digits, len(str(high)) + 1):
        first = max(low, 10 ** (count - 1) if count > 1 else 0)
        parts.append(_between(str(first), str(min(high, 10**count - 1))))
    return parts


def integers(low: int | None, high: int | None) -> list[str]:
    """Alternatives that together match the integers from ``low`` to ``high``; [] if none."""
    parts = []
    if low is None or low < 0:
        nearest = 1 if high is None or high >= 0 else -high
        negative = _naturals(nearest, None if low is None else -low)
        if negative:
            parts.append("-" + alternatives(negative))
    if high is None or high >= 0:
        parts += _naturals(max(low or 0, 0), high)
    return parts


# Fractions: the digits after the point, compared as if padded with zeros for ever.


def _rest(low: str, low_open: bool, high: str | None, high_open: bool) -> tuple[list[str], bool]:
    """Digit strings between two fractions, and whether the empty one is between them too.

    ``low`` and ``high`` have no trailing zeros; ``high`` None is the whole next unit.
    """
    if high is None and not low:
        return ([f"0*[1-9]{_ANY}"], False) if low_open else (["[0-9]+"], True)
    if high == "":
        return (["0+"], True) if not (low or low_open or high_open) else ([], False)
    low_digit = int(low[:1] or 0)
    high_digit = 9 if high is None else int(high[0])
    if low_digit > high_digit:
        return [], False
    parts = []
    rest_high = None if high is None else high[1:]
    if low_digit == high_digit:
        parts += _edge(low_digit, _rest(low[1:], low_open, rest_high, high_open))
    else:
        inner_low = low_digit
        inner_high = high_digit
        if low or low_open:
            parts += _edge(low_digit, _rest(low[1:], low_open, None, False))
            inner_low += 1
        if high is not None:
            inner_high -= 1
        if inner_low <= inner_high:
            parts.append(_digit_class(inner_low, inner_high) + _ANY)
        if high is not None:
            parts += _edge(high_digit, _rest("", False, rest_high, high_open))
    return parts, not low and not low_open


def _edge(digit: int, rest: tuple[list[str], bool]) -> list[str]:
    parts, may_end = rest
    if not parts:
        return [str(digit)] if may_end else []
    if parts == ["[0-9]+"] and may_end:
        return [str(digit) + _ANY]
    inner = alternatives(parts)
    if not may_end:
        return [str(digit) + inner]
    return [f"{digit}(?:{inner})?" if len(parts) == 1 else f"{digit}{inner}?"]


def _fraction(low: str, low_open: bool, high: str | None, high_open: bool) -> str | None:
    """A point and digits, perhaps left out; None when nothing fits."""
    parts, may_end = _rest(low, low_open, high, high_open)
    if not parts:
        return "" if may_end else None
    text = rf"\.{alternatives(parts)}"
    return f"(?:{text})?" if may_end else text


def _split(value: Decimal) -> tuple[int, str]:
    """The integer part and the fraction's digits, without trailing zeros."""
    whole, _, fraction = format(value, "f").partition(".")
    return int(whole), fraction.rstrip("0")


def _positional(range_: Range) -> list[str]:
    """Numbers without sign and exponent in a range whose ``low`` is at least 0."""
    assert range_.low is not None
    whole_low, low = _split(range_.low)
    parts: list[str] = []

    def add(heads: list[str], tail: str | None) -> None:
        if heads and tail is not None:
            parts.append(alternatives(heads) + tail)

    free = _fraction("", False, None, False)
    whole_high, high = (None, "") if range_.high is None else _split(range_.high)
    if whole_low == whole_high:
        add([str(whole_low)], _fraction(low, range_.low_open, high, range_.high_open))
        return parts
    start = whole_low
    if low or range_.low_open:
        add([str(whole_low)], _fraction(low, range_.low_open, None, False))
        start += 1
    add(_naturals(start, None if whole_high is None else whole_high - 1), free)
    if whole_high is not None:
        add([str(whole_high)], _fraction("", False, high, range_.high_open))
    return parts


def _exponents(low: int, high: int) -> list[str]:
    """``e`` and the integers from ``low`` to ``high``: a sign, one leading zero optional."""
    low, high = max(low, EXPONENTS[0]), min(high, EXPONENTS[1])
    parts = []
    for sign, first, last in (("-", max(1, -high), -low), ("\\+?", max(0, low), high)):
        if first > last:
            continue
        heads = []
        if first <= 9:
            heads.append("0?" + _digit_class(first, min(9, last)))
        if last > 9:
            heads += _naturals(max(first, 10), last)
        parts.append(sign + alternatives(heads))
    return [f"[eE]{alternatives(parts)}"] if parts else []


def _mantissa(value: Decimal) -> Decimal:
    """The same digits with one of them before the point (``scaleb`` would round)."""
    digits = value.as_tuple().digits
    return Decimal((0, digits, 1 - len(digits)))


def _scientific(range_: Range) -> list[str]:
    """``d.ddde±xx`` with one non-zero digit before the point, in a range from 0 up."""
    parts: list[str] = []

    def add(mantissa: Range, first: int, last: int) -> None:
        heads, exponents = _positional(mantissa), _exponents(first, last)
        if heads and exponents:
            parts.append(alternatives(heads) + exponents[0])

    one, ten = Decimal(1), Decimal(10)
    first, last = EXPONENTS
    low, high = range_.low, range_.high
    if high == 0:
        return []
    if low:
        first = low.adjusted()
    if high is not None:
        last = high.adjusted()
    if low and high is not None and first == last:
        scaled = Range(_mantissa(low), range_.low_open, _mantissa(high), range_.high_open)
        add(scaled, first, last)
        return parts
    if low:
        add(Range(_mantissa(low), range_.low_open, ten, True), first, first)
        first += 1
    if high is not None:
        add(Range(one, False, _mantissa(high), range_.high_open), last, last)
        last -= 1
    add(Range(one, False, ten, True), first, last)
    return parts


def _sides(range_: Range) -> list[tuple[str, Range]]:
    """The range's absolute values by sign (zero, spelled ``0`` or ``-0``, on both sides)."""
    zero = Decimal(0)
    sides = []
    if range_.high is None or range_.high >= 0:
        low = range_.low if range_.low is not None and range_.low >= 0 else None
        sides.append(
            ("", Range(low or zero, low is not None and range_.low_open,
                       range_.high, range_.high_open))
        )  # fmt: skip
    if range_.low is None or range_.low <= 0:
        high = range_.high if range_.high is not None and range_.high <= 0 else None
        far = None if range_.low is None else range_.low.copy_abs()
        near = zero if high is None else high.copy_abs()
        sides.append(("-", Range(near, high is not None and range_.high_open, far,
                                 range_.low_open)))  # fmt: skip
    return sides


def decimals(range_: Range) -> list[str]:
    """Alternatives for the numbers in ``range_``, with fraction and exponent; [] if none."""
    if range_ == EVERYWHERE:
        zero = Range(Decimal(0))
        return [f"-?{alternatives([*_positional(zero), *_scientific(zero)])}"]
    parts = []
    for sign, side in _sides(range_):
        if not side.is_empty():
            parts += [sign + part for part in _positional(side) + _scientific(side)]
    return parts


# Multiples.


def _trie(strings: Iterable[str]) -> str | None:
    """A regex of a finite set of digit strings, equal endings shared; None when it is empty."""
    by_head: dict[str, list[str]] = {}
    ends = False
    for string in strings:
        if string:
            by_head.setdefault(string[0], []).append(string[1:])
        else:
            ends = True
    if not by_head:
        return "" if ends else None
    by_tail: dict[str, list[str]] = {}
    for head, tails in sorted(by_head.items()):
        by_tail.setdefault(_trie(tails) or "", []).append(head)
    parts = [
        (heads[0] if len(heads) == 1 else f"[{''.join(heads)}]") + tail
        for tail, heads in by_tail.items()
    ]
    return f"(?:{'|'.join(parts)})?" if ends else alternatives(parts)


@dataclass(frozen=True, slots=True)
class Multiples:
    """How multiples of a unit look: ``q * 10**ending + r`` in units of ``10**-places``.

    ``r`` comes from few values, ``step`` apart; ``whole``: integers, so no point is written.
    """

    step: int
    ending: int
    places: int
    whole: bool

    def _tail(self, residue: int, *, padded: bool) -> list[str]:
        """The last digits of a number, with the point: every spelling of the fraction."""
        digits = str(residue).zfill(self.ending)
        head = digits[: self.ending - self.places]
        if not padded:
            head = head.lstrip("0") or "0"
        fraction = digits[self.ending - self.places :]
        if self.whole:
            return [head]
        kept = len(fraction.rstrip("0"))
        texts = [f"{head}.{fraction[:n]}" for n in range(max(kept, 1), len(fraction) + 1)]
        return texts if kept else [head, *texts]

    def naturals(self, low: int, high: int | None) -> list[str]:
        """Multiples from ``low`` to ``high``, both in units and at least 0."""
        modulus = 10**self.ending
        first, last = low // modulus, None if high is None else high // modulus
        parts = []

        def edge(quotient: int) -> None:
            start = max(low - quotient * modulus, 0)
            stop = modulus if high is None else min(high - quotient * modulus + 1, modulus)
            start += -(start + quotient * modulus) % self.step
            padded = quotient > 0 or self.ending == self.places
            tails = [
                t for r in range(start, stop, self.step) for t in self._tail(r, padded=padded)
            ]
            if self.ending == self.places:
                head = str(quotient)
            else:
                head = str(quotient) if quotient else ""
            tail = _trie(tails)
            if tail is not None:
                parts.append(head + tail.replace(".", r"\."))

        edge(first)
        if last is not None and last != first:
            edge(last)
        middle = _naturals(first + 1, None if last is None else last - 1)
        if middle:
            tails = [t for r in range(0, modulus, self.step) for t in self._tail(r, padded=True)]
            parts.append(alternatives(middle) + (_trie(tails) or "").replace(".", r"\."))
        return parts


def multiples(unit: Fraction, range_: Range, *, whole: bool) -> list[str] | None:
    """Alternatives for the multiples of ``unit`` in a range; None if a regex would be too large.

    A multiple is recognised by its last digits, where those repeat: ``unit`` must then divide a
    power of ten (5, 100, 0.25, not 3). A short range of multiples of anything is listed.
    """
    if whole:
        unit = Fraction(unit.numerator)
    places = 0
    while (unit * 10**places).denominator != 1:
        places += 1
        if places > DIGITS_LIMIT:
            return None
    places = max(places, 0 if whole else 1)
    step = int(unit * 10**places)
    low, high = range_.multiples(Fraction(1, 10**places))
    ending = places
    while 10**ending % step:
        ending += 1
        if ending > places + DIGITS_LIMIT or 10**ending > RESIDUES_LIMIT * step * 10:
            return _listed(step, places, low, high, whole=whole)
    if 10**ending // step > RESIDUES_LIMIT:
        return _listed(step, places, low, high, whole=whole)
    form = Multiples(step, ending, places, whole)
    parts = []
    if high is None or high >= 0:
        parts += form.naturals(max(low or 0, 0), high)
    if low is None or low < 0:
        near = 1 if high is None or high >= 0 else -high
        far = None if low is None else -low
        if far is None or near <= far:
            negative = form.naturals(near, far)
            parts += [f"-{part}" for part in negative]
    return parts


def _listed(
    step: int, places: int, low: int | None, high: int | None, *, whole: bool
) -> list[str] | None:
    if low is None or high is None or (high - low) // step > RESIDUES_LIMIT:
        return None
    form = Multiples(step, places, places, whole)
    first = low + -low % step
    texts: list[str] = []
    for value in range(first, high + 1, step):
        quotient, residue = divmod(abs(value), 10**places)
        sign = "-" if value < 0 else ""
        if whole:
            texts.append(f"{sign}{quotient}")
            continue
        tails = form._tail(residue, padded=True)
        texts += [f"{sign}{quotient}{tail}" for tail in tails]
    return [text.replace(".", r"\.") for text in texts]


def common_multiple(first: Fraction, second: Fraction) -> Fraction:
    """The unit of the numbers that are multiples of both."""
    denominator = lcm(first.denominator, second.denominator)
    a, b = int(first * denominator), int(second * denominator)
    return Fraction(lcm(a, b), denominator)
