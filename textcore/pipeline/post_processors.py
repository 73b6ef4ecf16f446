"""Post-processors of a tokenizer.json, as those of Hugging Face ``tokenizers`` 0.23.

They put special tokens around and between encoded sequences, and correct offsets. Each
takes the encodings that it is given as its own and may change them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from collections.abc import Sequence as Seq
from functools import partial
from typing import NamedTuple

from textcore.encoding import Encoding
from textcore.errors import SpecError
from textcore.pipeline import fields
from textcore.pipeline.byte_characters import BYTE_CHARACTERS
from textcore.pipeline.characters import WHITESPACE
from textcore.pipeline.spec import Node, shorten

Affixes = tuple[tuple[int, ...], tuple[int, ...]]

# What is no part of a word in a byte-level token: a space's stand-in, and whitespace.
_BLANK = BYTE_CHARACTERS[ord(" ")] + WHITESPACE


class PostProcessor(ABC):
    """The last step: from each sequence's encoding to the one that is returned."""

    __slots__ = ()

    @property
    def trims(self) -> tuple[bool, ...] | None:
        """What is done to offsets before all else: each trim's ``add_prefix_space``, in turn.

        None where offsets are trimmed after tokens have been added.
        """
        return ()

    @abstractmethod
    def added_tokens(self, is_pair: bool) -> int:
        """How many tokens are added to one sequence, or to two."""

    @abstractmethod
    def process_encodings(
        self, encodings: list[Encoding], add_special_tokens: bool
    ) -> list[Encoding]:
        """The encodings changed; together, in order, they are the result."""

    def process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """One encoding made of one or two."""
        encodings = [encoding] if pair is None else [encoding, pair]
        for sequence, each in enumerate(encodings):
            each.set_sequence_id(sequence)
            for piece in each.overflowing:
                piece.set_sequence_id(sequence)
            each.set_type_ids(sequence)
        return Encoding.merge(self.process_encodings(encodings, add_special_tokens), False)

    def affixes(self, add_special_tokens: bool = True) -> Affixes | None:
        """The (prefix, suffix) ids put around the ids of a single sequence.

        None where that is not what happens: where the sequence is repeated or left out, or
        where :meth:`process` raises an error.
        """
        probe = Encoding.from_parts([0], [""], [(0, 0)], [0])
        try:
            done = self.process(probe, None, add_special_tokens)
        except SpecError:
            return None
        # Special tokens belong to no word: the only word is the probe's.
        at = [index for index, word in enumerate(done.word_ids) if word is not None]
        if len(at) != 1:
            return None
        ids = done.ids
        return tuple(ids[: at[0]]), tuple(ids[at[0] + 1 :])


class SpecialToken(NamedTuple):
    """What a template's special token stands for: usually one id, but any number."""

    ids: tuple[int, ...]
    tokens: tuple[str, ...]


class TemplatePiece(NamedTuple):
    """One piece of a template: sequence 0 (A) or 1 (B), or else a special token's name."""

    sequence: int | None
    special: str
    type_id: int


