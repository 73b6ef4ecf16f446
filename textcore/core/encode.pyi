from collections.abc import Callable

from textcore.core.added import AddedMatcher
from textcore.core.charset import CharSet
from textcore.core.crew import Crew
from textcore.core.cuts import Cuts
from textcore.core.model import WordModel
from textcore.core.piecerules import PieceRules
from textcore.core.prompts import PromptCache
from textcore.core.scanner import Automaton
from textcore.core.textencoder import Piece, TextEncoder
from textcore.core.windows import WindowScanner
from textcore.core.written import Ranges

class Encoder(TextEncoder):
    cache_lines: int
    prompts: PromptCache | None
    crew: Crew
    def __init__(
        self,
        model: WordModel,
        cuts: Cuts | None,
        automata: tuple[Automaton, ...],
        windows: tuple[WindowScanner | None, ...],
        form: int,
        normalize: Callable[[str], str] | None,
        pre_split: Callable[[list[Piece]], list[Piece]] | None,
        cache_lines: int,
        max_id: int,
        opening: WordModel | None = None,
        drop: CharSet | None = None,
        level: int = 0,
        rules: PieceRules | None = None,
        prompts: PromptCache | None = None,
        direct: TextEncoder | None = None,
    ) -> None: ...
    def encode(
        self, text: str, first: AddedMatcher | None, second: AddedMatcher | None
    ) -> list[int]: ...
    @property
    def has_quick_way(self) -> bool: ...
    def encode_at_once(
        self, text: str, first: AddedMatcher | None, second: AddedMatcher | None
    ) -> list[int] | None: ...
    def encode_guarded(
        self,
        text: str,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
        trusted: Ranges,
        control: bytes,
        least: int,
    ) -> list[int] | None: ...
    def count(self, text: str, first: AddedMatcher | None, second: AddedMatcher | None) -> int: ...
    def encode_words(self, words: list[str]) -> list[int]: ...
    def get_ready(self) -> None: ...
    def split(self, text: str) -> list[str]: ...
