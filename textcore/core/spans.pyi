from array import array
from collections.abc import Callable

from textcore.core.added import AddedMatcher
from textcore.core.alignment import Alignment
from textcore.core.encode import Encoder
from textcore.core.lengths import TokenLengths

Spans = tuple[array[int], array[int], array[int], list[tuple[int, str]]]

class Encoded:
    text: str
    ids: array[int]
    first: AddedMatcher | None
    second: AddedMatcher | None
    front: int
    back: int
    @property
    def count(self) -> int: ...

def encoded(
    encoder: Encoder,
    text: str,
    first: AddedMatcher | None,
    second: AddedMatcher | None,
    before: array[int],
    after: array[int],
) -> Encoded: ...

class SpanFinder:
    def __init__(
        self,
        encoder: Encoder,
        lengths: TokenLengths,
        form: int,
        align: Callable[[str], tuple[str, Alignment | None]] | None,
    ) -> None: ...
    def find(self, piece: Encoded) -> Spans | None: ...
