"""Encodings of whole texts with only what the encoder can tell, the rest when it is asked for.

What a post-processor does is found out once, by encodings of a token or two: see
:mod:`textcore.pipeline.shapes`. Where it does something else with other tokens, and where texts
are cut in an unusual way, there is the slower :class:`textcore.pipeline.aligned.AlignedPath`.
"""

from __future__ import annotations

from array import array
from itertools import product
from typing import TYPE_CHECKING

from textcore.core.added import AddedMatcher
from textcore.core.deferred import Finding, Frame, Parts, Whole, join
from textcore.core.spans import Encoded, encoded
from textcore.encoding import MAX_OVERFLOWING, Encoding, slices
from textcore.errors import SpecError, TextcoreError
from textcore.pipeline.filled import Cut, FilledWhole, Part, WholeText
from textcore.pipeline.fitting import Truncation
from textcore.pipeline.shapes import Shape

if TYPE_CHECKING:
    from textcore.pipeline.aligned import AlignedPath
    from textcore.pipeline.assemble import Pipeline

_NONE = array("I")
_PROBED = 3
# Where a sequence is cut: its pieces, from the one that is kept on.
Slices = list[tuple[int, int]]


class QuickPath:
    """What encodes texts for ``path``, all the same whatever their tokens are."""

    def __init__(self, path: AlignedPath, pipeline: Pipeline) -> None:
        self._path = path
        self._encoder = pipeline.encoder
        self._processor = pipeline.post_processor
        self._finding = Finding(path)
        self._shapes: dict[tuple[bool, bool], Shape | None] = {}
        self._rest_shapes: dict[tuple[bool, bool], Shape | None] = {}
        self._frames: dict[bool, Frame | None] = {}

    def frame(self, add_special_tokens: bool) -> Frame | None:
        """What makes the encodings of single texts; None where that depends on them."""
        if add_special_tokens not in self._frames:
            shape = self._shape(False, add_special_tokens)
            frame = None
            if self._encoder is not None and shape is not None and shape.frame is not None:
                frame = self._make_frame(self._path, shape)
            self._frames[add_special_tokens] = frame
        return self._frames[add_special_tokens]

    def _make_frame(self, path: AlignedPath, shape: Shape) -> Frame:
        def later(piece: Encoded) -> FilledWhole:
            return FilledWhole(path, shape, (piece,))

        assert self._encoder is not None and shape.frame is not None
        return Frame(self._encoder, self._finding, *shape.frame, Encoding, later)

    def encoding(
        self,
        text: str,
        pair: str | None,
        add_special_tokens: bool,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
        truncation: Truncation | None,
    ) -> Encoding | None:
        """The encoding of one text or two, cut; None where that is not for this path."""
        frame = self.frame(add_special_tokens)
        if frame is not None and pair is None and truncation is None:
            whole: Encoding = frame.encoded(text, first, second)
            return whole
        shape = self._shape(pair is not None, add_special_tokens)
        if self._encoder is None or shape is None:
            return None
        texts = (text,) if pair is None else (text, pair)
        pieces = tuple([encoded(self._encoder, each, first, second, _NONE, _NONE) for each in texts])
        if truncation is not None:
            counts = [piece.count for piece in pieces]
            added = self._path.added_tokens(pair is not None) if add_special_tokens else 0
            if not 0 < sum(counts) + added <= truncation.max_length:
                return self._cut(pieces, counts, shape, add_special_tokens, truncation, added)
        ids, source = join(self._finding, shape.joining, pieces)
        return Encoding.deferred(ids, FilledWhole(self._path, shape, pieces), source)

    def _cut(
        self,
        pieces: tuple[Encoded, ...],
        counts: list[int],
        shape: Shape,
        add_special_tokens: bool,
        truncation: Truncation,
        added: int,
    ) -> Encoding | None:
        """Texts cut into parts, each with the tokens around it that the first ones have."""
        rest = self._rest_shape(len(pieces) == 2, add_special_tokens)
        if rest is None or not sum(counts) or added > truncation.max_length:
            return None
        parts = _slices(truncation.less(added), counts)
        if parts is None:
            return None
        wholes = [Whole(self._finding, piece) for piece in pieces]
        texts = [WholeText(self._path, piece) for piece in pieces]
        done = []
        for chosen in _combined([len(each) for each in parts]):
            kind = rest if done else shape
            spans = [parts[sequence][index] for sequence, index in enumerate(chosen)]
            ids = kind.joined(
                [piece.ids[start:stop] for piece, (start, stop) in zip(pieces, spans, strict=True)]
            )
            source = Parts(
                [
                    (None, 0, 0) if at is None else (wholes[at], *spans[at])
                    for at in kind.sequences
                ]
            )
            cut = [
                Part(text, piece.ids[start:stop], start)
                for text, piece, (start, stop) in zip(texts, pieces, spans, strict=True)
            ]
            done.append(Encoding.deferred(ids, Cut(self._path, kind, cut), source))
        if len(done) > 1:
            done[0].set_overflowing(done[1:])
        return done[0]

    # ------------------------------------------------------------ what the processor does

    def _shape(self, is_pair: bool, add_special_tokens: bool) -> Shape | None:
        key = (is_pair, add_special_tokens)
        if key not in self._shapes:
            self._shapes[key] = self._find_shape(*key)
        return self._shapes[key]

    def _find_shape(self, is_pair: bool, add_special_tokens: bool) -> Shape | None:
        """What the post-processor makes of sequences; None where their tokens matter to it."""
        if self._processor is not None and self._processor.trims is None:
            return None
        probes = [Encoding.from_parts([at], [""], [(0, 0)], [0], at) for at in (0, 1)]
        try:
            done = self._path.process(probes[0], probes[1] if is_pair else None, add_special_tokens)
        except SpecError:
            return None
        return Shape.of(done) if len(done.tokens) == len(done) else None

    def _rest_shape(self, is_pair: bool, add_special_tokens: bool) -> Shape | None:
        """The shape of all that is cut off: not all processors treat it alike."""
        key = (is_pair, add_special_tokens)
        if key not in self._rest_shapes:
            self._rest_shapes[key] = self._find_rest_shape(*key)
        return self._rest_shapes[key]

    def _find_rest_shape(self, is_pair: bool, add_special_tokens: bool) -> Shape | None:
        usual = self._shape(is_pair, add_special_tokens)
        sequences = range(1 + is_pair)
        if usual is None or sorted(at for at in usual.sequences if at is not None) != [*sequences]:
            return None
        probes = []
        for at in sequences:
            # Offsets say which piece it is.
            pieces = [(index, index) for index in range(_PROBED)]
            probe = Encoding.from_parts([at] * _PROBED, [""] * _PROBED, pieces, [0] * _PROBED, at)
            probe.truncate(1)
            probes.append(probe)
        rest = self._path.process(probes[0], probes[1] if is_pair else None, add_special_tokens)
        expected = _combined([_PROBED] * len(probes))[1:]
        if len(rest.overflowing) != len(expected):
            return None
        shapes = [Shape.of(each) for each in rest.overflowing]
        for shape, each, chosen in zip(shapes, rest.overflowing, expected, strict=True):
            if shape.sequences != usual.sequences or shape != shapes[0] or each.overflowing:
                return None
            found = {
                at: start
                for at, (start, _) in zip(shape.sequences, each.offsets, strict=True)
                if at is not None
            }
            if found != dict(enumerate(chosen)):
                return None
        return shapes[0]


def _slices(truncation: Truncation, counts: list[int]) -> list[Slices] | None:
    """Where sequences of so many tokens are cut; None where that is not for this path."""
    try:
        lengths = truncation.lengths(counts[0], counts[1] if len(counts) == 2 else None)
    except TextcoreError:
        return None
    parts = []
    for count, length in zip(counts, lengths, strict=False):
        if length is None or length >= count:
            parts.append([(0, count)])
        elif truncation.stride < length:
            parts.append(list(slices(count, length, truncation.stride, truncation.direction)))
        else:
            return None
    total = 1
    for part in parts:
        total *= len(part)
    return parts if total <= MAX_OVERFLOWING else None


def _combined(sizes: list[int]) -> list[tuple[int, ...]]:
    """Which pieces of each sequence go together: those that are kept, then all others."""
    every = list(product(*map(range, sizes)))
    kept = every[0]
    # As encodings are merged: the pieces of the first with each of the second, then the rest.
    return [kept, *(each for each in every if each[0]), *(each for each in every[1:] if not each[0])]
