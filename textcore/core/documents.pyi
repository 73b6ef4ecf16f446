from collections.abc import Callable, Sequence
from typing import TypeVar

from typing_extensions import Buffer

from textcore.core.added import AddedMatcher
from textcore.core.encode import Encoder

Ids = TypeVar("Ids")
Lengths = TypeVar("Lengths")

class Documents:
    empty: int
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> bytes: ...

def invalid_utf8(data: Buffer) -> int: ...
def split_documents(data: bytes, separator: bytes, lines: bool = False) -> Documents: ...
def sliced_documents(data: Buffer, offsets: Buffer) -> Documents: ...
def first_invalid(documents: Documents) -> tuple[int, int] | None: ...
def encode_documents(
    encoder: Encoder,
    first: AddedMatcher | None,
    second: AddedMatcher | None,
    documents: Documents,
    prefix: Sequence[int],
    suffix: Sequence[int],
    make_ids: Callable[[int], Ids],
    make_lengths: Callable[[int], Lengths],
    width: int,
    goes_on: bool = False,
    stays_open: bool = False,
) -> tuple[Ids, Lengths]: ...
