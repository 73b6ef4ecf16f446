"""The parts of a tokenizer.json put together."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from functools import cached_property
from typing import Any, TypeVar

from textcore.core.added import AddedMatcher
from textcore.core.encode import Encoder
from textcore.pipeline.added_tokens import AddedVocabulary, Guard, read_added_tokens
from textcore.pipeline.aligned import AlignedPath
from textcore.pipeline.decode_plan import DecodePlan, plan_decoder
from textcore.pipeline.decoders import Decoder, build_decoder
from textcore.pipeline.fields import check_size
from textcore.pipeline.models import Model, build_model
from textcore.pipeline.normalized import PreTokenizedString
from textcore.pipeline.normalizer import Normalizer
from textcore.pipeline.normalizers import build_normalizer
from textcore.pipeline.plan import make_encoder, make_plan
from textcore.pipeline.post_processors import PostProcessor, build_post_processor
from textcore.pipeline.pre_tokenizers import build_pre_tokenizer
from textcore.pipeline.spec import Node, shorten
from textcore.pipeline.splitters import PreTokenizer

VERSION = "1.0"

# A vocabulary of so many tokens is a real one, whose first text should not wait for memory.
READY_FROM = 4096
_NOT_PARTS = ("model", "added_tokens", "version")
_SECTIONS = frozenset(
    (
        *_NOT_PARTS,
        "truncation",
        "padding",
        "normalizer",
        "pre_tokenizer",
        "post_processor",
        "decoder",
    )
)

Component = TypeVar("Component")


class Pipeline:
    """All components of one tokenizer, and the ways through them.

    ``encoder`` is the fast way to ids; None where only the way that keeps alignments is
    exact. ``cache_lines`` and ``prompt_cache`` bound what it remembers: see Tokenizer.
    Raises SpecError.
    """

    def __init__(self, spec: Mapping[str, Any], cache_lines: int, prompt_cache: int = 0) -> None:
        root = Node(dict(spec) if isinstance(spec, Mapping) else spec, "")
        for key in root.data:
            # As the reference; what other readers add for themselves is under keys of theirs.
            if isinstance(key, str) and key not in _SECTIONS:
                known = ", ".join(sorted(_SECTIONS))
                raise root.error(key, f"unknown section; the sections are {known}")
        version = root.get("version", str, VERSION)
        if version != VERSION:
            raise root.error("version", f"expected {VERSION!r}, found {shorten(version)}")
        self.normalizer = _component(root, "normalizer", Normalizer, build_normalizer)
        self.pre_tokenizer = _component(root, "pre_tokenizer", PreTokenizer, build_pre_tokenizer)
        self.post_processor = _component(
            root, "post_processor", PostProcessor, build_post_processor
        )
        self.decoder = _component(root, "decoder", Decoder, build_decoder)
        plan = make_plan(self.normalizer, self.pre_tokenizer)
        # What the model was made for: with another plan it has to be made anew.
        self.byte_level = plan.byte_level
        self.model: Model = _model(root, plan.byte_level)
        if plan.byte_level and not self.model.byte_level:
            # The model needs the stand-ins themselves, so the pre-tokenizer has to make them.
            plan = plan.in_python()
        self.splits = plan.splits
        # What saving needs besides the model's tables.
        self.runs = plan.runs
        self.parts = {key: part for key, part in root.data.items() if key not in _NOT_PARTS}
        self.cache_lines = cache_lines
        self.prompt_cache = prompt_cache
        self.added_tokens = tuple(read_added_tokens(root))
        self.added = AddedVocabulary(
            self.added_tokens,
            self.model.token_to_id,
            self.model.vocab_size,
            self.normalizer.normalize_str if self.normalizer else None,
        )
        self.split_engine = plan.engine(self.pre_tokenizer)
        max_id = max(self.model.max_id, *self.added.tokens, -1)
        self.encoder: Encoder | None = None
        if not plan.aligned:
            self.encoder = make_encoder(
                self.model,
                plan,
                self.normalizer,
                self.pre_tokenizer,
                cache_lines,
                max_id,
                prompt_cache,
            )
        self.aligned = AlignedPath(root, self)
        self.affixes = self.post_processor.affixes() if self.post_processor else ((), ())
        if not getattr(self.model, "lazy", False):
            _ = self.decode_plan
        if self.encoder is not None and self.model.vocab_size >= READY_FROM:
            self.encoder.get_ready()

    @cached_property
    def decode_plan(self) -> DecodePlan:
        """How ids become text; made with the pipeline, or at first use of a saved one."""
        return plan_decoder(self.decoder, self._token_texts(), self._special_text_ids())

    # ------------------------------------------------------------ the vocabulary

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, or None."""
        token_id = self.added.ids.get(token)
        return self.model.token_to_id(token) if token_id is None else token_id

    def id_to_token(self, token_id: int) -> str | None:
        """The token of an id, or None; an added token in its normalized form."""
        text = self.added.token_text(token_id)
        return self.model.id_to_token(token_id) if text is None else text

    def vocab(self, with_added_tokens: bool) -> dict[str, int]:
        """A new dict of tokens and ids."""
        vocab = dict(self.model.vocab)
        if with_added_tokens:
            vocab.update(self.added.ids)
        return vocab

    @property
    def vocab_size(self) -> int:
        """How many tokens there are, added ones included."""
        return self.model.vocab_size + sum(
            self.model.id_to_token(i) is None for i in self.added.tokens
        )

    def _token_texts(self) -> dict[int, str]:
        texts = dict(self.model.tokens)
        for token_id in self.added.tokens:
            text = self.added.token_text(token_id)
            assert text is not None
            texts[token_id] = text
        texts.update(getattr(self.model, "surfaces", {}))
        return texts

    def _special_text_ids(self) -> set[int]:
        """Ids whose text is a special token's: what decoding without special tokens skips."""
        added = self.added
        ids = {
            i
            for text in added.special
            if (i := self.model.token_to_id(text)) is not None
            and added.tokens[added.ids[text]].id is None
        }
        ids.update(i for i in self.added.tokens if self.added.token_text(i) in self.added.special)
        return {i for i in ids if self.id_to_token(i) in self.added.special}

    # ------------------------------------------------------------ the ways through

    def words(self, text: str) -> list[str]:
        """A text normalized and split, as the model gets it."""
        if self.normalizer is not None:
            text = self.normalizer.normalize_str(text)
        if self.pre_tokenizer is None:
            return [text] if text else []
        if self.pre_tokenizer.needs_alignments:
            whole = PreTokenizedString(text)
            self.pre_tokenizer.pre_tokenize(whole)
            return [split.normalized.normalized for split in whole.splits]
        return [word for word, _ in self.pre_tokenizer.split([(text, True)])]

    def aligned_ids(
        self, text: str, first: AddedMatcher | None, second: AddedMatcher | None
    ) -> list[int]:
        """Ids by the way that keeps alignments."""
        return self.aligned.ids(text, first, second)

    def guard(self, literals: Container[object]) -> tuple[frozenset[str], Guard]:
        """The control tokens of a template with these literals, and how they are guarded.

        ``literals`` contains the tokens that the template may write.
        """
        control = self.added.control_tokens(literals.__contains__)
        return control, self.added.guard(control, _unknown_id(self.model))

    def with_special(self, ids: list[int]) -> list[int]:
        """Ids of one sequence with what the post-processor adds to them."""
        if self.affixes is None:
            return self.aligned.processed_ids(ids)
        prefix, suffix = self.affixes
        return [*prefix, *ids, *suffix]


def _unknown_id(model: Model) -> int | None:
    """The id of what a model does not know, where it has one."""
    unknown: int | None = getattr(model, "unk_id", None)
    token: str | None = getattr(model, "unk_token", None)
    return unknown if token is None else model.token_to_id(token)


def _component(
    root: Node, key: str, kind: Any, build: Callable[[Node], Component]
) -> Component | None:
    """The component at ``key``: made from JSON, or already made by who made the rest."""
    value = root.data.get(key)
    if value is None or isinstance(value, kind):
        return value
    node = Node(value, root.at(key))
    check_size(node)
    return build(node)


def _model(root: Node, byte_level: bool) -> Model:
    value: Any = root.data.get("model")
    # No JSON gives an object: the reader of another format has made it, or can make it.
    if hasattr(type(value), "tokenize"):
        model: Model = value
        return model
    if callable(value):
        made: Model = value(byte_level)
        return made
    node = root.child("model")
    if node is None:
        raise root.error("model", "missing; expected an object")
    return build_model(node, byte_level)
