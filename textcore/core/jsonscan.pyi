from typing_extensions import Self

class JsonScanner:
    """Finds the end of one JSON value, and where the values of some of its keys stand."""

    keys: tuple[str, ...]
    done: bool
    bad: bool
    member: int
    mends: bool
    edits: list[tuple[int, int, str]]
    def __new__(
        cls, keys: tuple[str, ...] = (), first: bool = False, mends: bool = False
    ) -> Self: ...
    def start(self) -> None:
        """Forget everything; the next character begins a value."""
    def feed(self, text: str, position: int = 0) -> int:
        """Read on at ``text[position]``; return the position behind what belongs to the value."""
    def take_edits(self) -> list[tuple[int, int, str]]:
        """The edits since the last time: where, how many characters to leave out, what to add."""
    def finish(self) -> bool:
        """Say that the text ends here, which completes a number; return ``done``."""
    def span(self, key: int) -> tuple[int, int] | None:
        """Where the value of ``keys[key]`` stands, counted from the value's start."""
