from array import array
from collections.abc import Callable
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

class Finding:
    def __init__(self, path: _Path) -> None: ...

class Fit:
    @property
    def fitting(self) -> Any: ...
    def __init__(
        self,
        fitting: Any,
        cutting: tuple[int, int, bool, bool] | None,
        filling: tuple[int, int, bool, tuple[int, int, str]] | None,
    ) -> None: ...

class Frame:
    def __init__(
        self,
        encoder: Encoder,
        finding: Finding,
        before: array[int],
        after: array[int],
        made: type[Deferred],
        later: Callable[[Encoded], Any],
        share: Callable[[Encoded], Any],
        cut: Callable[[Any, int, int], Any],
    ) -> None: ...
    def set_rest(self, rest: Frame | None) -> None: ...
    def encoded(
        self,
        text: str,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
        fit: Fit | None,
    ) -> Any: ...

class PairFrame:
    def __init__(
        self,
        encoder: Encoder,
        finding: Finding,
        tokens: array[int],
        sequences: array[int],
        made: type[Deferred],
        later: Callable[[tuple[Encoded, Encoded]], Any],
    ) -> None: ...
    def encoded(
        self,
        text: str,
        pair: str,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
        fit: Fit | None,
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
    @property
    def _pending(self) -> Callable[[], list[Any]] | None: ...
    def _defer_overflowing(self, pending: Callable[[], list[Any]]) -> None: ...
    def _pad_late(self, filling: tuple[int, int, int, str], right: bool) -> bool: ...
    def _padded_later(
        self, later: Any, filling: tuple[int, int, int, str], right: bool
    ) -> Any: ...
