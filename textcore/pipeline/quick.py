"""Encodings of whole texts with only what the encoder can tell, the rest when it is asked for.

What a post-processor does is found out once, by encodings of a token or two: see
:mod:`textcore.pipeline.shapes`. Where it does something else with other tokens, and where texts
are cut in an unusual way, there is the slower :class:`textcore.pipeline.aligned.AlignedPath`.
"""

from __future__ import annotations

from array import array
from functools import partial
from typing import TYPE_CHECKING

from textcore.core.added import AddedMatcher
from textcore.core.deferred import Finding, Fit, Frame, PairFrame
from textcore.core.spans import Encoded, encoded
from textcore.encoding import MAX_OVERFLOWING, Encoding, slices
from textcore.errors import SpecError, TextcoreError
from textcore.pipeline.filled import Cut, FilledWhole, Part, WholeText
from textcore.pipeline.fitting import Fitting, Truncation
from textcore.pipeline.shapes import Shape

if TYPE_CHECKING:
    from textcore.pipeline.aligned import AlignedPath
    from textcore.pipeline.assemble import Pipeline

_NONE = array("I")
_PROBED = 3
# Where a sequence is cut: its pieces, from the one that is kept on.
Slices = list[tuple[int, int]]
# The shape of pieces of sequences, by which of them are not the first of theirs.
Kinds = dict[tuple[bool, ...], Shape]


class QuickPath:
    """What encodes texts for ``path``, all the same whatever their tokens are."""

    def __init__(self, path: AlignedPath, pipeline: Pipeline) -> None:
        self._path = path
        self._encoder = pipeline.encoder
        self._processor = pipeline.post_processor
        self._finding = Finding(path)
        self._shapes: dict[tuple[bool, bool], Shape | None] = {}
        self._kinds: dict[tuple[bool, bool], Kinds | None] = {}
        self._frames: dict[bool, Frame | None] = {}
        self._pair_frames: dict[bool, PairFrame | None] = {}

    def frame(self, add_special_tokens: bool) -> Frame | None:
        """What makes the encodings of single texts; None where that depends on them."""
        if add_special_tokens not in self._frames:
            frame = self._make_frame(self._shape(False, add_special_tokens))
            kinds = self._kinds_of(False, add_special_tokens)
            if frame is not None and kinds is not None:
                frame.set_rest(self._make_frame(kinds[(True,)]))
            self._frames[add_special_tokens] = frame
        return self._frames[add_special_tokens]

    def pair_frame(self, add_special_tokens: bool) -> PairFrame | None:
        """What makes the encodings of pairs; None where that depends on them."""
        if add_special_tokens not in self._pair_frames:
            frame = None
            shape = self._shape(True, add_special_tokens)
            if self._encoder is not None and shape is not None:
                sequences = array("i", [-1 if at is None else at for at in shape.sequences])
                tokens = array("I", [slot.token for slot in shape.slots])
                later = partial(FilledWhole, self._path, shape)
                frame = PairFrame(self._encoder, self._finding, tokens, sequences, Encoding, later)
            self._pair_frames[add_special_tokens] = frame
        return self._pair_frames[add_special_tokens]

    def _make_frame(self, shape: Shape | None) -> Frame | None:
        path = self._path
        if self._encoder is None or shape is None or shape.frame is None:
            return None

        def later(piece: Encoded) -> FilledWhole:
            return FilledWhole(path, shape, (piece,))

        def cut(whole: WholeText, start: int, stop: int) -> Cut:
            return Cut(path, shape, [Part(whole, start, stop)])

        share = partial(WholeText, path)
        return Frame(self._encoder, self._finding, *shape.frame, Encoding, later, share, cut)

    def encoding(
        self,
        text: str,
        pair: str | None,
        add_special_tokens: bool,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
        fit: Fit,
    ) -> Encoding | None:
        """The encoding of one text or two, cut and filled; None where that can't be."""
        done: Encoding | None = None
        if pair is None:
            frame = self.frame(add_special_tokens)
            if frame is not None:
                done = frame.encoded(text, first, second, fit)
        else:
            frames = self.pair_frame(add_special_tokens)
            if frames is not None:
                done = frames.encoded(text, pair, first, second, fit)
                if done is None:
                    fitting: Fitting = fit.fitting
                    done = self._cut((text, pair), add_special_tokens, first, second, fitting)
                    if done is not None and fitting.padding is not None:
                        fitting.padding.apply([done])
        return done

    def _cut(
        self,
        pair: tuple[str, str],
        add_special_tokens: bool,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
        fitting: Fitting,
    ) -> Encoding | None:
        """Two texts cut into parts, each with the tokens around it that the first ones have."""
        kinds = self._kinds_of(True, add_special_tokens)
        truncation = fitting.truncation
        added = self._path.added_tokens(True) if add_special_tokens else 0
        if kinds is None or truncation is None or added > truncation.max_length:
            return None
        assert self._encoder is not None
        wholes = [
            WholeText(self._path, encoded(self._encoder, text, first, second, _NONE, _NONE))
            for text in pair
        ]
        parts = _slices(truncation.less(added), [len(whole.tokens) for whole in wholes])
        if parts is None:
            return None

        sizes = [len(each) for each in parts]

        def combined(chosen: tuple[int, ...]) -> Encoding:
            kind = kinds[tuple(map(bool, chosen))]
            cut = [
                Part(whole, *part[index])
                for whole, part, index in zip(wholes, parts, chosen, strict=True)
            ]
            ids = kind.joined([part.ids for part in cut])
            done = Encoding.deferred(ids, Cut(self._path, kind, cut))
            overflowing = _overflowing(sizes, chosen)
            if overflowing:
                done.defer_overflowing(lambda: list(map(combined, overflowing)))
            return done

        return combined((0, 0))

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
            done = self._path.process(
                probes[0], probes[1] if is_pair else None, add_special_tokens
            )
        except SpecError:
            return None
        return Shape.of(done) if len(done.tokens) == len(done) else None

    def _kinds_of(self, is_pair: bool, add_special_tokens: bool) -> Kinds | None:
        """The shapes of what is kept and of what is cut off: not all processors treat it alike."""
        key = (is_pair, add_special_tokens)
        if key not in self._kinds:
            self._kinds[key] = self._find_kinds(*key)
        return self._kinds[key]

    def _find_kinds(self, is_pair: bool, add_special_tokens: bool) -> Kinds | None:
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
        done = self._path.process(probes[0], probes[1] if is_pair else None, add_special_tokens)
        kept = (0,) * len(probes)
        kinds = {tuple(map(bool, kept)): usual}
        return kinds if _is_combined(done, [_PROBED] * len(probes), kept, kinds) else None