class TemplateProcessing(PostProcessor):
    """Sequences and special tokens in the order that a template gives."""

    __slots__ = ("pair", "place", "single", "special_tokens")

    def __init__(
        self,
        single: Seq[TemplatePiece],
        pair: Seq[TemplatePiece],
        special_tokens: Mapping[str, SpecialToken],
        place: str = "",
    ) -> None:
        self.single = tuple(single)
        self.pair = tuple(pair)
        self.special_tokens = dict(special_tokens)
        self.place = place

    def added_tokens(self, is_pair: bool) -> int:
        return sum(
            len(self.special_tokens[piece.special].ids)
            for piece in (self.pair if is_pair else self.single)
            if piece.sequence is None and piece.special in self.special_tokens
        )

    def process_encodings(
        self, encodings: list[Encoding], add_special_tokens: bool
    ) -> list[Encoding]:
        if len(encodings) not in (1, 2):
            raise SpecError(
                self.place, f"a template takes one or two encodings, not {len(encodings)}"
            )
        done = []
        for piece in self.single if len(encodings) == 1 else self.pair:
            if piece.sequence is not None:
                done.append(self._sequence(piece, piece.sequence, encodings))
            elif add_special_tokens:
                done.append(self._special(piece))
        return done

    def _sequence(self, piece: TemplatePiece, at: int, encodings: list[Encoding]) -> Encoding:
        if at >= len(encodings):
            raise SpecError(self.place, "the template for one sequence uses sequence B")
        encodings[at].set_type_ids(piece.type_id)
        encodings[at].set_sequence_id(at)
        return encodings[at].copy()

    def _special(self, piece: TemplatePiece) -> Encoding:
        special = self.special_tokens.get(piece.special)
        if special is None:
            raise SpecError(
                self.place, f"the template's {shorten(piece.special)} is not in special_tokens"
            )
        return special_encoding(special, piece.type_id)


class BertProcessing(PostProcessor):
    """``[CLS] A [SEP]`` or ``[CLS] A [SEP] B [SEP]``; ``cls`` and ``sep`` are (token, id)."""

    __slots__ = ("cls", "sep")

    def __init__(self, sep: tuple[str, int], cls: tuple[str, int]) -> None:
        self.sep = sep
        self.cls = cls

    def added_tokens(self, is_pair: bool) -> int:
        return 3 if is_pair else 2

    def process_encodings(
        self, encodings: list[Encoding], add_special_tokens: bool
    ) -> list[Encoding]:
        if not add_special_tokens:
            return encodings
        return [
            surround(each, self.cls, self.sep, 0, 0)
            if at == 0
            else surround(each, None, self.sep, 1, 1)
            for at, each in enumerate(encodings)
        ]


class RobertaProcessing(PostProcessor):
    """``<s> A </s>`` or ``<s> A </s></s> B </s>``, all of type 0; trims offsets if asked."""

    __slots__ = ("add_prefix_space", "cls", "sep", "trim_offsets")

    def __init__(
        self,
        sep: tuple[str, int],
        cls: tuple[str, int],
        trim_offsets: bool,
        add_prefix_space: bool,
    ) -> None:
        self.sep = sep
        self.cls = cls
        self.trim_offsets = trim_offsets
        self.add_prefix_space = add_prefix_space

    @property
    def trims(self) -> tuple[bool, ...]:
        return (self.add_prefix_space,) if self.trim_offsets else ()

    def added_tokens(self, is_pair: bool) -> int:
        return 4 if is_pair else 2

    def process_encodings(
        self, encodings: list[Encoding], add_special_tokens: bool
    ) -> list[Encoding]:
        for each in encodings:
            if self.trim_offsets:
                trim_offsets(each, self.add_prefix_space)
            each.set_type_ids(0)
        if not add_special_tokens:
            return encodings
        done = []
        for at, each in enumerate(encodings):
            for piece in each.overflowing:
                piece.set_type_ids(0)
            first = self.cls if at == 0 else self.sep
            done.append(surround(each, first, self.sep, 0, min(at, 1)))
        return done


class ByteLevel(PostProcessor):
    """Takes the blanks at both ends of a token out of its offsets, if ``trim_offsets``."""

    __slots__ = ("add_prefix_space", "trim_offsets")

    def __init__(self, add_prefix_space: bool, trim_offsets: bool) -> None:
        self.add_prefix_space = add_prefix_space
        self.trim_offsets = trim_offsets

    @property
    def trims(self) -> tuple[bool, ...]:
        return (self.add_prefix_space,) if self.trim_offsets else ()

    def added_tokens(self, is_pair: bool) -> int:
        return 0

    def process_encodings(
        self, encodings: list[Encoding], add_special_tokens: bool
    ) -> list[Encoding]:
        for sequence, each in enumerate(encodings):
            if self.trim_offsets:
                trim_offsets(each, self.add_prefix_space)
            each.set_sequence_id(sequence)
        return encodings


