"""SentencePiece's own normalizer and decoder, as its models carry them.

They differ from their likenesses in a tokenizer.json: the space that is put before a text
is put there once, user-defined symbols keep what they stand for, and what decoding takes
from the start of a text depends on the model. Source: SentencePiece 0.2
(``normalizer.cc``, ``sentencepiece_processor.cc``).
"""

from __future__ import annotations

import codecs
from array import array
from collections.abc import Callable, Collection, Mapping
from typing import Any

from textcore.core.piecerules import PieceRules
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
        "_longest",
        "_read",
        "add_dummy_prefix",
        "as_suffix",
        "compiled",
        "escape_whitespaces",
        "remove_extra_whitespaces",
        "rules",
        "symbols",
    )

    _read: Callable[[], tuple[Mapping[str, str], Collection[str]]]

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
        self._know(rules, symbols)
        self.add_dummy_prefix = add_dummy_prefix
        self.remove_extra_whitespaces = remove_extra_whitespaces
        self.escape_whitespaces = escape_whitespaces
        self.as_suffix = as_suffix
        self.compiled = PieceRules(dict(rules), sorted(self.symbols), **self.flags)

    @classmethod
    def restored(
        cls,
        tables: dict[str, memoryview],
        flags: Mapping[str, bool],
        read: Callable[[], tuple[Mapping[str, str], Collection[str]]],
    ) -> PieceNormalizer:
        """One from the tables of its compiled rules.

        ``read`` gives rules and symbols, which only offsets, converting and saving ask for.
        Raises ValueError for tables that don't fit together.
        """
        made = cls.__new__(cls)
        made.add_dummy_prefix = flags["add_dummy_prefix"]
        made.remove_extra_whitespaces = flags["remove_extra_whitespaces"]
        made.escape_whitespaces = flags["escape_whitespaces"]
        made.as_suffix = flags["as_suffix"]
        made.compiled = PieceRules.restore(tables, **made.flags)
        made._read = read
        return made

    @property
    def flags(self) -> dict[str, bool]:
        """What there is besides rules and symbols, by the constructor's names."""
        return {
            "add_dummy_prefix": self.add_dummy_prefix,
            "remove_extra_whitespaces": self.remove_extra_whitespaces,
            "escape_whitespaces": self.escape_whitespaces,
            "as_suffix": self.as_suffix,
        }

    def __getattr__(self, name: str) -> Any:
        if name not in ("rules", "symbols", "_longest"):
            raise AttributeError(name)
        self._know(*self._read())
        return getattr(self, name)

    def _know(self, rules: Mapping[str, str], symbols: Collection[str]) -> None:
        self.rules = rules
        self.symbols = frozenset(symbols)
        # The longest rule or symbol that begins with a character, in characters.
        self._longest: dict[str, int] = {}
        for text in (*rules, *self.symbols):
            self._longest[text[0]] = max(self._longest.get(text[0], 0), len(text))

    @property
    def moves_start(self) -> bool:
        return True

    def normalize_str(self, text: str) -> str:
        return self.compiled.normalize(text)

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

    def _with_origins(self, text: str) -> tuple[str, list[int]]:
        """The normalized text, and which character each of its characters is made from."""
        out: list[str] = []
        origin: list[int] = []
        squeeze = self.remove_extra_whitespaces
        at = 0
        after_space = squeeze
        leading = squeeze
        while at < len(text):
            made, size = self.step(text, at)
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

    def reach(self, char: str) -> int:
        """How many characters a step that begins with ``char`` takes at most."""
        return self._longest.get(char, 1)

    def step(self, text: str, at: int) -> tuple[str, int]:
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
            normalized, origin = self._with_origins(text.normalized)
            text.derive(normalized, array("q", origin))


class PieceDecoder(Decoder):
    """Pieces to text; control symbols come as "", the unknown one as its surface.

    ``strip``: a text's first space, where it begins with one, is left out; ``strip_all``:
    those of all pieces that begin it. ``byte_pieces``: the bytes that some pieces are.
    ``rules``: what the text is rewritten by when it is whole.
    """

    def __init__(
        self,
        strip: bool,
        strip_all: bool,
        byte_pieces: Mapping[str, int],
        rules: Mapping[str, str] | None = None,
    ) -> None:
        self.strip = strip
        self.strip_all = strip_all
        self.byte_pieces = byte_pieces
        self.rules = dict(rules or {})
        self.rewriter = None
        if self.rules:
            self.rewriter = PieceNormalizer(
                self.rules,
                (),
                add_dummy_prefix=False,
                remove_extra_whitespaces=False,
                escape_whitespaces=False,
                as_suffix=False,
            )

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
        self._held = ""

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
        return self._rewritten("".join(out).translate(_INVALID), final=False)

    def finish(self) -> str:
        """The rest."""
        return self._rewritten(self._utf8.decode(b"", final=True).translate(_INVALID), final=True)

    def _rewritten(self, text: str, final: bool) -> str:
        """A text by the decoder's rules; what a longer key may begin with is held back."""
        rewriter = self._decoder.rewriter
        if rewriter is None:
            return text
        text = self._held + text
        out = []
        at = 0
        while at < len(text) and (final or at + rewriter.reach(text[at]) <= len(text)):
            made, size = rewriter.step(text, at)
            out.append(made)
            at += size
        self._held = text[at:]
        return "".join(out)

    def _piece(self, token: str) -> str:
        if self._seen_space or self._any_text:
            self._at_start = False
        self._seen_space = False
        if self._at_start and self._decoder.strip and token.startswith(SPACE):
            token = token[1:]
            self._seen_space = not self._decoder.strip_all
        return token.replace(SPACE, " ")
