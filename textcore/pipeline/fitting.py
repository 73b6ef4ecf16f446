"""The truncation and padding sections of a tokenizer.json: encodings cut and filled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from textcore.core.deferred import Fit
from textcore.encoding import Encoding
from textcore.errors import TextcoreError
from textcore.pipeline.spec import Node, shorten

# No text has so many tokens.
MAX_LENGTH = 2**62
_DIRECTIONS = ("Left", "Right")
_STRATEGIES = ("LongestFirst", "OnlyFirst", "OnlySecond")
STRATEGY_NAMES = {
    "longest_first": "LongestFirst",
    "only_first": "OnlyFirst",
    "only_second": "OnlySecond",
}


@dataclass(frozen=True, slots=True)
class Truncation:
    """How encodings are cut: ``max_length`` tokens, overlapping by ``stride``.

    ``wraps``: where special tokens alone are more than ``max_length``, nothing is cut, as by the
    reference, whose unsigned difference of the two is very large then.
    """

    max_length: int
    strategy: str = "LongestFirst"
    stride: int = 0
    direction: str = "right"
    wraps: bool = True

    def less(self, added: int) -> Truncation:
        """The same with room left for ``added`` tokens.

        Raises TextcoreError where there is no room, unless it ``wraps``.
        """
        if added > self.max_length:
            if self.wraps:
                return replace(self, max_length=self.max_length - added + 2**64)
            raise TextcoreError(
                f"truncation to {self.max_length} tokens leaves no room for {added} special tokens"
            )
        return replace(self, max_length=self.max_length - added)

    def apply(self, encoding: Encoding, pair: Encoding | None) -> None:
        """Cut one or two encodings in place. Raises TextcoreError where that can't be done."""
        lengths = self.lengths(len(encoding), None if pair is None else len(pair))
        for each, length in zip((encoding, pair), lengths, strict=False):
            if each is not None and length is not None:
                each.truncate(length, self.stride, self.direction)

    def lengths(self, first: int, second: int | None) -> list[int | None]:
        """How many tokens are kept of one or two sequences of so many; None: all.

        Raises TextcoreError where the sequences can't be cut like that.
        """
        total = first + (second or 0)
        if self.max_length == 0:
            return [0, 0]
        if total <= self.max_length:
            return [None, None]
        if self.strategy == "LongestFirst":
            return self._longest_first(first, second)
        return self._only_one(first, second, total - self.max_length)

    def _longest_first(self, first: int, second: int | None) -> list[int | None]:
        """Take from the longer until both fit; then from both alike."""
        if second is None:
            return [self.max_length, None]
        short, long = min(first, second), max(first, second)
        long = short if short > self.max_length else max(short, self.max_length - short)
        if short + long > self.max_length:
            short = self.max_length // 2
            long = short + self.max_length % 2
        return [long, short] if first > second else [short, long]

    def _only_one(self, first: int, second: int | None, surplus: int) -> list[int | None]:
        target = first if self.strategy == "OnlyFirst" else second
        if target is None:
            raise TextcoreError("truncation of the second sequence, but there is only one")
        if target <= surplus:
            raise TextcoreError(
                f"truncation: the sequence of {target} tokens is too short to lose {surplus}"
            )
        length = target - surplus
        return [length, None] if self.strategy == "OnlyFirst" else [None, length]


@dataclass(frozen=True, slots=True)
class Padding:
    """How encodings are filled: to ``length`` tokens, or (None) to the longest one's."""

    length: int | None
    direction: str
    pad_to_multiple_of: int | None
    pad_id: int
    pad_type_id: int
    pad_token: str

    def apply(self, encodings: list[Encoding]) -> None:
        """Fill encodings in place to the same length."""
        length = self.length
        if length is None:
            length = max(map(len, encodings), default=0)
        if self.pad_to_multiple_of:
            length += -length % self.pad_to_multiple_of
        for encoding in encodings:
            encoding.pad(
                length,
                direction=self.direction,
                pad_id=self.pad_id,
                pad_type_id=self.pad_type_id,
                pad_token=self.pad_token,
            )


class Fitting(NamedTuple):
    """How encodings are cut and filled; None where they are not."""

    truncation: Truncation | None
    padding: Padding | None

    def compiled(self) -> Fit:
        """The same for single inputs, as the compiled path takes it."""
        cutting = filling = None
        if (truncation := self.truncation) is not None:
            size, stride = (
                min(truncation.max_length, MAX_LENGTH),
                min(truncation.stride, MAX_LENGTH),
            )
            is_left, alone = truncation.direction == "left", truncation.strategy != "OnlySecond"
            cutting = size, stride, is_left, alone
        if (padding := self.padding) is not None:
            length = -1 if padding.length is None else padding.length
            filled = padding.pad_id, padding.pad_type_id, padding.pad_token
            filling = length, padding.pad_to_multiple_of or 0, padding.direction == "right", filled
        return Fit(self, cutting, filling)


