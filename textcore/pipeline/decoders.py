"""The decoders of a tokenizer.json: from token strings to text.

Each class does what the component of the same name does in Hugging Face ``tokenizers``
0.23, token by token: ``decode_chain`` takes the strings of the kept tokens and returns
the strings that make the text, ``decode`` joins them. These are the plain definitions;
:mod:`textcore.pipeline.decode_plan` compiles the usual combinations into byte tables and
:mod:`textcore.pipeline.decoder_streams` runs any combination on a text that still grows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from textcore.errors import SpecError, UnsupportedError
from textcore.pipeline.byte_characters import BYTE_CHARACTERS
from textcore.pipeline.following import Needle, follower_of
from textcore.pipeline.growth import check_growth
from textcore.pipeline.patterns import Pattern, compile_pattern
from textcore.pipeline.spec import Node, shorten

REPLACEMENT = "\ufffd"
MAX_COMPONENTS = 1000

_HEX = frozenset("0123456789abcdefABCDEF")


STAND_INS = {character: byte for byte, character in enumerate(BYTE_CHARACTERS)}


def byte_level_bytes(token: str) -> bytes:
    """The bytes of a byte-level token: its stand-ins', or its own UTF-8 if it has others."""
    try:
        return bytes([STAND_INS[character] for character in token])
    except KeyError:
        return token.encode()


def fallback_byte(token: str) -> int | None:
    """The byte that a token such as ``<0x0A>`` stands for; None for any other token.

    Two hexadecimal digits in either case; like the reference's parser, a plus sign and
    one digit will do.
    """
    if len(token) != 6 or not token.startswith("<0x") or token[5] != ">":
        return None
    if token[4] in _HEX and (token[3] in _HEX or token[3] == "+"):
        return int(token[3:5], 16)
    return None


def clean_up(text: str) -> str:
    """Take the spaces before punctuation and English contractions out, in this order."""
    for dirty, clean in CLEAN_UPS:
        text = text.replace(dirty, clean)
    return text


CLEAN_UPS = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)


class Decoder(ABC):
    """A decoder: immutable, safe to share between threads."""

    @abstractmethod
    def decode_chain(self, tokens: list[str]) -> list[str]:
        """The strings that ``tokens`` become; joined, they are the text."""

    def decode(self, tokens: list[str]) -> str:
        """The text of ``tokens``."""
        return "".join(self.decode_chain(tokens))


class TokenMap(Decoder):
    """A decoder that turns every token into one string, whatever its neighbours are.

    ``by_first`` and ``by_last`` say whether the string depends on the token being the
    first or the last one.
    """

    by_first = False
    by_last = False

    @abstractmethod
    def map_token(self, token: str, first: bool, last: bool) -> str:
        """The string that one token becomes."""

    def decode_chain(self, tokens: list[str]) -> list[str]:
        end = len(tokens) - 1
        return [self.map_token(token, i == 0, i == end) for i, token in enumerate(tokens)]

    def inner_forms(self, tokens: list[str]) -> list[str]:
        """What each of ``tokens`` becomes when it is neither the first nor the last."""
        return [self.map_token(token, False, False) for token in tokens]


class SpaceJoin(TokenMap):
    """No decoder at all: the tokens with a space between each two."""

    by_first = True

    def map_token(self, token: str, first: bool, last: bool) -> str:
        return token if first else " " + token


