"""The way through a pipeline that keeps each token's place in the original text.

Slower than the encoder, and the same ids: every component runs as the reference runs it,
on texts that know where their characters come from.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from textcore.core.added import AddedMatcher
from textcore.core.deferred import Fit, Trimmer
from textcore.core.spans import Encoded, SpanFinder, encoded
from textcore.encoding import Encoding
from textcore.pipeline.added_tokens import Guard
from textcore.pipeline.fitting import (
    Fitting,
    Truncation,
    choose_fitting,
    read_padding,
    read_truncation,
)
from textcore.pipeline.normalized import NormalizedString, Offsets, PreTokenizedString, Split
from textcore.pipeline.post_processors import default_process
from textcore.pipeline.quick import QuickPath
from textcore.pipeline.shapes import Tokens
from textcore.pipeline.spans import Spans, make_finder
from textcore.pipeline.spec import Node
from textcore.pipeline.trims import make_trimmer

if TYPE_CHECKING:
    from textcore.pipeline.assemble import Pipeline

# A text, or its words where something else has split it.
Words = str | Sequence[str]
# A sequence, and a second one or None.
Input = tuple[Words, Words | None]


# So many ways of cutting and filling are remembered.
CHOICES = 64

_NONE = array("I")

Extract = Callable[[NormalizedString, AddedMatcher | None], list[Split]]


class AlignedPath:
    """Encodings of texts, by the components of ``pipeline``."""

    def __init__(self, root: Node, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self.fitting = Fitting(
            read_truncation(root.child("truncation")), read_padding(root.child("padding"))
        )
        self.fit = self.fitting.compiled()
        self._chosen: dict[Any, Fit] = {}
        self._cuts: dict[Truncation | None, Fit] = {}
        self.quick = QuickPath(self, pipeline)
        processor = pipeline.post_processor
        self._added_tokens = processor.added_tokens if processor else lambda is_pair: 0

    @cached_property
    def finder(self) -> SpanFinder | None:
        """What finds the places of tokens from ids alone; None where they don't tell."""
        return make_finder(self._pipeline)

    def ids(self, text: str, first: AddedMatcher | None, second: AddedMatcher | None) -> list[int]:
        """The ids of one text, nothing added, nothing cut."""
        splits = self._tokenized(text, first, second).splits
        return [token[0] for split in splits for token in split.tokens or ()]

    def guarded_ids(self, text: str, guard: Guard, trusted: list[Offsets]) -> list[int] | None:
        """The ids of a text in which control tokens count only in ``trusted`` ranges.

        None where one came out of ordinary text.
        """
        found: list[int] = []

        def extract(piece: NormalizedString, matcher: AddedMatcher | None) -> list[Split]:
            inside = _ranges_inside(piece, trusted)
            splits = _extract(piece, matcher, inside)
            found.extend(token[0] for split in splits for token in split.tokens or ())
            return splits

        splits = self._tokenized(text, *guard.matchers, extract).splits
        ids = [token[0] for split in splits for token in split.tokens or ()]
        count = sum(map(guard.is_control, ids))
        return ids if count == sum(map(guard.is_control, found)) else None

    def processed_ids(self, ids: list[int]) -> list[int]:
        """Ids of one sequence after the post-processor."""
        return self.process(_without_details(ids), None, True).ids

    @cached_property
    def trimmer(self) -> Trimmer | None:
        """What trims offsets as the post-processor does it; None where it does not."""
        processor = self._pipeline.post_processor
        prefixed = processor.trims if processor is not None else ()
        if not prefixed:
            return None
        return make_trimmer([*self._added.items(), *self._pipeline.model.tokens.items()], prefixed)

    @cached_property
    def _added(self) -> dict[int, str]:
        """The added tokens that the model does not have, by their ids."""
        known = self._pipeline.model.tokens
        tokens = self._pipeline.added.tokens.items()
        return {token_id: token.content for token_id, token in tokens if token_id not in known}

    def choose(self, asked: dict[str, Any]) -> Fit:
        """How to cut and fill, by the file and by keywords of :func:`choose_fitting`.

        Raises ValueError, and TypeError for other keywords.
        """
        key = tuple(asked.items())
        kinds = tuple(map(type, asked.values()))
        try:
            return self._chosen[key, kinds]
        except KeyError:
            fit = choose_fitting(self.fitting, **asked).compiled()
        except TypeError:
            # Something can't be hashed, and is no value of any keyword.
            return choose_fitting(self.fitting, **asked).compiled()
        if len(self._chosen) < CHOICES:
            self._chosen[key, kinds] = fit
        return fit

    def encoding(
        self,
        input: Input,
        add_special_tokens: bool,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
        fit: Fit,
    ) -> Encoding:
        """One input encoded, cut, processed and filled.

        Raises UnicodeEncodeError for a lone surrogate.
        """
        text, pair = input
        if isinstance(text, str) and (pair is None or isinstance(pair, str)):
            quick = self.quick.encoding(text, pair, add_special_tokens, first, second, fit)
            if quick is not None:
                return quick
        fitting: Fitting = fit.fitting
        encoded = self._sequence(text, 0, first, second)
        other = None if pair is None else self._sequence(pair, 1, first, second)
        return self.fitted(encoded, other, add_special_tokens, fitting)

    def encodings(
        self,
        inputs: Sequence[Input],
        add_special_tokens: bool,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
        fitting: Fitting,
    ) -> list[Encoding]:
        """Inputs encoded, cut and processed each, and filled together."""
        truncation = fitting.truncation
        if truncation not in self._cuts:
            if len(self._cuts) >= CHOICES:
                self._cuts.clear()
            self._cuts[truncation] = Fitting(truncation, None).compiled()
        fit = self._cuts[truncation]
        done = [self.encoding(each, add_special_tokens, first, second, fit) for each in inputs]
        if fitting.padding is not None:
            fitting.padding.apply(done)
        return done

    def blank_encodings(
        self,
        inputs: Sequence[Input],
        add_special_tokens: bool,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
        fitting: Fitting,
    ) -> list[Encoding]:
        """As :meth:`encodings`, all of them without tokens, offsets and words."""
        done = [
            self._cut_and_process(
                self._blank(text, first, second),
                None if pair is None else self._blank(pair, first, second),
                add_special_tokens,
                fitting,
            )
            for text, pair in inputs
        ]
        if fitting.padding is not None:
            fitting.padding.apply(done)
        return done

    def _blank(
        self, text: Words, first: AddedMatcher | None, second: AddedMatcher | None
    ) -> Encoding:
        encoder = self._pipeline.encoder
        encode = self.ids if encoder is None else encoder.encode
        ids: list[int] = []
        for word in (text,) if isinstance(text, str) else text:
            ids += encode(word, first, second)
        return _without_details(ids)

    def fitted(
        self,
        encoding: Encoding,
        pair: Encoding | None,
        add_special_tokens: bool,
        fitting: Fitting,
    ) -> Encoding:
        """One or two encodings, which are changed, cut, processed and filled."""
        done = self._cut_and_process(encoding, pair, add_special_tokens, fitting)
        if fitting.padding is not None:
            fitting.padding.apply([done])
        return done

    def added_tokens(self, is_pair: bool) -> int:
        """How many tokens the post-processor adds to one sequence, or to two."""
        return self._added_tokens(is_pair)

    def _cut_and_process(
        self,
        encoding: Encoding,
        pair: Encoding | None,
        add_special_tokens: bool,
        fitting: Fitting,
    ) -> Encoding:
        truncation = fitting.truncation
        if truncation is not None:
            added = self._added_tokens(pair is not None) if add_special_tokens else 0
            truncation.less(added).apply(encoding, pair)
        return self.process(encoding, pair, add_special_tokens)

    def process(
        self, encoding: Encoding, pair: Encoding | None, add_special_tokens: bool
    ) -> Encoding:
        """What the post-processor makes of one or two encodings."""
        processor = self._pipeline.post_processor
        if processor is None:
            return default_process(encoding, pair)
        return processor.process(encoding, pair, add_special_tokens)

    def _sequence(
        self,
        text: Words,
        type_id: int,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
    ) -> Encoding:
        if isinstance(text, str):
            return self._text(text, type_id, first, second)
        words = [
            self._text(word, type_id, first, second, index) for index, word in enumerate(text)
        ]
        return Encoding.merge(words, False)

    def _text(
        self,
        text: str,
        type_id: int,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
        word: int | None = None,
    ) -> Encoding:
        """The encoding of a text, which may be a whole word of an input."""
        encoder, finder = self._pipeline.encoder, self.finder
        if encoder is not None and finder is not None:
            piece = encoded(encoder, text, first, second, _NONE, _NONE)
            found = finder.find(piece)
            if found is not None:
                words, starts, ends = found.arrays()
                ids = piece.ids
                if word is not None:
                    words = array("q", (word,)) * len(ids)
                tokens = self.spelled(ids, found.odd)
                return Encoding.from_columns(ids, tokens, (words, starts, ends), type_id)
        return self._tokenized(text, first, second).into_encoding(word, type_id)

    def find(self, piece: Encoded, is_trimmed: bool = True) -> Spans:
        """Where the tokens of a text are: by its ids, or else by alignments.

        ``is_trimmed``: offsets are trimmed as the post-processor does it.
        """
        finder = self.finder
        places = None if finder is None else finder.find(piece)
        if places is not None:
            found = *places.arrays(), places.odd
        else:
            encoding = self._tokenized(piece.text, piece.first, piece.second).into_encoding()
            odd = list(enumerate(encoding.tokens, piece.front))
            encoding.pad(piece.front + len(encoding), direction="left")
            encoding.pad(piece.back + len(encoding))
            found = *encoding.places(), odd
        return self.trimmed(piece, found) if is_trimmed else found

    def trimmed(self, piece: Tokens, found: Spans) -> Spans:
        """What was found, with offsets trimmed as the post-processor does it."""
        if self.trimmer is None:
            return found
        return *self.trimmer.trimmed(piece.ids, piece.front, piece.count, *found), found[3]

    def spelled(self, ids: array[int], odd: list[tuple[int, str]]) -> list[str]:
        """The tokens of ids; of those at some places, what ``odd`` says."""
        known = self._pipeline.model.tokens
        tokens: list[Any] = list(map(known.get, ids))
        if None in tokens:
            for at, token in enumerate(tokens):
                if token is None:
                    tokens[at] = self._added.get(ids[at])
        for at, token in odd:
            tokens[at] = token
        return tokens

    def _tokenized(
        self,
        text: str,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
        extract: Extract | None = None,
    ) -> PreTokenizedString:
        pipeline = self._pipeline
        whole = PreTokenizedString(text)
        extract = extract or _extract
        whole.split(lambda _, piece: extract(piece, first))
        normalizer = pipeline.normalizer

        def normalize_and_extract(_: int, piece: NormalizedString) -> list[Split]:
            if normalizer is not None:
                normalizer.normalize(piece)
            return extract(piece, second)

        whole.split(normalize_and_extract)
        if pipeline.pre_tokenizer is not None:
            pipeline.pre_tokenizer.pre_tokenize(whole)
        whole.tokenize(pipeline.model.tokenize)
        return whole


