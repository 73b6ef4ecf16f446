from array import array

from textcore.core.charset import CharSet

class CharRewriter:
    def __init__(
        self, removed: CharSet | None, spaced: CharSet | None, padded: CharSet | None
    ) -> None: ...
    def rewrite(self, text: str) -> str: ...
    def origin(self, text: str) -> array[int]: ...
