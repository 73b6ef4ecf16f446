from textcore.core.model import WordModel

class MergeError(ValueError):
    index: int
    problem: str
    def __init__(self, index: int, problem: str) -> None: ...

class BPE(WordModel):
    byte_level: bool
    def __init__(
        self,
        vocab: dict[str, int],
        contents: dict[str, bytes] | None,
        merges: list[str] | list[list[str]],
        *,
        unk_token: str | None = None,
        fuse_unk: bool = False,
        byte_fallback: bool = False,
        ignore_merges: bool = False,
        prefix: str = "",
        suffix: str = "",
        joins: list[str] | None = None,
        levels: list[int] | None = None,
    ) -> None: ...
    def merges(self) -> list[tuple[int, int, int, int]]: ...
    def remembered(self, words: list[bytes], level: int) -> list[list[int] | None]: ...
    def single_words(self) -> dict[bytes, int]: ...
    def options(self) -> dict[str, bool | str | None]: ...
    def tokenize(self, word: bytes) -> list[tuple[int, int]]: ...
