"""``transformers``' fast tokenizers, run by textcore.

After :func:`patch`, every fast tokenizer that ``transformers`` makes (``AutoTokenizer``,
``PreTrainedTokenizerFast`` and the classes of single models) encodes and decodes with
textcore; nothing else about them changes. There is no falling back: a tokenizer that
textcore cannot run is an error. Needs ``transformers`` 5 and ``tokenizers``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

from textcore.compat.tokenizers.component import Component
from textcore.compat.tokenizers.models import Model
from textcore.compat.tokenizers.tokenizer import PARTS, Tokenizer

_LOCK = RLock()
# What patch() has replaced: (object, name) and what was there.
_REPLACED: list[tuple[Any, str, Any]] = []


class Backend(Tokenizer):
    """A textcore tokenizer in the place of the ``tokenizers.Tokenizer`` of a fast tokenizer.

    It takes components of either library, gives added tokens as ``transformers`` expects
    them, and leaves training to the original.
    """

    @staticmethod
    def from_str(json: str) -> Backend:
        """The tokenizer of a tokenizer.json's text. Raises SpecError."""
        new = Backend.__new__(Backend)
        new._load_text(json)
        return new

    @staticmethod
    def from_file(path: str) -> Backend:
        """The tokenizer of a tokenizer.json. Raises OSError and SpecError."""
        with open(path, encoding="utf-8") as file:
            return Backend.from_str(file.read())

    def _set(self, name: str, part: Any) -> None:
        super()._set(name, ours(part, PARTS[name]))

    @property
    def model(self) -> Model:
        """The model."""
        return super().model

    @model.setter
    def model(self, model: Any) -> None:
        Tokenizer.model.__set__(self, ours(model, Model))  # type: ignore[attr-defined]

    def get_added_tokens_decoder(self) -> dict[int, Any]:
        """The added tokens by id, as objects of ``tokenizers``."""
        from tokenizers import AddedToken

        tokens = super().get_added_tokens_decoder()
        return {token_id: AddedToken(**token.__getstate__()) for token_id, token in tokens.items()}

    def train_from_iterator(
        self, iterator: Any, trainer: Any = None, length: int | None = None
    ) -> None:
        """Train with the original library, and take over what it has learnt."""
        trained = theirs(self)
        trained.train_from_iterator(iterator, trainer=trainer, length=length)
        self._load_text(trained.to_str())


def ours(part: Any, kind: type[Component]) -> Any:
    """A component of ``tokenizers`` as one of textcore's; None and textcore's stay."""
    if part is None or isinstance(part, Component):
        return part
    return kind._from_spec(json.loads(part.__getstate__()))


def theirs(tokenizer: Tokenizer) -> Any:
    """A tokenizer as one of ``tokenizers``."""
    import tokenizers

    made = tokenizers.Tokenizer.from_str(tokenizer.to_str())
    made.encode_special_tokens = tokenizer.encode_special_tokens
    return made


def backend(tokenizer: Any) -> Any:
    """A tokenizer of ``tokenizers`` as a :class:`Backend`; None and textcore's stay."""
    if tokenizer is None or isinstance(tokenizer, Tokenizer):
        return tokenizer
    made = Backend.from_str(tokenizer.to_str())
    made.encode_special_tokens = tokenizer.encode_special_tokens
    return made


class _Slot:
    """The attribute of a fast tokenizer that holds what runs it: always a Backend."""

    def __get__(self, obj: Any, owner: type) -> Any:
        return None if obj is None else obj.__dict__.get("_tokenizer")

    def __set__(self, obj: Any, value: Any) -> None:
        obj.__dict__["_tokenizer"] = backend(value)


class _Loader:
    """What stands for ``tokenizers.Tokenizer`` in transformers: files go to a Backend."""

    from_file = staticmethod(Backend.from_file)
    from_str = staticmethod(Backend.from_str)

    def __new__(cls, model: Any) -> Any:
        import tokenizers

        return tokenizers.Tokenizer(model)


def patch() -> None:
    """Run fast tokenizers made from now on with textcore; a second call does nothing.

    Tokenizers that are there already stay as they are. Raises ImportError without
    ``transformers``.
    """
    from transformers import tokenization_utils_tokenizers as module

    with _LOCK:
        if _REPLACED:
            return
        base = module.TokenizersBackend
        fixing = base.__dict__["_patch_mistral_regex"]
        _replace(base, "_tokenizer", _Slot())
        _replace(base, "_patch_mistral_regex", classmethod(_regex_fixer(fixing.__func__)))
        _replace(module, "TokenizerFast", _Loader)


def unpatch() -> None:
    """Undo :func:`patch`. Tokenizers made meanwhile go on with textcore."""
    with _LOCK:
        while _REPLACED:
            place, name, value = _REPLACED.pop()
            setattr(place, name, value)


@contextmanager
def patched() -> Iterator[None]:
    """:func:`patch` for the length of a ``with`` block."""
    already = bool(_REPLACED)
    patch()
    try:
        yield
    finally:
        if not already:
            unpatch()


def _replace(place: Any, name: str, value: Any) -> None:
    _REPLACED.append((place, name, vars(place)[name]))
    setattr(place, name, value)


def _regex_fixer(original: Any) -> Any:
    """The method that repairs an old pattern, which wants components of ``tokenizers``."""

    def fix(cls: Any, tokenizer: Any, *args: Any, **options: Any) -> Any:
        if options.get("fix_mistral_regex") is True and isinstance(tokenizer, Tokenizer):
            return backend(original(cls, theirs(tokenizer), *args, **options))
        return original(cls, tokenizer, *args, **options)

    return fix
