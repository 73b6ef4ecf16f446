from textcore.core.cuts import Cuts

class WordModel:
    size: int
    fan_out: int
    cuts: Cuts | None
    fusing: Cuts | None
    exceptions: int
    streams: bool
    def largest_id(self) -> int: ...
    def symbols(self, word: bytes) -> list[tuple[int, int]]: ...
