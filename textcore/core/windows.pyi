from textcore.core.scanner import Automaton

def levels() -> list[int]: ...

class WindowScanner:
    automaton: Automaton
    level: int
    def __init__(
        self,
        automaton: Automaton,
        groups: bytes,
        space: int,
        ends: bytes,
        second: bytes,
        third: bytes,
        right: bytes,
        verdicts: bytes,
        lengths: bytes,
        row_of: bytes,
        rows: bytes,
        level: int,
    ) -> None: ...
    def verdicts(self, text: str, back: bool = False) -> list[int]: ...
    def cut(self, text: str) -> list[str]: ...
