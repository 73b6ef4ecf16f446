from array import array
from collections.abc import Callable

from textcore.core.added import AddedMatcher
from textcore.core.alignment import Alignment
from textcore.core.encode import Encoder
from textcore.core.lengths import TokenLengths

class Places:
    count: int
    odd: list[tuple[int, str]]
    def arrays(self) -> tuple[array[int], array[int], array[int]]: ...

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
def marks_of(encoder: Encoder) -> str: ...

class SpanFinder:
    def __init__(
        self,
        encoder: Encoder,
        lengths: TokenLengths,
        form: int,
        align: Callable[[str], tuple[str, Alignment | None]] | None,
        contents: dict[int, bytes],
    ) -> None: ...
    def find(self, piece: Encoded) -> Places | None: ...