def _is_combined(done: Encoding, sizes: list[int], chosen: tuple[int, ...], kinds: Kinds) -> bool:
    """Whether what was cut off is as :func:`_overflowing` says, and alike where it should be."""
    expected = _overflowing(sizes, chosen)
    if len(done.overflowing) != len(expected):
        return False
    for each, pieces in zip(done.overflowing, expected, strict=True):
        shape = Shape.of(each)
        found = {
            at: start
            for at, (start, _) in zip(shape.sequences, each.offsets, strict=True)
            if at is not None
        }
        if len(found) != len(shape.sequences) - shape.sequences.count(None):
            return False
        if found != dict(enumerate(pieces)):
            return False
        if kinds.setdefault(tuple(map(bool, pieces)), shape) != shape:
            return False
        if not _is_combined(each, sizes, pieces, kinds):
            return False
    return True


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


def _overflowing(sizes: list[int], chosen: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Which pieces of sequences overflow, where the ``chosen`` ones are together.

    Those follow from how encodings are merged: each piece that is still the first of its
    sequence goes with the others of it.
    """
    if len(sizes) == 1:
        return [] if chosen[0] else [(at,) for at in range(1, sizes[0])]
    first, second = chosen
    if first and second:
        return []
    if first:
        return [(first, at) for at in range(1, sizes[1])]
    rest = range(1, sizes[0])
    if second:
        return [(at, second) for at in rest]
    both = [(one, other) for one in rest for other in range(sizes[1])]
    return [*both, *((0, at) for at in range(1, sizes[1]))]
