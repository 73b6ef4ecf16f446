from typing_extensions import Self

from textcore.core.matcher import Matcher

class StopStream:
    """The state of one stream; see ``textcore.StopChecker``. Not to be shared by threads."""

    def __new__(cls, matcher: Matcher, include_stop: bool = False) -> Self: ...
    @property
    def stopped(self) -> str | None:
        """The stop that was found, or None so far."""
    @property
    def text(self) -> str:
        """All the text that ``add`` and ``finish`` have returned, joined."""
    def add(self, delta: str) -> str:
        """Take the stream's next piece; return the text that is now certain to be shown."""
    def finish(self) -> str:
        """End the stream and return what was held back."""
