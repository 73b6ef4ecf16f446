from textcore.core.model import WordModel

class Unigram(WordModel):
    def __init__(
        self, pieces: list[tuple[str, float]], unk_id: int | None, byte_fallback: bool
    ) -> None: ...
    def tokenize(self, word: bytes) -> list[tuple[int, int, int, bool]]: ...
