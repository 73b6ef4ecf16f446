"""Running the automaton of a split pattern over text."""

from collections.abc import Sequence

class Automaton:
    """Immutable tables of a deterministic automaton; safe to share between threads.

    ``block_of``: 0x1100 block numbers, one for each 256 code points; ``blocks``: a class
    for each code point of each block; ``moves``: a row for each state with an entry for
    each class and a last one for the end of the text: the next state (0: dead) times two,
    plus one where a match ends before that symbol; ``starts``: the first state of a match
    after each symbol (the last entry: at the start of the text).

    ``cuts``: the rows of :func:`textcore.pipeline.patterns.cutting.cutting_rows`.

    ``covers`` and ``linear`` are what :mod:`textcore.pipeline.patterns.automaton` has
    proved of the tables.

    Raises ``ValueError`` for tables that are inconsistent.
    """

    covers: bool
    linear: bool

    def __init__(
        self,
        block_of: Sequence[int],
        blocks: bytes,
        moves: Sequence[Sequence[int]],
        starts: Sequence[int],
        cuts: Sequence[Sequence[int]] = (),
        *,
        covers: bool = False,
        linear: bool = False,
    ) -> None: ...
    @property
    def size(self) -> tuple[int, int]:
        """The number of states (the dead one included) and of classes of characters."""

    def find_spans(self, text: str) -> list[tuple[int, int]]:
        """The spans, in characters, of the successive matches in ``text``.

        An empty match right after another match is left out. Linear time in the length of
        ``text`` whatever the automaton. Raises ``UnicodeEncodeError`` for a lone surrogate.
        """

    def find_cuts(self, text: str, batch: int = 256) -> list[int]:
        """Where, in characters, the pieces end into which the matches' borders cut ``text``.

        ``batch``: how many are computed at once (2 or more).
        """

    def parts(self, before: str, after: str) -> bool | None:
        """What holds between two characters, whatever stands before and after them.

        True: a piece ends there, and the text on each side of the place is cut as it would be
        if it stood alone. False: no match reaches over the place, and matches on one side
        know nothing of the other; but what lies between two matches may reach over it. None:
        neither is certain.
        """