class Replace(TokenMap):
    """Every occurrence of a string, or match of a regular expression, becomes ``content``.

    Within each token by itself. An empty token has no match, not even of an empty pattern.
    """

    def __init__(self, pattern: str | Pattern, content: str) -> None:
        self.literal = pattern if isinstance(pattern, str) else None
        self.pattern = None if isinstance(pattern, str) else pattern
        self.follower = None if isinstance(pattern, str) else follower_of(pattern)
        self.needle = Needle(pattern) if isinstance(pattern, str) else None
        self.content = content

    def map_token(self, token: str, first: bool, last: bool) -> str:
        if not token:
            return token
        if self.pattern is None:
            assert self.literal is not None
            if len(self.content) > len(self.literal):
                check_growth(len(token), token.count(self.literal) * len(self.content))
            return token.replace(self.literal, self.content)
        parts: list[str] = []
        done = 0
        for start, stop in self.pattern.finditer(token):
            parts += (token[done:start], self.content)
            done = stop
        check_growth(len(token), len(parts) // 2 * len(self.content))
        parts.append(token[done:])
        return "".join(parts)

    def decode_chain(self, tokens: list[str]) -> list[str]:
        if self.literal and len(self.content) <= len(self.literal):
            literal, content = self.literal, self.content
            return [token.replace(literal, content) for token in tokens]
        return [self.map_token(token, False, False) for token in tokens]

    inner_forms = decode_chain


class Strip(TokenMap):
    """Up to ``start`` characters ``content`` go from the start of a token, ``stop`` from the end.

    A token with fewer characters than that loses them all; the reference panics there.
    """

    def __init__(self, content: str, start: int, stop: int) -> None:
        self.content = content
        self.start = start
        self.stop = stop

    def map_token(self, token: str, first: bool, last: bool) -> str:
        if not token:
            return token
        kept = token.lstrip(self.content) if self.start else token
        if len(token) - len(kept) > self.start:
            kept = token[self.start :]
        bare = kept.rstrip(self.content) if self.stop else kept
        return bare if len(kept) - len(bare) <= self.stop else kept[: -self.stop]


class Metaspace(TokenMap):
    """``replacement`` becomes a space; in the first token it goes away, unless never prepended."""

    def __init__(self, replacement: str = "▁", prepend_scheme: str = "always") -> None:
        self.replacement = replacement
        self.prepend_scheme = prepend_scheme
        self.by_first = prepend_scheme != "never"

    def map_token(self, token: str, first: bool, last: bool) -> str:
        return token.replace(self.replacement, "" if first and self.by_first else " ")


class WordPiece(TokenMap):
    """A token with ``prefix`` continues the word, any other after the first starts a new one."""

    by_first = True

    def __init__(self, prefix: str = "##", cleanup: bool = True) -> None:
        self.prefix = prefix
        self.cleanup = cleanup

    def map_token(self, token: str, first: bool, last: bool) -> str:
        if not first:
            if token.startswith(self.prefix):
                token = token[len(self.prefix) :]
            else:
                token = " " + token
        return clean_up(token) if self.cleanup else token


class BPEDecoder(TokenMap):
    """``suffix``, which ends a word, becomes a space; in the last token, nothing."""

    by_last = True

    def __init__(self, suffix: str = "</w>") -> None:
        self.suffix = suffix
        self.needle = Needle(suffix)

    def map_token(self, token: str, first: bool, last: bool) -> str:
        return token.replace(self.suffix, "" if last else " ")


class ByteLevel(Decoder):
    """Stand-in characters become the bytes they stand for; all bytes together become text.

    What is not UTF-8 shows as U+FFFD, one for each maximal subpart of a character.
    """

    def decode_chain(self, tokens: list[str]) -> list[str]:
        return [b"".join(map(byte_level_bytes, tokens)).decode("utf-8", "replace")]


class ByteFallback(Decoder):
    """Runs of tokens such as ``<0xE2>`` become the characters that their bytes encode.

    If a run is not UTF-8 from end to end, each of its tokens becomes one U+FFFD.
    """

    def decode_chain(self, tokens: list[str]) -> list[str]:
        decoded: list[str] = []
        run = bytearray()
        for token in tokens:
            byte = fallback_byte(token)
            if byte is not None:
                run.append(byte)
                continue
            if run:
                decoded += self._decode_run(run)
                run.clear()
            decoded.append(token)
        return decoded + self._decode_run(run) if run else decoded

    @staticmethod
    def _decode_run(run: bytearray) -> list[str]:
        try:
            return [run.decode()]
        except UnicodeDecodeError:
            return [REPLACEMENT] * len(run)


class Fuse(Decoder):
    """All tokens become one."""

    def decode_chain(self, tokens: list[str]) -> list[str]:
        return ["".join(tokens)]


class CTC(Decoder):
    """Connectionist temporal classification: repeated tokens count once, padding goes away.

    Graves et al., 2006. ``word_delimiter_token`` becomes a space, if ``cleanup`` is true.
    """

    def __init__(self, pad_token: str, word_delimiter_token: str, cleanup: bool) -> None:
        self.pad_token = pad_token
        self.word_delimiter_token = word_delimiter_token
        self.cleanup = cleanup

    def map_token(self, token: str) -> str:
        """What one token becomes; the empty string is dropped."""
        token = token.replace(self.pad_token, "")
        if self.cleanup:
            token = clean_up(token).replace(self.word_delimiter_token, " ")
        return token

    def decode_chain(self, tokens: list[str]) -> list[str]:
        previous: str | None = None
        decoded = []
        for token in tokens:
            if token != previous and (text := self.map_token(token)):
                decoded.append(text)
            previous = token
        return decoded


class Sequence(Decoder):
    """Decoders one after the other. ``decoders`` holds no further Sequence."""

    def __init__(self, decoders: list[Decoder]) -> None:
        self.decoders: tuple[Decoder, ...] = tuple(
            step for decoder in decoders for step in steps_of(decoder)
        )
        self._replaces = any(isinstance(step, Replace) for step in self.decoders)

    def decode_chain(self, tokens: list[str]) -> list[str]:
        size = sum(map(len, tokens)) if self._replaces else 0
        for decoder in self.decoders:
            tokens = decoder.decode_chain(tokens)
            if isinstance(decoder, Replace):
                check_growth(size, sum(map(len, tokens)))
        return tokens


def steps_of(decoder: Decoder) -> tuple[Decoder, ...]:
    """The decoders that ``decoder`` runs one after the other: itself, unless a Sequence."""
    return decoder.decoders if isinstance(decoder, Sequence) else (decoder,)


def _character(node: Node, key: str) -> str:
    value = node.get(key, str)
    if len(value) != 1:
        raise node.error(key, f"expected one character, found {shorten(value)}")
    return value


def _count(node: Node, key: str) -> int:
    value = node.get(key, int)
    if not 0 <= value < 2**64:
        raise node.error(key, f"expected a count from 0 to 2**64 - 1, found {shorten(value)}")
    return value


def _build_byte_level(node: Node) -> Decoder:
    # The decoder has no use for them, but the reference refuses a file without.
    node.get("add_prefix_space", bool)
    node.get("trim_offsets", bool)
    node.get("use_regex", bool, True)
    return ByteLevel()


def _build_metaspace(node: Node) -> Decoder:
    replacement = _character(node, "replacement")
    scheme = node.one_of("prepend_scheme", ("first", "never", "always"), "always")
    if node.get("add_prefix_space", bool, None) is False and scheme != "never":
        raise node.error("add_prefix_space", f"false contradicts prepend_scheme {scheme!r}")
    node.get("split", bool, None)
    node.get("str_rep", str, None)
    return Metaspace(replacement, scheme)


def _build_replace(node: Node) -> Decoder:
    pattern = node.child("pattern")
    if pattern is None:
        raise node.error("pattern", 'missing; expected {"String": …} or {"Regex": …}')
    if len(pattern.data) != 1 or not pattern.data.keys() & {"String", "Regex"}:
        raise SpecError(pattern.place, 'expected {"String": …} or {"Regex": …} and no more')
    content = node.get("content", str)
    if "String" in pattern.data:
        return Replace(pattern.get("String", str), content)
    expression = pattern.get("Regex", str)
    return Replace(compile_pattern(expression, "oniguruma", pattern.at("Regex")), content)


def _build_ctc(node: Node) -> Decoder:
    return CTC(
        node.get("pad_token", str),
        node.get("word_delimiter_token", str),
        node.get("cleanup", bool),
    )


_BUILDERS: dict[str, Callable[[Node], Decoder]] = {
    "BPEDecoder": lambda node: BPEDecoder(node.get("suffix", str)),
    "ByteLevel": _build_byte_level,
    "WordPiece": lambda node: WordPiece(node.get("prefix", str), node.get("cleanup", bool)),
    "Metaspace": _build_metaspace,
    "CTC": _build_ctc,
    "Replace": _build_replace,
    "Fuse": lambda node: Fuse(),
    "Strip": lambda node: Strip(
        _character(node, "content"), _count(node, "start"), _count(node, "stop")
    ),
    "ByteFallback": lambda node: ByteFallback(),
}

# Files without a "type" are told apart by their fields, in this order.
_UNTAGGED = (
    ("BPEDecoder", {"suffix"}),
    ("WordPiece", {"prefix", "cleanup"}),
    ("CTC", {"pad_token", "word_delimiter_token", "cleanup"}),
    ("Replace", {"pattern", "content"}),
    ("Strip", {"content", "start", "stop"}),
)


def _build_one(node: Node) -> Decoder:
    """The decoder of a node that is no Sequence."""
    kind = node.data.get("type")
    if isinstance(kind, str) and kind in _BUILDERS:
        return _BUILDERS[kind](node)
    first_error: SpecError | None = None
    for name, fields in _UNTAGGED:
        if fields <= node.data.keys():
            try:
                return _BUILDERS[name](node)
            except SpecError as error:
                # With these values it is none of this type, but may be one of the next.
                first_error = first_error or error
    if first_error is not None:
        raise first_error
    if "type" not in node.data:
        raise UnsupportedError(node.at("type"), "missing, and no decoder has just these fields")
    known = ", ".join(sorted([*_BUILDERS, "Sequence"]))
    raise UnsupportedError(node.at("type"), f"unknown decoder {shorten(kind)}; supported: {known}")


def build_decoder(node: Node) -> Decoder:
    """The decoder that ``node`` describes, as the reference reads it.

    Known types: BPEDecoder, ByteLevel, WordPiece, Metaspace, CTC, Sequence, Replace, Fuse,
    Strip and ByteFallback. A ``type`` that is missing or unknown is guessed from the fields.

    Raises :class:`~textcore.errors.UnsupportedError` for any other type, and
    :class:`~textcore.errors.SpecError` for fields that are missing or wrong.
    """
    steps: list[Decoder] = []
    seen = 0
    todo = [node]
    while todo:
        # Counted rather than nested: a file can't exhaust the stack, nor an object that
        # contains itself go on for ever.
        seen += 1
        if seen > MAX_COMPONENTS:
            raise SpecError(node.place, f"more than {MAX_COMPONENTS} decoders")
        current = todo.pop()
        if current.data.get("type") == "Sequence":
            children = current.get("decoders", list)
            if len(children) > MAX_COMPONENTS:
                raise SpecError(node.place, f"more than {MAX_COMPONENTS} decoders")
            todo += reversed(list(current.children("decoders")))
        else:
            steps.append(_build_one(current))
    return steps[0] if len(steps) == 1 else Sequence(steps)