class Sequence(PostProcessor):
    """Several post-processors, one after the other."""

    __slots__ = ("processors",)

    def __init__(self, processors: Seq[PostProcessor]) -> None:
        self.processors = tuple(processors)

    @property
    def trims(self) -> tuple[bool, ...] | None:
        found: tuple[bool, ...] = ()
        adding = False
        for processor in self.processors:
            trims = processor.trims
            if trims is None or (trims and adding):
                return None
            found += trims
            adding = adding or not isinstance(processor, ByteLevel)
        return found

    def added_tokens(self, is_pair: bool) -> int:
        return sum(processor.added_tokens(is_pair) for processor in self.processors)

    def process_encodings(
        self, encodings: list[Encoding], add_special_tokens: bool
    ) -> list[Encoding]:
        for processor in self.processors:
            encodings = processor.process_encodings(encodings, add_special_tokens)
        return encodings


def default_process(encoding: Encoding, pair: Encoding | None = None) -> Encoding:
    """What a tokenizer without a post-processor makes of one or two encodings."""
    if pair is None:
        return encoding
    encoding.set_sequence_id(0)
    pair.set_sequence_id(1)
    return Encoding.merge([encoding, pair], False)


def special_encoding(special: SpecialToken, type_id: int) -> Encoding:
    """The encoding of a special token: at no place of the input, in no word."""
    size = len(special.ids)
    return Encoding.from_parts(
        special.ids, special.tokens, [(0, 0)] * size, [None] * size, type_id, special=True
    )


def surround(
    encoding: Encoding,
    first: tuple[str, int] | None,
    last: tuple[str, int],
    type_id: int,
    sequence: int,
) -> Encoding:
    """``encoding`` between two special tokens of ``type_id``, and so its overflowing pieces.

    The tokens within become ordinary ones of the sequence, whatever they were.
    """
    result = _surround(encoding, first, last, type_id, sequence)
    result.set_overflowing(
        [_surround(piece, first, last, type_id, sequence) for piece in encoding.overflowing]
    )
    return result


def _surround(
    encoding: Encoding,
    first: tuple[str, int] | None,
    last: tuple[str, int],
    type_id: int,
    sequence: int,
) -> Encoding:
    middle = encoding.as_ordinary(sequence)
    before = [] if first is None else [SpecialToken((first[1],), (first[0],))]
    after = SpecialToken((last[1],), (last[0],))
    parts = [special_encoding(special, type_id) for special in before]
    return Encoding.merge([*parts, middle, special_encoding(after, type_id)], False)


def trim_offsets(encoding: Encoding, add_prefix_space: bool) -> None:
    """Take the blanks that byte-level tokens begin or end with out of their offsets.

    With ``add_prefix_space``, one blank at the beginning of a first token stays in: it is
    the one that was added, and no part of the input.
    """
    for each in (encoding, *encoding.overflowing):
        each.map_offsets(partial(trimmed, add_prefix_space))


def blanks(token: str) -> tuple[int, int]:
    """How many blanks a byte-level token begins and ends with."""
    return len(token) - len(token.lstrip(_BLANK)), len(token) - len(token.rstrip(_BLANK))


def trimmed(prefixed: bool, index: int, token: str, start: int, end: int) -> tuple[int, int]:
    """The offsets (start, end) of the token at ``index``, without its blanks."""
    leading, trailing = blanks(token)
    if leading:
        if prefixed and leading == 1 and (index == 0 or start == 0):
            leading = 0
        start = min(start + leading, end)
    if trailing and end >= trailing:
        end = max(end - trailing, start)
    return start, end


