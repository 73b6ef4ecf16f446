from collections.abc import Collection, Sequence

class AddedMatcher:
    longest: int
    has_single_word: bool
    has_lstrip: bool
    def __init__(
        self,
        tokens: list[tuple[bytes, int, bool, bool, bool]],
        word_ranges: Sequence[tuple[int, int]],
        space_ranges: Sequence[tuple[int, int]],
        control_ids: Collection[int] = ...,
    ) -> None: ...
    def spans(
        self, text: str, trusted: list[tuple[int, int]] | None = None
    ) -> list[tuple[int, int, int | None]]: ...
