class Matcher:
    """The automaton of a tuple of non-empty, distinct strings. Immutable, so shareable."""

    patterns: tuple[str, ...]
    def __init__(self, patterns: tuple[str, ...]) -> None: ...
