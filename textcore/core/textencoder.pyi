from collections.abc import Callable

from textcore.core.piecerules import PieceRules
from textcore.core.wordencoder import WordEncoder

Piece = tuple[str, bool]

class TextEncoder(WordEncoder):
    normalize: Callable[[str], str] | None
    rules: PieceRules | None
    pre_split: Callable[[list[Piece]], list[Piece]] | None
    direct: TextEncoder | None
