import numpy
from numpy.typing import NDArray

from textcore.core.added import AddedMatcher
from textcore.core.crew import Job
from textcore.core.encode import Encoder

class Batch(Job):
    def __init__(
        self,
        encoder: Encoder,
        texts: list[str],
        first: AddedMatcher | None,
        second: AddedMatcher | None,
        threads: int,
    ) -> None: ...
    def lists(self) -> list[list[int]]: ...
    def arrays(self) -> tuple[NDArray[numpy.uint32], NDArray[numpy.uint64]]: ...
