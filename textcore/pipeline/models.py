"""What the pipeline asks of a model, and which model a specification means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

from textcore.core.model import WordModel
from textcore.core.vocabscan import Vocabulary
from textcore.errors import SpecError, UnsupportedError
from textcore.pipeline.bpe import build_bpe
from textcore.pipeline.spec import Node, shorten
from textcore.pipeline.unigram import UnigramModel
from textcore.pipeline.wordpiece import WordLevelModel, WordPieceModel

# (id, token, (start, end)): the span in UTF-8 bytes of the text given to ``tokenize``.
Token = tuple[int, str, tuple[int, int]]


@runtime_checkable
class Model(Protocol):
    """A tokenization model (BPE, Unigram, ...) as the components around it see it.

    ``vocab`` has the ids of tokens, ``tokens`` the tokens of ids; ``byte_level`` says that
    ``compiled`` takes the bytes for which the characters of words stand.
    """

    vocab: dict[str, int]
    tokens: dict[int, str]

    @property
    def surfaces(self) -> Mapping[int, str]:
        """What a decoder is given for ids where that is not the token."""

    @property
    def compiled(self) -> WordModel:
        """The model as the encoder runs it."""

    @property
    def byte_level(self) -> bool:
        """Whether the compiled model takes bytes."""

    @property
    def vocab_size(self) -> int:
        """How many tokens the model's own vocabulary has, without added tokens."""

    @property
    def max_id(self) -> int:
        """The largest id, or -1 for an empty vocabulary."""

    def tokenize(self, word: str, /) -> list[Token]:
        """The tokens of one pre-token, with their spans in its UTF-8 bytes."""

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, or None."""

    def id_to_token(self, token_id: int) -> str | None:
        """The token of an id, or None."""


Builder = Callable[[Node, bool], Model]

_BUILDERS: dict[str, Builder] = {
    "BPE": build_bpe,
    "WordPiece": lambda node, byte_level: WordPieceModel(node),
    "WordLevel": lambda node, byte_level: WordLevelModel(node),
    "Unigram": lambda node, byte_level: UnigramModel(node),
}

# Files without a type are told by their fields, in this order.
_FIELDS: dict[str, tuple[str, ...]] = {
    "BPE": ("vocab", "merges"),
    "WordPiece": (
        "unk_token",
        "continuing_subword_prefix",
        "max_input_chars_per_word",
        "vocab",
    ),
    "WordLevel": ("unk_token", "vocab"),
    "Unigram": ("vocab",),
}


def build_model(node: Node, byte_level: bool) -> Model:
    """The model that ``node`` describes; ``byte_level``: words come as stand-ins for bytes.

    A model without a ``type`` is the first of BPE, WordPiece, WordLevel and Unigram that its
    fields make. Raises SpecError, or UnsupportedError for a type that is not known.
    """
    if "type" in node.data:
        kind = node.data["type"]
        if not isinstance(kind, str) or kind not in _BUILDERS:
            known = ", ".join(_BUILDERS)
            raise UnsupportedError(
                node.at("type"), f"model {shorten(kind)} is not supported; supported: {known}"
            )
        return _BUILDERS[kind](node, byte_level)
    problem: SpecError | None = None
    for kind, needed in _FIELDS.items():
        if all(key in node.data for key in needed):
            try:
                return _BUILDERS[kind](node, byte_level)
            except SpecError as error:
                problem = problem or error
                node = _as_json(node)
    raise problem or node.error("vocab", "missing; expected a vocabulary")


def _as_json(node: Node) -> Node:
    """A model whose vocabulary has been read into tables, which only BPE takes, without them."""
    vocabulary = node.data["vocab"]
    if not isinstance(vocabulary, Vocabulary):
        return node
    return Node({**node.data, "vocab": vocabulary.as_dict()}, node.place)
