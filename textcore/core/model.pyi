from textcore.core.cuts import Cuts

class WordModel:
    size: int
    fan_out: int
    cuts: Cuts | None
    exceptions: int
