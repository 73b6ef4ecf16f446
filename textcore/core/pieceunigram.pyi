from collections.abc import Mapping

from textcore.core.model import WordModel

class PieceUnigram(WordModel):
    def __init__(
        self,
        pieces: dict[str, int],
        scores: list[float],
        unk_id: int | None,
        unk_score: float,
        byte_ids: list[int] | None,
    ) -> None: ...
    def tokenize(self, text: bytes) -> list[tuple[int, int, int, bool]]: ...
    def units(self, text: bytes) -> list[bytes]: ...
    def tables(self) -> dict[str, bytes]: ...
    @staticmethod
    def restore(tables: Mapping[str, bytes | memoryview]) -> PieceUnigram: ...
