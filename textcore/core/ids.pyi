from collections.abc import Iterable
from typing import final

from typing_extensions import Buffer

@final
class IdArray:
    def __init__(self, ids: Iterable[int] | Buffer) -> None: ...
    def __len__(self) -> int: ...
    def tolist(self) -> list[int]: ...