def _ranges_inside(piece: NormalizedString, trusted: list[Offsets]) -> list[Offsets]:
    """The ranges of a piece's characters that stand for originals in ``trusted`` ones only."""
    ranges: list[Offsets] = []
    at = 0
    last = -1
    for index, (start, end) in enumerate(piece.alignments):
        while at < len(trusted) and trusted[at][1] <= start:
            at += 1
        if at == len(trusted):
            break
        if start < trusted[at][0] or end > trusted[at][1]:
            continue
        if last == at and ranges[-1][1] == index:
            ranges[-1] = (ranges[-1][0], index + 1)
        else:
            ranges.append((index, index + 1))
        last = at
    return ranges


def _extract(
    piece: NormalizedString,
    matcher: AddedMatcher | None,
    trusted: list[Offsets] | None = None,
) -> list[Split]:
    """A text cut into added tokens, which get their ids, and what lies between."""
    text = piece.normalized
    if matcher is None or not text:
        return [Split(piece.slice(0, len(text)))]
    splits = []
    for start, end, token_id in matcher.spans(text, trusted):
        part = piece.slice(start, end)
        tokens = None
        if token_id is not None:
            value = part.normalized
            tokens = [(token_id, value, (0, len(value.encode())))]
        splits.append(Split(part, tokens))
    return splits


def _without_details(ids: list[int]) -> Encoding:
    count = len(ids)
    return Encoding.from_parts(ids, [""] * count, [(0, 0)] * count, [None] * count)
