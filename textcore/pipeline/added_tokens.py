"""Added tokens: which there are, their ids, and where they are looked for in a text."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cache

from textcore.core.added import AddedMatcher
from textcore.errors import SpecError, UnsupportedError
from textcore.pipeline.spec import Node, shorten
from textcore.unicode.properties import ranges

# How many selections of allowed tokens are kept ready.
SELECTIONS = 16

Matchers = tuple[AddedMatcher | None, AddedMatcher | None]


@dataclass(frozen=True, slots=True)
class AddedToken:
    """One added token, its fields as in a tokenizer.json.

    The last two are for formats that say more: ``id`` is the token's id (None: see
    AddedVocabulary; such tokens are in normalized form already), and one that is not
    ``in_text`` is looked for only where it is named.
    """

    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = True
    special: bool = False
    id: int | None = None
    in_text: bool = True


@dataclass(frozen=True, slots=True)
class PlacedToken(AddedToken):
    """One with an id that the rules gave at another time; else as if it had none."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Added tokens, some of which count only where a caller says that the text is trusted.

    ``control`` has a byte for each id from ``least`` on, 1 for that of a control token.
    ``in_normalized``: some of these are looked for in normalized text.
    """

    matchers: Matchers
    control: bytes
    least: int
    in_normalized: bool

    def is_control(self, token_id: int) -> bool:
        index = token_id - self.least
        return 0 <= index < len(self.control) and self.control[index] == 1


def read_added_tokens(root: Node) -> list[AddedToken]:
    """The ``added_tokens`` of a tokenizer.json. Their ids are not used: see AddedVocabulary."""
    tokens: list[AddedToken] = []
    given = root.data.get("added_tokens", ())
    if isinstance(given, tuple):
        # The reader of another format has made them: no JSON gives a tuple.
        return list(given)
    for node in root.children("added_tokens"):
        content = node.get("content", str)
        token_id = node.get("id", int)
        if not 0 <= token_id < 2**31:
            raise node.error(
                "id", f"expected an id from 0 to 2**31 - 1, found {shorten(token_id)}"
            )
        if any("\ud800" <= char <= "\udfff" for char in content):
            raise node.error("content", "the token has a lone surrogate")
        flags = [
            node.get(name, bool)
            for name in ("single_word", "lstrip", "rstrip", "normalized", "special")
        ]
        tokens.append(AddedToken(content, *flags))
    return tokens


@cache
def _word_ranges() -> tuple[tuple[int, int], ...]:
    return ranges("\\w", "rust")


@cache
def _space_ranges() -> tuple[tuple[int, int], ...]:
    return ranges("\\s", "rust")


class AddedVocabulary:
    """The added tokens of a tokenizer.

    Ids are given as the reference gives them, whatever the file says: the id that the token
    has already, in the model or as an added token; else the next one after all others.

    Parameters
    ----------
    tokens : the added tokens, in the file's order
    model_id : the model's ``token_to_id``
    model_size : how many tokens the model has
    normalize : the normalizer's ``normalize_str``, or None
    place : where the tokens stand, for errors
    """

    def __init__(
        self,
        tokens: Iterable[AddedToken],
        model_id: Callable[[str], int | None],
        model_size: int,
        normalize: Callable[[str], str] | None,
        place: str = "added_tokens",
    ) -> None:
        self.ids: dict[str, int] = {}
        self.tokens: dict[int, AddedToken] = {}
        # By text: where two texts share an id (o200k_harmony), both are looked for.
        self._by_text: dict[str, AddedToken] = {}
        # What a normalized token reads in normalized text, where that is another text.
        self.normalized: dict[int, str] = {}
        self.special: set[str] = set()
        self._place = place
        next_id = model_size
        for token in tokens:
            if not token.content:
                continue
            token_id = token.id
            is_own = token_id is None or isinstance(token, PlacedToken)
            if token_id is None:
                token_id = self.ids.get(token.content)
            if token_id is None:
                token_id = model_id(token.content)
            if token_id is None:
                token_id = next_id
                next_id += 1
            if token.normalized and normalize is not None and is_own:
                text = normalize(token.content)
                if not text:
                    # The reference then cuts every text between any two characters.
                    raise UnsupportedError(
                        place, f"the normalizer leaves nothing of {shorten(token.content)}"
                    )
                if text != token.content:
                    self.normalized[token_id] = text
            before = self.tokens.get(token_id)
            if is_own and before is not None:
                # In a vocabulary with gaps, the next id may be another token's: it is found
                # no more.
                self._by_text.pop(before.content, None)
            self.ids[token.content] = token_id
            self._by_text[token.content] = token
            if is_own or token_id not in self.tokens:
                self.tokens[token_id] = token
            if token.special:
                self.special.add(token.content)
        self.all = self._matchers({text for text, token in self._by_text.items() if token.in_text})
        self._every = frozenset(self._by_text)
        self._selections: dict[frozenset[str], Matchers] = {}
        self._lock = threading.Lock()

    @property
    def every(self) -> str | frozenset[str]:
        """What ``matchers`` takes for all tokens, those not looked for in texts included."""
        return "all" if all(t.in_text for t in self._by_text.values()) else self._every

    def token_text(self, token_id: int) -> str | None:
        """An added token as a decoder gets it: in its normalized form, if it has one."""
        token = self.tokens.get(token_id)
        if token is None:
            return None
        return self.normalized.get(token_id, token.content)

    def special_ids(self) -> list[int]:
        """The ids of the special tokens, in rising order."""
        return sorted(i for i, token in self.tokens.items() if token.content in self.special)

    def matchers(self, allowed: str | Collection[str]) -> Matchers:
        """Matchers for the text as it is, and for normalized text.

        ``allowed`` is "all" (that the format looks for in texts), "none" or a collection of
        added tokens' texts.
        Raises ValueError for another string, or a text that is no added token.
        """
        if isinstance(allowed, str):
            if allowed == "all":
                return self.all
            if allowed == "none":
                return None, None
            raise ValueError(
                f"allowed_special is {allowed!r}; expected 'all', 'none' or a collection of "
                "added tokens"
            )
        selection = frozenset(allowed)
        found = self._selections.get(selection)
        if found is None:
            found = self._select(selection)
        return found

    def control_tokens(self, is_written: Callable[[str], bool]) -> frozenset[str]:
        """The special tokens, and of the others those that are written, whitespace excepted."""
        return frozenset(
            text
            for text, token in self._by_text.items()
            if token.special or (not text.isspace() and is_written(text))
        )

    def guard(self, control: frozenset[str], unknown: int | None) -> Guard:
        """Every added token, with those in ``control`` guarded.

        ``unknown`` is the id of what the model does not know: any text may have it.
        """
        ids = frozenset(self.ids[text] for text in control)
        least = min(ids, default=0)
        table = bytearray(max(ids, default=-1) + 1 - least)
        for token_id in ids:
            table[token_id - least] = token_id != unknown
        in_normalized = any(
            token.normalized for text, token in self._by_text.items() if self.ids[text] in ids
        )
        return Guard(self._matchers(self._every, ids), bytes(table), least, in_normalized)

    def _select(self, selection: frozenset[str]) -> Matchers:
        for text in selection:
            if text not in self.ids:
                raise ValueError(f"allowed_special: {text!r} is not an added token")
        matchers = self._matchers(selection)
        with self._lock:
            while len(self._selections) >= SELECTIONS:
                del self._selections[next(iter(self._selections))]
            self._selections[selection] = matchers
        return matchers

    def _matchers(
        self, selection: Collection[str], control_ids: Collection[int] = frozenset()
    ) -> Matchers:
        plain: dict[str, AddedToken] = {}
        normalized: dict[str, AddedToken] = {}
        for content, token in self._by_text.items():
            if content in selection:
                if token.normalized:
                    # Of tokens that a normalizer makes alike, the reference finds any one,
                    # another in each process.
                    text = self.normalized.get(self.ids[content], content)
                    normalized.setdefault(text, token)
                else:
                    plain[content] = token
        return self._matcher(plain, control_ids), self._matcher(normalized, control_ids)

    def _matcher(
        self, tokens: dict[str, AddedToken], control_ids: Collection[int]
    ) -> AddedMatcher | None:
        if not tokens:
            return None
        entries = [
            (
                text.encode(),
                self.ids[token.content],
                token.single_word,
                token.lstrip,
                token.rstrip,
            )
            for text, token in tokens.items()
        ]
        try:
            return AddedMatcher(entries, _word_ranges(), _space_ranges(), control_ids)
        except ValueError as error:
            raise SpecError(self._place, str(error)) from None
