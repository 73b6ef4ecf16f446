from collections.abc import Mapping

from textcore.core.model import WordModel

class WordPiece(WordModel):
    def __init__(
        self,
        vocab: dict[str, int],
        unk_token: str,
        prefix: str,
        max_chars: int,
    ) -> None: ...
    def tables(self) -> dict[str, bytes]: ...
    @staticmethod
    def restore(tables: Mapping[str, bytes | memoryview]) -> WordPiece: ...

class WordLevel(WordModel):
    def __init__(self, vocab: dict[str, int], unk_token: str) -> None: ...
    def tables(self) -> dict[str, bytes]: ...
    @staticmethod
    def restore(tables: Mapping[str, bytes | memoryview]) -> WordLevel: ...
