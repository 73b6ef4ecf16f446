"""A progress bar on a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TextIO

# How often it is drawn, in seconds.
INTERVAL = 0.2
WIDTH = 24
_UNITS = ("", "k", "M", "G", "T", "P")


class Bar:
    """Shows how far a job is, on ``stream`` (default: standard error).

    Draws nothing where the stream is no terminal, unless ``shown`` says otherwise.
    ``done`` is what an earlier run has done of ``total``, in bytes.
    """

    def __init__(
        self,
        total: int,
        done: int = 0,
        *,
        shown: bool | None = None,
        stream: TextIO | None = None,
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._shown = self._stream.isatty() if shown is None else shown
        self._total = total
        self._begun_with = done
        self._done = done
        self._tokens = 0
        self._start = time.monotonic()
        self._drawn = float("-inf")
        self._length = 0

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            self._draw()
            self._stream.write("\n")
            self._stream.flush()

    def update(self, done: int, tokens: int) -> None:
        """Say how many bytes are done, and how many tokens that has made in all."""
        self._done, self._tokens = done, tokens
        if self._shown and time.monotonic() - self._drawn >= INTERVAL:
            self._draw()

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        seconds = max(self._drawn - self._start, 1e-9)
        rate = (self._done - self._begun_with) / seconds
        share = min(1.0, self._done / self._total) if self._total else 1.0
        filled = int(share * WIDTH)
        left = (self._total - self._done) / rate if rate > 0 else 0.0
        line = (
            f"{share:4.0%} [{'#' * filled}{'.' * (WIDTH - filled)}] "
            f"{short(self._done)}B of {short(self._total)}B, {short(self._tokens)} tokens, "
            f"{short(rate)}B/s, {clock(left)} left"
        )
        self._stream.write("\r" + line.ljust(self._length))
        self._stream.flush()
        self._length = len(line)


def short(number: float) -> str:
    """A number in at most four digits and a decimal prefix."""
    power = 0
    while number >= 999.5 and power < len(_UNITS) - 1:
        number /= 1000
        power += 1
    return f"{number:.{1 if power and number < 99.95 else 0}f}{_UNITS[power]}"


def clock(seconds: float) -> str:
    """A time as ``minutes:seconds``, with hours where there are any."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
