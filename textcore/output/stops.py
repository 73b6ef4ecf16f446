"""Stop strings: end a stream at the first of them, and show nothing of it before.

A stop that straddles deltas is found all the same, so the beginning of one has to be held
back until the text that follows decides: exactly the longest suffix of the text that is a
proper prefix of some stop, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable

from textcore.core.matcher import Matcher
from textcore.core.stopstream import StopStream


class StopChecker(StopStream):
    """Watches one stream of text for stop strings.

    The stop whose end comes first wins, and of those that end there the one that starts
    first, which is the longest: a rule about the text alone, so that the result never
    depends on how the text was cut into deltas. Text is compared by code points, lone
    surrogates included. A delta costs amortised time linear in its own length (times the
    logarithm of how many ways a prefix goes on), whatever came before it.

    Args:
        stops: one stop, several, or None. Empty ones are dropped, as an empty string would
            stop every stream before it began.
        include_stop: whether the stop that is found is part of the text.

    Raises:
        TypeError: a stop is not a str.
    """

    __slots__ = ()

    def __new__(
        cls, stops: str | Iterable[str] | None = None, include_stop: bool = False
    ) -> StopChecker:
        """Build the automaton of the stops."""
        return super().__new__(cls, Matcher(stop_tuple(stops)), include_stop)

    def __init__(
        self, stops: str | Iterable[str] | None = None, include_stop: bool = False
    ) -> None:
        """All is done by ``__new__``."""


def stop_tuple(stops: str | Iterable[str] | None) -> tuple[str, ...]:
    """The distinct, non-empty stops, in their order."""
    if stops is None:
        return ()
    if isinstance(stops, str):
        stops = (stops,)
    distinct: dict[str, None] = {}
    for stop in stops:
        if not isinstance(stop, str):
            raise TypeError(f"a stop is a str, not {type(stop).__name__}")
        # Of a subclass, only its characters: the automaton takes nothing but str itself.
        plain = str.__str__(stop)
        if plain:
            distinct[plain] = None
    return tuple(distinct)
