from textcore.core.model import WordModel

class TokenLengths:
    def __init__(self, model: WordModel, tokens: dict[int, str], mark: str = ...) -> None: ...
