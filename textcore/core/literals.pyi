from collections.abc import Callable

class LiteralScanner:
    """Reads one value, or a call's arguments, and gives it as JSON text."""

    mark: str
    done: bool
    bad: bool
    begun: bool
    def __init__(self, mark: str = "") -> None: ...
    def start(
        self,
        arguments: bool = False,
        holds: Callable[[str], bool] | None = None,
        convert: Callable[[str, str], str] | None = None,
        raw: bool = False,
        knows: Callable[[str], bool] | None = None,
        round: bool = False,
    ) -> None:
        """Forget everything; a value follows, or a call's arguments."""
    def take(self) -> str:
        """The JSON text that has become certain since the last time."""
    def feed(self, text: str, position: int = 0) -> int:
        """Read on at ``text[position]``; return the position behind the value."""
    def finish(self) -> bool:
        """Say that the text ends here; return ``done``."""