def build_post_processor(node: Node, depth: int = 0) -> PostProcessor:
    """The post-processor that ``node`` describes.

    As in the reference, it is recognised by its fields; only ByteLevel and Sequence need
    their ``type``. Raises SpecError, or UnsupportedError for what is not known.
    """
    fields.check_depth(node, depth)
    built, problem = fields.by_shape(node, depth, _SHAPES)
    if built is not None:
        return built
    kind = node.data.get("type")
    if isinstance(kind, str) and kind in _BUILDERS and "processors" not in node.data:
        # What its own builder says is clearer than what the shape it resembles is not.
        return _BUILDERS[kind](node, depth)
    raise problem or fields.unsupported(node, "post-processor", _BUILDERS)


def _special_pair(node: Node, key: str) -> tuple[str, int]:
    value = node.get(key, list)
    if len(value) != 2:
        raise node.error(key, f"expected [token, id], found {shorten(value)}")
    place = node.at(key)
    return fields.check_text(value[0], f"{place}[0]"), fields.unsigned(value[1], f"{place}[1]")


def _bert(node: Node, depth: int) -> PostProcessor:
    return BertProcessing(_special_pair(node, "sep"), _special_pair(node, "cls"))


def _roberta(node: Node, depth: int) -> PostProcessor:
    return RobertaProcessing(
        _special_pair(node, "sep"),
        _special_pair(node, "cls"),
        node.get("trim_offsets", bool),
        node.get("add_prefix_space", bool),
    )


def _byte_level(node: Node, depth: int) -> PostProcessor:
    node.one_of("type", ("ByteLevel",))
    node.get("use_regex", bool, True)
    return ByteLevel(node.get("add_prefix_space", bool), node.get("trim_offsets", bool))


def _template(node: Node, depth: int) -> PostProcessor:
    specials = Node(node.get("special_tokens", dict), node.at("special_tokens"))
    return TemplateProcessing(
        _pieces(node, "single"),
        _pieces(node, "pair"),
        {name: _special_token(specials, name) for name in specials.data},
        node.place,
    )


def _pieces(node: Node, key: str) -> list[TemplatePiece]:
    pieces = []
    for outer in node.children(key):
        kind = next(iter(outer.data), "")
        if len(outer.data) != 1 or kind not in ("Sequence", "SpecialToken"):
            raise SpecError(
                outer.place, "expected an object with one key, Sequence or SpecialToken"
            )
        inner = Node(outer.data[kind], outer.at(kind))
        type_id = fields.unsigned(inner.get("type_id", int), inner.at("type_id"))
        if kind == "Sequence":
            sequence = ("A", "B").index(inner.one_of("id", ("A", "B")))
            pieces.append(TemplatePiece(sequence, "", type_id))
        else:
            pieces.append(TemplatePiece(None, fields.string(inner, "id"), type_id))
    return pieces


def _special_token(specials: Node, name: str) -> SpecialToken:
    node = Node(specials.data[name], specials.at(shorten(name)))
    fields.string(node, "id")
    ids = [
        fields.unsigned(value, f"{node.at('ids')}[{at}]")
        for at, value in enumerate(node.get("ids", list))
    ]
    tokens = [
        fields.check_text(value, f"{node.at('tokens')}[{at}]")
        for at, value in enumerate(node.get("tokens", list))
    ]
    return SpecialToken(tuple(ids), tuple(tokens))


def _sequence(node: Node, depth: int) -> PostProcessor:
    node.one_of("type", ("Sequence",))
    return Sequence([build_post_processor(n, depth + 1) for n in node.children("processors")])


_BUILDERS: dict[str, fields.Builder[PostProcessor]] = {
    "RobertaProcessing": _roberta,
    "BertProcessing": _bert,
    "ByteLevel": _byte_level,
    "TemplateProcessing": _template,
    "Sequence": _sequence,
}
_SHAPES: dict[tuple[str, ...], fields.Builder[PostProcessor]] = {
    ("sep", "cls", "trim_offsets", "add_prefix_space"): _roberta,
    ("sep", "cls"): _bert,
    ("add_prefix_space", "trim_offsets"): _byte_level,
    ("single", "pair", "special_tokens"): _template,
    ("processors",): _sequence,
}
