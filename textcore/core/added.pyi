from collections.abc import Sequence

class AddedMatcher:
    def __init__(
        self,
        tokens: list[tuple[bytes, int, bool, bool, bool]],
        word_ranges: Sequence[tuple[int, int]],
        space_ranges: Sequence[tuple[int, int]],
    ) -> None: ...
    def spans(self, text: str) -> list[tuple[int, int, int | None]]: ...
