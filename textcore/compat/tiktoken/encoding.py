"""``tiktoken.Encoding``, run by textcore."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import regex

from textcore.compat.tiktoken.unstable import completions, unstable_count
from textcore.core.bytelevel import to_bytes
from textcore.errors import TextError
from textcore.formats.tiktoken import added_tokens, rank_spec
from textcore.pipeline.ranked import stand_ins
from textcore.tokenizer import Tokenizer

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

Allowed = Literal["all"] | AbstractSet[str]
Disallowed = Literal["all"] | Collection[str]

# The encodings that have been made by name.
ENCODINGS: dict[str, Encoding] = {}


class Encoding:
    """An encoding with the interface of ``tiktoken.Encoding`` 0.14.

    Parameters
    ----------
    name : str
    pat_str : str
        The pattern of words, in the dialect of Rust's ``fancy-regex``.
    mergeable_ranks : dict of bytes to int
        All 256 single bytes must be among them.
    special_tokens : dict of str to int
    explicit_n_vocab : int, optional
        How many tokens there are, checked by assertions.

    Raises
    ------
    SpecError
        (a ValueError) The pattern or the ranks are wrong.
    """

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: dict[bytes, int],
        special_tokens: dict[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        self.name = name
        self._pat_str = pat_str
        self._mergeable_ranks = mergeable_ranks
        self._special_tokens = special_tokens
        self.max_token_value = max(
            max(mergeable_ranks.values()), max(special_tokens.values(), default=0)
        )
        if explicit_n_vocab:
            assert len(mergeable_ranks) + len(special_tokens) == explicit_n_vocab
            assert self.max_token_value == explicit_n_vocab - 1
        self._special_token_values = set(special_tokens.values())
        self._bytes = {token_id: token for token, token_id in mergeable_ranks.items()}
        for text, token_id in special_tokens.items():
            self._bytes.setdefault(token_id, text.encode())
        added = added_tokens(special_tokens, mergeable_ranks)
        self._tokenizer = Tokenizer(rank_spec(mergeable_ranks, pat_str, added))

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    # ------------------------------------------------------------ encoding

    def encode_ordinary(self, text: str) -> list[int]:
        """The ids of a text, special tokens in it taken for ordinary text."""
        try:
            return self._tokenizer.encode(text, allowed_special="none")
        except TextError:
            return self._tokenizer.encode(mended(text), allowed_special="none")

    def encode(
        self,
        text: str,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = "all",
    ) -> list[int]:
        """The ids of a text.

        Special tokens in ``allowed_special`` are recognised; one in ``disallowed_special``
        (by default all others) is a ValueError; any other is ordinary text. Surrogates are
        paired, and lone ones replaced by U+FFFD.
        """
        allowed = self._checked(text, allowed_special, disallowed_special)
        try:
            return self._tokenizer.encode(text, allowed_special=allowed)
        except TextError:
            return self._tokenizer.encode(mended(text), allowed_special=allowed)

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = "all",
    ) -> NDArray[numpy.uint32]:
        """:meth:`encode` as an array of uint32; surrogates are a UnicodeEncodeError."""
        allowed = self._checked(text, allowed_special, disallowed_special)
        text.encode()
        return self._tokenizer.encode_to_numpy(text, allowed_special=allowed)

    def encode_ordinary_batch(self, text: list[str], *, num_threads: int = 8) -> list[list[int]]:
        """:meth:`encode_ordinary` of each text."""
        try:
            return self._tokenizer.encode_batch(text, threads=num_threads, allowed_special="none")
        except TextError:
            return [self.encode_ordinary(each) for each in text]

    def encode_batch(
        self,
        text: list[str],
        *,
        num_threads: int = 8,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = "all",
    ) -> list[list[int]]:
        """:meth:`encode` of each text."""
        allowed: Any = ()
        for each in text:
            allowed = self._checked(each, allowed_special, disallowed_special)
        try:
            return self._tokenizer.encode_batch(text, threads=num_threads, allowed_special=allowed)
        except TextError:
            return [
                self.encode(each, allowed_special=allowed_special, disallowed_special=())
                for each in text
            ]

    def encode_with_unstable(
        self,
        text: str,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = "all",
    ) -> tuple[list[int], list[list[int]]]:
        """The ids that stay whatever follows the text, and how the rest may go on.

        Surrogates are a UnicodeEncodeError.
        """
        allowed = self._checked(text, allowed_special, disallowed_special)
        text.encode()
        tokens = self._tokenizer.encode(text, allowed_special=allowed)
        count = self._unstable(tokens, text)
        if not count:
            return tokens, []
        unstable = self.decode_bytes(tokens[-count:])
        found = completions(
            unstable,
            self.token_byte_values(),
            self._mergeable_ranks,
            self.encode_ordinary,
            self._encode_word,
        )
        return tokens[:-count], [list(sequence) for sequence in found]

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """The id of one token, special or not. Raises KeyError."""
        token = text_or_bytes.encode() if isinstance(text_or_bytes, str) else text_or_bytes
        if token in self._mergeable_ranks:
            return self._mergeable_ranks[token]
        for text, token_id in self._special_tokens.items():
            if text.encode() == token:
                return token_id
        raise KeyError(token)

    def _unstable(self, tokens: list[int], text: str) -> int:
        """How many tokens at the end of a text's would change if it went on."""
        if not tokens or tokens[-1] in self._special_token_values:
            return 0
        # What follows the last special token is split by itself.
        ordinary = 0
        while ordinary < len(tokens) and tokens[-ordinary - 1] not in self._special_token_values:
            ordinary += 1
        tail = self.decode_bytes(tokens[len(tokens) - ordinary :]).decode()
        words = self._tokenizer.pre_tokenize(tail)
        word = to_bytes(words[-1])
        assert word is not None
        return unstable_count(tokens, len(self._encode_word(word)), self._bytes)

    def _checked(self, text: str, allowed: Allowed, disallowed: Disallowed) -> Any:
        """The special tokens to recognise, once no disallowed one has been found."""
        if allowed == "all":
            allowed = self.special_tokens_set
        if disallowed == "all":
            disallowed = self.special_tokens_set - allowed
        if disallowed:
            found = _finder(frozenset(disallowed)).search(text)
            if found:
                raise_disallowed_special_token(found.group())
        if not allowed:
            return "none"
        known = frozenset(allowed) & self.special_tokens_set
        return "all" if len(known) == len(self._special_tokens) else known

    def _encode_word(self, word: bytes) -> list[int]:
        # Stand-ins are what the model takes: its own tokens are spelt in them.
        return self._tokenizer.bpe(stand_ins(word))

    def _encode_single_piece(self, text_or_bytes: str | bytes) -> list[int]:
        """The ids of one word that is not split further."""
        if isinstance(text_or_bytes, str):
            text_or_bytes = text_or_bytes.encode()
        return self._encode_word(text_or_bytes)

    def _encode_only_native_bpe(self, text: str) -> list[int]:
        """The ids of a text split by ``regex`` instead of textcore."""
        pieces = regex.findall(regex.compile(self._pat_str), text)
        return [token for piece in pieces for token in self._encode_single_piece(piece)]

    def _encode_bytes(self, text: bytes) -> list[int]:
        """The ids of bytes that need not be UTF-8."""
        try:
            return self.encode_ordinary(text.decode())
        except UnicodeDecodeError as error:
            valid = text[: error.start].decode()
        tokens = self.encode_ordinary(valid)
        count = self._unstable(tokens, valid)
        kept = tokens[: len(tokens) - count]
        rest = self.decode_bytes(tokens[len(kept) :]) + text[len(valid.encode()) :]
        return kept + self._encode_word(rest)

    # ------------------------------------------------------------ decoding

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """The bytes of ids. Raises KeyError for an id of no token."""
        table = self._bytes
        try:
            return b"".join([table[token] for token in tokens])
        except KeyError as error:
            raise _no_token(error.args[0]) from None

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """The text of ids; ``errors`` as in ``bytes.decode``. Raises KeyError."""
        return self.decode_bytes(tokens).decode("utf-8", errors=errors)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of one token. Raises KeyError."""
        if token not in self._bytes:
            raise KeyError(str(token))
        return self._bytes[token]

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """The bytes of each token. Raises KeyError."""
        return [self.decode_single_token_bytes(token) for token in tokens]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """The text of ids, and the character in which each token begins.

        Raises UnicodeDecodeError where it is not UTF-8, and KeyError.
        """
        parts = self.decode_tokens_bytes(tokens)
        offsets = []
        characters = 0
        for part in parts:
            within = bool(part) and part[0] & 0xC0 == 0x80
            offsets.append(max(0, characters - within))
            characters += sum(byte & 0xC0 != 0x80 for byte in part)
        return b"".join(parts).decode(), offsets

    def decode_batch(
        self, batch: Sequence[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """:meth:`decode` of each."""
        return [self.decode(tokens, errors) for tokens in batch]

    def decode_bytes_batch(
        self, batch: Sequence[Sequence[int]], *, num_threads: int = 8
    ) -> list[bytes]:
        """:meth:`decode_bytes` of each."""
        return [self.decode_bytes(tokens) for tokens in batch]

    # ------------------------------------------------------------ what there is

    def token_byte_values(self) -> list[bytes]:
        """The ordinary tokens in order."""
        return self._sorted.copy()

    @cached_property
    def _sorted(self) -> list[bytes]:
        return sorted(self._mergeable_ranks)

    @property
    def eot_token(self) -> int:
        """The id of ``<|endoftext|>``. Raises KeyError."""
        return self._special_tokens["<|endoftext|>"]

    @cached_property
    def special_tokens_set(self) -> set[str]:
        """The special tokens."""
        return set(self._special_tokens)

    def is_special_token(self, token: int) -> bool:
        """Whether an id is that of a special token."""
        assert isinstance(token, int)
        return token in self._special_token_values

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return self.max_token_value + 1

    # ------------------------------------------------------------ pickling

    def __getstate__(self) -> object:
        if self is ENCODINGS.get(self.name):
            return self.name
        return {
            "name": self.name,
            "pat_str": self._pat_str,
            "mergeable_ranks": self._mergeable_ranks,
            "special_tokens": self._special_tokens,
        }

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, str):
            from textcore.compat.tiktoken.registry import get_encoding

            self.__dict__ = get_encoding(state).__dict__
        else:
            self.__init__(**state)  # type: ignore[misc]


def mended(text: str) -> str:
    """A text with surrogates paired, and lone ones replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@lru_cache(maxsize=128)
def _finder(tokens: frozenset[str]) -> Any:
    return regex.compile("|".join(regex.escape(token) for token in tokens))


def _no_token(token: Any) -> Exception:
    if not isinstance(token, int):
        return TypeError(f"'{type(token).__name__}' object cannot be interpreted as an integer")
    if not 0 <= token < 2**32:
        return OverflowError("out of range integral type conversion attempted")
    return KeyError(f"Invalid token for decoding: {token}")


def raise_disallowed_special_token(token: str) -> NoReturn:
    """Raise the ValueError about a special token in a text."""
    raise ValueError(
        f"Encountered text corresponding to disallowed special token {token!r}.\n"
        "If you want this text to be encoded as a special token, "
        f"pass it to `allowed_special`, e.g. `allowed_special={{{token!r}, ...}}`.\n"
        f"If you want this text to be encoded as normal text, disable the check for this token "
        f"by passing `disallowed_special=(enc.special_tokens_set - {{{token!r}}})`.\n"
        "To disable this check for all special tokens, pass `disallowed_special=()`.\n"
    )