def choose_fitting(
    own: Fitting,
    *,
    truncation: bool | str | None = None,
    max_length: int | None = None,
    stride: int | None = None,
    truncation_side: str | None = None,
    padding: bool | str | int | None = None,
    pad_to_multiple_of: int | None = None,
    padding_side: str | None = None,
    pad_id: int | None = None,
    pad_type_id: int | None = None,
    pad_token: str | None = None,
) -> Fitting:
    """How to cut and fill, by what a file says (``own``) and what a caller asks for.

    Raises ValueError.
    """
    return Fitting(
        choose_truncation(own.truncation, truncation, max_length, stride, truncation_side),
        choose_padding(
            own.padding, padding, pad_to_multiple_of, padding_side, pad_id, pad_type_id, pad_token
        ),
    )


def choose_truncation(
    own: Truncation | None,
    wanted: bool | str | None,
    max_length: int | None,
    stride: int | None,
    side: str | None,
) -> Truncation | None:
    """How to cut, by what a file says (``own``) and what a caller asks for.

    ``wanted``: None is what the file says, or any cutting where ``max_length`` is given;
    False none; True or a strategy's name ("longest_first", "only_first", "only_second")
    some. What is not given is as in the file, else stride 0 at the right. A length that is
    given must have room for special tokens when it is applied.
    Raises ValueError where no length is given, nor in the file, or a value is wrong.
    """
    if wanted is False:
        return None
    if wanted is None and max_length is None and own is None:
        return None
    wraps = max_length is None
    if max_length is None and own is not None:
        max_length = own.max_length
    if max_length is None:
        raise ValueError("truncation needs a max_length: the file has none")
    base = own or Truncation(max_length)
    strategy = base.strategy
    if isinstance(wanted, str):
        strategy = strategy_of(wanted)
    return Truncation(
        max_length if wraps else _count("max_length", max_length),
        strategy,
        base.stride if stride is None else _count("stride", stride),
        base.direction if side is None else side_of("truncation_side", side),
        wraps,
    )


def choose_padding(
    own: Padding | None,
    wanted: bool | str | int | None,
    multiple: int | None,
    side: str | None,
    pad_id: int | None,
    pad_type_id: int | None,
    pad_token: str | None,
) -> Padding | None:
    """How to fill, by what a file says (``own``) and what a caller asks for.

    ``wanted``: None is what the file says, False none, True or "longest" to the longest of
    the batch, a number to that length. What is not given is as in the file, else 0, 0 and
    "[PAD]" at the right. Raises ValueError for a value that is wrong.
    """
    if wanted is False or (wanted is None and own is None):
        return None
    base = own or Padding(None, "right", None, 0, 0, "[PAD]")
    if wanted is None:
        length = base.length
    elif wanted is True or wanted == "longest":
        length = None
    elif isinstance(wanted, int):
        length = _count("padding", wanted)
    else:
        raise ValueError(f'padding is {wanted!r}; expected a bool, "longest" or a length')
    return Padding(
        length,
        base.direction if side is None else side_of("padding_side", side),
        base.pad_to_multiple_of if multiple is None else _count("pad_to_multiple_of", multiple),
        base.pad_id if pad_id is None else _count("pad_id", pad_id),
        base.pad_type_id if pad_type_id is None else _count("pad_type_id", pad_type_id),
        base.pad_token if pad_token is None else pad_token,
    )


def strategy_of(name: str) -> str:
    """The strategy that ``longest_first``, ``only_first`` or ``only_second`` names."""
    try:
        return STRATEGY_NAMES[name]
    except KeyError:
        raise ValueError(
            f"truncation is {name!r}; expected a bool or one of {', '.join(STRATEGY_NAMES)}"
        ) from None


def side_of(what: str, side: str) -> str:
    """``side``, which must be "left" or "right"."""
    if side not in ("left", "right"):
        raise ValueError(f"{what} is {side!r}; expected 'left' or 'right'")
    return side


def _count(what: str, value: int) -> int:
    if not isinstance(value, int) or not 0 <= value < 2**31:
        raise ValueError(f"{what} is {value!r}; expected a number from 0 to 2**31 - 1")
    return value


def read_truncation(node: Node | None) -> Truncation | None:
    """The ``truncation`` section, or None where it is missing or null."""
    if node is None:
        return None
    return Truncation(
        _size(node, "max_length", 64),
        node.one_of("strategy", _STRATEGIES),
        _size(node, "stride", 64),
        node.one_of("direction", _DIRECTIONS, "Right").lower(),
    )


def read_padding(node: Node | None) -> Padding | None:
    """The ``padding`` section, or None where it is missing or null."""
    if node is None:
        return None
    strategy = node.data.get("strategy")
    length = None
    if isinstance(strategy, dict) and list(strategy) == ["Fixed"]:
        fixed = node.child("strategy")
        assert fixed is not None
        length = _size(fixed, "Fixed")
    elif strategy != "BatchLongest":
        raise node.error(
            "strategy",
            f'expected "BatchLongest" or an object with "Fixed", found {shorten(strategy)}',
        )
    multiple = None
    if node.data.get("pad_to_multiple_of") is not None:
        multiple = _size(node, "pad_to_multiple_of")
    return Padding(
        length,
        node.one_of("direction", _DIRECTIONS).lower(),
        multiple,
        _size(node, "pad_id"),
        _size(node, "pad_type_id"),
        node.get("pad_token", str),
    )


def _size(node: Node, key: str, bits: int = 31) -> int:
    value = node.get(key, int)
    if not 0 <= value < 2**bits:
        problem = f"expected a number from 0 to 2**{bits} - 1, found {shorten(value)}"
        raise node.error(key, problem)
    return value
