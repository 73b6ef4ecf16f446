from textcore.core.model import WordModel

class Spaced(WordModel):
    def __init__(self, inner: WordModel, mark: str, always: bool, prefix: str = "") -> None: ...
