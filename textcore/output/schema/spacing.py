"""The whitespace between the parts of a JSON text: fixed, or left to the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .fragments import EMPTY, Composer, Fragment, literal

_WHITESPACE: Final = " \t\n\r"


@dataclass(frozen=True)
class Spacing:
    """``separators``: a comma and a colon with the whitespace that belongs to them.

    With ``whitespace``, up to that many characters of it may stand wherever JSON allows them,
    and the separators' own does not count.
    """

    separators: tuple[str, str] = (", ", ": ")
    whitespace: int = 0

    def __post_init__(self) -> None:
        """Raise ValueError unless they are what they should be."""
        if not isinstance(self.separators, tuple | list) or len(self.separators) != 2:
            raise ValueError(f"separators: expected two strings, not {self.separators!r}")
        for text, mark in zip(self.separators, ",:", strict=True):
            if not isinstance(text, str) or text.strip(_WHITESPACE) != mark:
                raise ValueError(
                    f"separators: expected {mark!r} with JSON whitespace around it or none,"
                    f" not {text!r}"
                )
        check_count("whitespace", self.whitespace)

    def gap(self, composer: Composer) -> Fragment:
        """What may stand inside a bracket."""
        if not self.whitespace:
            return EMPTY
        return composer.repeat(Fragment(r"[ \t\n\r]", 1, True), 0, self.whitespace)

    def comma(self, composer: Composer) -> Fragment:
        """What stands between items."""
        return self._mark(self.separators[0], ",", composer)

    def colon(self, composer: Composer) -> Fragment:
        """What stands between a name and its value."""
        return self._mark(self.separators[1], ":", composer)

    def _mark(self, separator: str, mark: str, composer: Composer) -> Fragment:
        if not self.whitespace:
            return literal(separator)
        gap = self.gap(composer)
        return composer.seq([gap, literal(mark), gap])


def check_count(name: str, value: int) -> None:
    """Raise ValueError unless an option is a count."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name}: expected an integer of at least 0, not {value!r}")
