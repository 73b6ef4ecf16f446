from textcore.core.matcher import Matcher

class Splitter:
    """One region of a stream, up to the first of its delimiters. Not shared by threads."""

    hit: int
    position: int
    before: str
    def __init__(self, matcher: Matcher, formatting: str = "") -> None: ...
    @property
    def tag(self) -> str | None:
        """The delimiter that was found, or None."""
    def start(self, skip: bool = False) -> None:
        """Begin a region, directly behind a delimiter if ``skip``."""
    def feed(self, text: str, position: int = 0) -> str:
        """Take ``text`` from ``position``, to its end or the first delimiter's."""
    def finish(self) -> str:
        """Return what was held back, as the stream ends here."""
