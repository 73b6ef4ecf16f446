from array import array
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from textcore.core.added import AddedMatcher
from textcore.core.encode import Encoder
from textcore.core.spans import Encoded, SpanFinder

class _Path(Protocol):
    @property
    def finder(self) -> SpanFinder | None: ...
    @property
    def trimmer(self) -> Trimmer | None: ...

class Trimmer:
    def __init__(
        self,
        leading: array[int],
        trailing: array[int],
        prefixed: tuple[bool, ...],
        trimmed: Callable[[bool, int, str, int, int], tuple[int, int]],
    ) -> None: ...

    def trimmed(
        self,
        ids: array[int],
        first: int,
        count: int,
        words: array[int],
        starts: array[int],
        ends: array[int],
        odd: list[tuple[int, str]],
    ) -> tuple[array[int], array[int], array[int]]: ...

class Source: ...

class Finding:
    def __init__(self, path: _Path) -> None: ...

def join(
    finding: Finding, slots: list[tuple[int, int]], pieces: tuple[Encoded, ...]
) -> tuple[array[int], Source]: ...

class Whole:
    piece: Encoded
    def __init__(self, finding: Finding, piece: Encoded) -> None: ...

class Parts(Source):
    def __init__(self, slots: Sequence[tuple[Whole | None, int, int]]) -> None: ...

class Frame:
    def __init__(
        self,
        encoder: Encoder,
        finding: Finding,
        before: array[int],
        after: array[int],
        made: type[Deferred],
        later: Callable[[Encoded], Any],
    ) -> None: ...
    def encoded(
        self, text: str, first: AddedMatcher | None, second: AddedMatcher | None
    ) -> Any: ...

class Deferred:
    _ids: array[int]
    _later: Any
    _read: bool
    _overflowing: list[Any]
    def __len__(self) -> int: ...
    @property
    def ids(self) -> list[int]: ...
    @property
    def offsets(self) -> list[tuple[int, int]]: ...
    @property
    def word_ids(self) -> list[int | None]: ...
    def places(self) -> tuple[array[int], array[int], array[int]]: ...
    def _columns_of_places(self) -> tuple[array[int], array[int], array[int]]: ...
    def _set_source(self, source: Source) -> None: ...
    def _pad_late(self, filling: tuple[int, int, int, str], right: bool) -> bool: ...
    def _padded_later(
        self, later: Any, filling: tuple[int, int, int, str], right: bool
    ) -> Any: ...
