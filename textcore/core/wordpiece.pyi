from textcore.core.model import WordModel

class WordPiece(WordModel):
    def __init__(
        self,
        vocab: dict[str, int],
        unk_token: str,
        prefix: str,
        max_chars: int,
    ) -> None: ...

class WordLevel(WordModel):
    def __init__(self, vocab: dict[str, int], unk_token: str) -> None: ...
