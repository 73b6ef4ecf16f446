from textcore.core.charset import CharSet
from textcore.core.cuts import Cuts
from textcore.core.model import WordModel
from textcore.core.scanner import Automaton
from textcore.core.windows import WindowScanner

class WordEncoder:
    model: WordModel
    opening: WordModel | None
    drop: CharSet | None
    cuts: Cuts | None
    automata: tuple[Automaton, ...]
    windows: tuple[WindowScanner | None, ...]
