"""SentencePiece's own normalizer and decoder, as its models carry them.

They differ from their likenesses in a tokenizer.json: the space that is put before a text
is put there once, user-defined symbols keep what they stand for, and what decoding takes
from the start of a text depends on the model. Source: SentencePiece 0.2
(``normalizer.cc``, ``sentencepiece_processor.cc``).
"""

from __future__ import annotations

import codecs
import re
from array import array
from collections.abc import Collection, Mapping

from textcore.pipeline.decoders import Decoder
from textcore.pipeline.normalized import NormalizedString
from textcore.pipeline.normalizer import Normalizer

SPACE = "▁"
_INVALID = dict.fromkeys(range(56448, 56576), "�")


class PieceNormalizer(Normalizer):
    """The normalizer of one SentencePiece model.

    Parameters
    ----------
    rules : what texts are replaced by, the longest that fits first
    symbols : user-defined symbols, which are left as they are
    add_dummy_prefix : put a space before a text (after it, if ``as_suffix``)
    remove_extra_whitespaces : no space at the ends, and one for several
    escape_whitespaces : write a space as U+2581
    as_suffix : ``treat_whitespace_as_suffix``
    """

    __slots__ = (
        "_followers",
        "_longest",
        "_plain_symbols",
        "_singles",
        "add_dummy_prefix",
        "as_suffix",
        "escape_whitespaces",
        "remove_extra_whitespaces",
        "rules",
        "symbols",
    )

    def __init__(
        self,
        rules: Mapping[str, str],
        symbols: Collection[str],
        *,
        add_dummy_prefix: bool,
        remove_extra_whitespaces: bool,
        escape_whitespaces: bool,
        as_suffix: bool,
    ) -> None:
        self.rules = rules
        self.symbols = frozenset(symbols)
        self.add_dummy_prefix = add_dummy_prefix
        self.remove_extra_whitespaces = remove_extra_whitespaces
        self.escape_whitespaces = escape_whitespaces
        self.as_suffix = as_suffix
        # The longest rule or symbol that begins with a character, in characters.
        self._longest: dict[str, int] = {}
        for text in (*rules, *self.symbols):
            self._longest[text[0]] = max(self._longest.get(text[0], 0), len(text))
        self._singles = {ord(key): value for key, value in rules.items() if len(key) == 1}
        inner = sorted({char for key in rules for char in key[1:]})
        self._followers = re.compile("[" + "".join(map(re.escape, inner)) + "]") if inner else None
        # Symbols matter here only if a rule or the handling of spaces would change them.
        changing = {chr(code) for code in self._singles} | {" "} | set(inner)
        self._plain_symbols = not any(changing & set(symbol) for symbol in self.symbols)

    @property
    def moves_start(self) -> bool:
        return True

    def normalize_str(self, text: str) -> str:
        if not text:
            return text
        if not self._plain_symbols or (self._followers and self._followers.search(text)):
            return self._slowly(text)[0]
        original = text
        if self._singles:
            text = text.translate(self._singles)
        if self.remove_extra_whitespaces:
            text = re.sub(" {2,}", " ", text.lstrip(" "))
        if not text:
            return self._slowly(original)[0]
        return self._finish(text)

    def _finish(self, text: str) -> str:
        """A text whose rules are applied, with its prefix, its spaces escaped, its end cut."""
        if self.add_dummy_prefix and not self.as_suffix:
            text = " " + text
        if self.escape_whitespaces:
            text = text.replace(" ", SPACE)
        space = SPACE if self.escape_whitespaces else " "
        if self.remove_extra_whitespaces:
            text = text.rstrip(space)
        return text + space if self.add_dummy_prefix and self.as_suffix else text

    def _slowly(self, text: str) -> tuple[str, list[int]]:
        """The normalized text, and which character each of its characters is made from."""
        out: list[str] = []
        origin: list[int] = []
        squeeze = self.remove_extra_whitespaces
        at = 0
        after_space = squeeze
        leading = squeeze
        while at < len(text):
            made, size = self._step(text, at)
            if leading:
                # What is a space as a whole does not begin a text.
                if made == " ":
                    at += size
                    continue
                leading = False
            if after_space:
                made = made.lstrip(" ")
            if made:
                out.append(made)
                origin += [at] * len(made)
                after_space = squeeze and made[-1] == " "
            at += size
        joined = "".join(out)
        if leading:
            return "", []
        result = self._finish(joined)
        if self.add_dummy_prefix and not self.as_suffix:
            origin.insert(0, origin[0] if origin else 0)
        del origin[len(result) :]
        origin += [origin[-1] if origin else 0] * (len(result) - len(origin))
        return result, origin

    def _step(self, text: str, at: int) -> tuple[str, int]:
        """What the text at ``at`` begins with becomes, and how many characters that takes."""
        longest = self._longest.get(text[at])
        if longest is None:
            return text[at], 1
        for size in range(longest, 0, -1):
            if text[at : at + size] in self.symbols:
                return text[at : at + size], min(size, len(text) - at)
        for size in range(longest, 0, -1):
            made = self.rules.get(text[at : at + size])
            if made is not None:
                return made, min(size, len(text) - at)
        return text[at], 1

    def normalize(self, text: NormalizedString) -> None:
        if text.normalized:
            normalized, origin = self._slowly(text.normalized)
            text.derive(normalized, array("q", origin))


class PieceDecoder(Decoder):
    """Pieces to text; control symbols come as "", the unknown one as its surface.

    ``strip``: a text's first space, where it begins with one, is left out; ``strip_all``:
    those of all pieces that begin it. ``byte_pieces``: the bytes that some pieces are.
    """

    def __init__(self, strip: bool, strip_all: bool, byte_pieces: Mapping[str, int]) -> None:
        self.strip = strip
        self.strip_all = strip_all
        self.byte_pieces = byte_pieces

    def decode_chain(self, tokens: list[str]) -> list[str]:
        run = PieceRun(self)
        return [run.feed(tokens) + run.finish()]


class PieceRun:
    """One decoding: what has begun, and the bytes that are no character yet."""

    def __init__(self, decoder: PieceDecoder) -> None:
        self._decoder = decoder
        self._at_start = True
        self._seen_space = False
        self._any_text = False
        # Each byte that belongs to no character becomes a lone surrogate, then U+FFFD.
        self._utf8 = codecs.getincrementaldecoder("utf-8")("surrogateescape")

    def feed(self, tokens: list[str]) -> str:
        """The text that further tokens make certain."""
        out = []
        for token in tokens:
            byte = self._decoder.byte_pieces.get(token)
            if byte is not None:
                text = self._utf8.decode(bytes([byte]))
                self._any_text = True
            else:
                text = self._utf8.decode(b"", final=True) + self._piece(token)
                self._utf8.reset()
            if text:
                self._any_text = True
                out.append(text)
        return "".join(out).translate(_INVALID)

    def finish(self) -> str:
        """The rest."""
        return self._utf8.decode(b"", final=True).translate(_INVALID)

    def _piece(self, token: str) -> str:
        if self._seen_space or self._any_text:
            self._at_start = False
        self._seen_space = False
        if self._at_start and self._decoder.strip and token.startswith(SPACE):
            token = token[1:]
            self._seen_space = not self._decoder.strip_all
        return token.replace(SPACE, " ")
