"""The parts of a tokenizer.json put together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textcore.core.added import AddedMatcher
from textcore.core.encode import Encoder
from textcore.encoding import Encoding
from textcore.errors import UnsupportedError
from textcore.pipeline.added_tokens import AddedVocabulary, read_added_tokens
from textcore.pipeline.aligned import AlignedPath
from textcore.pipeline.bpe import BPEModel
from textcore.pipeline.decode_plan import DecodePlan, plan_decoder
from textcore.pipeline.decoders import build_decoder
from textcore.pipeline.fields import check_size
from textcore.pipeline.normalized import PreTokenizedString
from textcore.pipeline.normalizers import build_normalizer
from textcore.pipeline.plan import make_encoder, make_plan
from textcore.pipeline.post_processors import build_post_processor
from textcore.pipeline.pre_tokenizers import build_pre_tokenizer
from textcore.pipeline.spec import Node, shorten

VERSION = "1.0"


class Pipeline:
    """All components of one tokenizer, and the ways through them.

    ``encoder`` is the fast way to ids; None where only the way that keeps alignments is
    exact. Raises SpecError.
    """

    def __init__(self, spec: Mapping[str, Any], cache_lines: int) -> None:
        root = Node(dict(spec) if isinstance(spec, Mapping) else spec, "")
        version = root.get("version", str, VERSION)
        if version != VERSION:
            raise root.error("version", f"expected {VERSION!r}, found {shorten(version)}")
        normalizer = root.child("normalizer")
        pre_tokenizer = root.child("pre_tokenizer")
        post_processor = root.child("post_processor")
        decoder = root.child("decoder")
        for component in (normalizer, pre_tokenizer, post_processor, decoder):
            if component is not None:
                check_size(component)
        self.normalizer = build_normalizer(normalizer) if normalizer else None
        self.pre_tokenizer = build_pre_tokenizer(pre_tokenizer) if pre_tokenizer else None
        self.post_processor = build_post_processor(post_processor) if post_processor else None
        self.decoder = build_decoder(decoder) if decoder else None
        plan = make_plan(self.normalizer, self.pre_tokenizer)
        self.model = _build_model(root, plan.byte_level)
        if plan.byte_level and not self.model.byte_level:
            # The model needs the stand-ins themselves, so the pre-tokenizer has to make them.
            plan = plan.in_python()
        self.added = AddedVocabulary(
            read_added_tokens(root),
            self.model.token_to_id,
            self.model.vocab_size,
            self.normalizer.normalize_str if self.normalizer else None,
        )
        self.split_engine = plan.engine(self.pre_tokenizer)
        max_id = max(self.model.max_id, *self.added.tokens, -1)
        self.encoder: Encoder | None = None
        if not plan.aligned:
            self.encoder = make_encoder(
                self.model, plan, self.normalizer, self.pre_tokenizer, cache_lines, max_id
            )
        self.aligned = AlignedPath(root, self)
        self.affixes = self.post_processor.affixes() if self.post_processor else ((), ())
        self.decode_plan: DecodePlan = plan_decoder(
            self.decoder, self._token_texts(), self._special_text_ids()
        )

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
            self.model.token_to_id(token) is None for token in self.added.ids
        )

    def _token_texts(self) -> dict[int, str]:
        texts = dict(self.model.tokens)
        for token_id in self.added.tokens:
            text = self.added.token_text(token_id)
            assert text is not None
            texts[token_id] = text
        return texts

    def _special_text_ids(self) -> set[int]:
        """Ids whose text is a special token's: what decoding without special tokens skips."""
        ids = {i for text in self.added.special if (i := self.model.token_to_id(text)) is not None}
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

    def with_special(self, ids: list[int]) -> list[int]:
        """Ids of one sequence with what the post-processor adds to them."""
        if self.affixes is None:
            return self.aligned.processed_ids(ids)
        prefix, suffix = self.affixes
        return [*prefix, *ids, *suffix]

    def encoding(
        self,
        text: str,
        pair: str | None,
        add_special_tokens: bool,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
    ) -> Encoding:
        """An Encoding of one or two sequences, truncated and padded as the file says."""
        return self.aligned.encoding(text, pair, add_special_tokens, first, second)


def _build_model(root: Node, byte_level: bool) -> BPEModel:
    node = root.child("model")
    if node is None:
        raise root.error("model", "missing; expected an object")
    kind = node.data.get("type", "BPE" if "merges" in node.data else None)
    if kind != "BPE":
        raise UnsupportedError(
            node.at("type"), f"model {shorten(kind)} is not supported; supported: BPE"
        )
    return BPEModel(node, byte_level)
