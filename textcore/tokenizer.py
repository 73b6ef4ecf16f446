"""The tokenizer: text to ids and ids to text, as a checkpoint's own files define it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from textcore.chat.errors import PromptError
from textcore.chat.guarded import USUAL_ROLES, GuardedTemplate, GuardedTemplates
from textcore.chat.prompts import ChatPrompts, assistant_mask, is_batch
from textcore.core.batches import Batch
from textcore.core.calls import EncodeCalls
from textcore.errors import SpecError, TextError
from textcore.formats.exported import to_spec
from textcore.formats.files import SPEC_OPTIONS, find_file, read_spec
from textcore.formats.huggingface import (
    CONFIG_FILE,
    OWN_CONFIG,
    parse_tokenizer_json,
    read_optional_json,
)
from textcore.formats.saved import Saved, is_saved, read, to_bytes, write
from textcore.pipeline.added_tokens import Guard, Matchers
from textcore.pipeline.aligned import Input
from textcore.pipeline.assemble import Pipeline
from textcore.pipeline.fitting import Fitting, choose_fitting
from textcore.pipeline.patterns.matching import with_prepared
from textcore.pipeline.spec import shorten

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from textcore.core.added import AddedMatcher
    from textcore.core.deferred import Fit, Frame, PairFrame
    from textcore.core.written import Ranges
    from textcore.encoding import Encoding
    from textcore.pipeline.decode_plan import DecodePlan

Allowed = str | Collection[str]
T = TypeVar("T")

# The bound of each word cache: 524,288 words in lines of 64 bytes, 32 MiB; it begins with 8.
CACHE_LINES = 1 << 19
# The bound of the prompt cache in bytes: a hundred prompts of 100,000 characters, about.
PROMPT_CACHE = 32 << 20


class Tokenizer(EncodeCalls):
    """A tokenizer loaded from a checkpoint's files.

    ``Tokenizer(spec, config=None)`` takes a parsed tokenizer.json and, where there is one, a
    parsed tokenizer_config.json; :meth:`from_dir`, :meth:`from_file` and :meth:`from_str`
    read files. A tokenizer never changes once made, and any number of threads may use it.

    Ids, text and offsets are those of Hugging Face ``tokenizers`` 0.23 for the same file.

    Parameters
    ----------
    spec : dict
        A parsed tokenizer.json.
    config : dict, optional
        A parsed tokenizer_config.json: special tokens' names, the chat template.
    cache_lines : int
        The bound of each word cache, in lines of 64 bytes; a power of two. A cache belongs
        to one call at a time, so there are as many as calls that ever ran at once.
    prompt_cache : int
        The bound of the prompt cache in bytes; 0 for none. It remembers texts from 4,096
        characters on that have at least three added tokens, and so the ids of a conversation
        that grows: only what is new is encoded. :meth:`encode`, :meth:`encode_to_numpy` and
        :meth:`count` use it. Texts without added tokens are never remembered.

    Raises
    ------
    SpecError
        (a ValueError) Something in the specification is wrong or not supported; the error
        names its place.
    """

    def __init__(
        self,
        spec: Mapping[str, Any],
        config: Mapping[str, Any] | None = None,
        *,
        cache_lines: int = CACHE_LINES,
        prompt_cache: int = PROMPT_CACHE,
        prompts: ChatPrompts | None = None,
    ) -> None:
        if prompt_cache < 0:
            raise ValueError(f"prompt_cache must be at least 0, not {prompt_cache}")
        self._pipeline = Pipeline(spec, cache_lines, prompt_cache)
        self._prompts = prompts if prompts is not None else ChatPrompts(config)
        aligned = self._pipeline.aligned
        own = aligned.fit if any(aligned.fitting) else None
        self._set_up(self._pipeline.encoder, *self._pipeline.added.all, own)
        self._guarded = GuardedTemplates(self._pipeline.guard)

    # ------------------------------------------------------------ loading

    @classmethod
    def from_dir(cls, path: str | Path, **options: Any) -> Tokenizer:
        """Load whatever tokenizer files a model's directory has.

        That is tokenizer.json, else tekken.json, tokenizer.model, tiktoken.model or the only
        ``.tiktoken`` or ``.gguf`` file; tokenizer_config.json, special_tokens_map.json,
        chat_template.jinja, chat_template.json and additional_chat_templates/ are used where
        they are there. ``options`` are those of :meth:`from_file`.
        Raises SpecError (naming file and place) and OSError.
        """
        folder = Path(path)
        file = find_file(folder)
        config = read_optional_json(folder / CONFIG_FILE)
        prompts = ChatPrompts.from_dir(folder)
        return cls._from_spec_file(file, config, prompts, options)

    @classmethod
    def from_file(cls, path: str | Path, **options: Any) -> Tokenizer:
        """Load one file: a tokenizer.json, ``.tiktoken``, tekken.json, SentencePiece or GGUF.

        The format is told by what the file contains, not by its name. ``options`` are
        keywords of the constructor, and for a ``.tiktoken`` file ``encoding`` (which of the
        published ones with the same ranks), ``pattern`` and ``special_tokens`` (a dict of
        text to id): needed where the ranks are not of a published encoding.
        Raises SpecError and OSError.
        """
        return cls._from_spec_file(Path(path), None, None, options)

    @classmethod
    def _from_spec_file(
        cls,
        file: Path,
        config: Mapping[str, Any] | None,
        prompts: ChatPrompts | None,
        options: dict[str, Any],
    ) -> Tokenizer:
        with open(file, "rb") as stream:
            start = stream.read(16)
        if is_saved(start):
            try:
                return cls._from_saved(read(file), prompts, **options)
            except SpecError as error:
                raise (error if error.file else error.in_file(str(file))) from None
        reading = {name: options.pop(name) for name in SPEC_OPTIONS if name in options}
        try:
            spec = read_spec(file, config or {}, **reading)
            own = spec.pop(OWN_CONFIG, None)
            if own is not None and not config and (prompts is None or not prompts.chat_template):
                config, prompts = own, ChatPrompts(own)
            return cls(spec, config, prompts=prompts, **options)
        except SpecError as error:
            raise (error if error.file else error.in_file(str(file))) from None

    @classmethod
    def _from_saved(cls, saved: Saved, prompts: ChatPrompts | None, **options: Any) -> Tokenizer:
        if prompts is None or not prompts.chat_template:
            prompts = ChatPrompts()
            prompts.special_tokens = saved.prompts["special_tokens"]
            prompts.chat_template = saved.prompts["chat_template"]
        options = {
            "cache_lines": saved.cache_lines,
            "prompt_cache": saved.prompt_cache,
            **options,
        }
        try:
            with with_prepared(saved.prepared):
                return cls(saved.spec, prompts=prompts, **options)
        except (LookupError, AttributeError) as error:
            raise SpecError("", f"a damaged file: {error}") from None

    @classmethod
    def _from_bytes(cls, data: bytes) -> Tokenizer:
        return cls._from_saved(Saved(data), None)

    def _to_bytes(self) -> bytes:
        prompts = {
            "special_tokens": self._prompts.special_tokens,
            "chat_template": self._prompts.chat_template,
        }
        return to_bytes(self._pipeline, prompts)

    def save(self, path: str | Path) -> None:
        """Write the tokenizer as one file that loads in a few milliseconds.

        It holds everything: vocabulary, components, special tokens and chat templates.
        :meth:`from_file` reads it; its format may change with versions of textcore, and is
        no means of exchange. Raises UnsupportedError for a model that can't be saved, and
        OSError.
        """
        write(path, self._to_bytes())

    def to_json(self) -> str:
        """The tokenizer as the text of a tokenizer.json, from whatever file it was read.

        Hugging Face ``tokenizers`` gives the same ids with it, where special tokens are
        found in texts. Raises UnsupportedError, with the reason, for what a tokenizer.json
        can't say exactly.
        """
        return json.dumps(to_spec(self._pipeline), ensure_ascii=False, separators=(",", ":"))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._from_bytes, (self._to_bytes(),)

    @classmethod
    def from_str(cls, json_text: str, **options: Any) -> Tokenizer:
        """Load from the text of a tokenizer.json. Raises SpecError."""
        return cls(parse_tokenizer_json(json_text), **options)

    # ------------------------------------------------------------ text to ids

    def encode_batch(
        self,
        texts: Iterable[str],
        *,
        threads: int | None = None,
        add_special_tokens: bool = False,
        allowed_special: Allowed = "all",
    ) -> list[list[int]]:
        """:meth:`encode` of each text, in order, on ``threads`` threads (None: one)."""
        matchers = self._matchers(allowed_special)
        if self._encoder is None:
            _check_threads(threads)
            batch = [self._aligned_ids(text, *matchers) for text in _text_list(texts)]
        else:
            try:
                batch = self._batch(texts, matchers, threads).lists()
            except UnicodeEncodeError as error:
                raise _surrogate(error) from None
        if add_special_tokens:
            return [self._pipeline.with_special(ids) for ids in batch]
        return batch

    def encode_batch_to_numpy(
        self,
        texts: Iterable[str],
        *,
        threads: int | None = None,
        add_special_tokens: bool = False,
        allowed_special: Allowed = "all",
    ) -> tuple[NDArray[numpy.uint32], NDArray[numpy.uint64]]:
        """All texts' ids one after the other (uint32, n), and offsets (uint64, texts + 1).

        The ids of text i are ``ids[offsets[i]:offsets[i + 1]]`` (needs numpy).
        """
        if add_special_tokens or self._encoder is None:
            import numpy

            batch = self.encode_batch(
                texts,
                threads=threads,
                add_special_tokens=add_special_tokens,
                allowed_special=allowed_special,
            )
            offsets = numpy.zeros(len(batch) + 1, dtype=numpy.uint64)
            numpy.cumsum([len(ids) for ids in batch], out=offsets[1:])
            flat = [token for ids in batch for token in ids]
            return numpy.array(flat, dtype=numpy.uint32), offsets
        try:
            return self._batch(texts, self._matchers(allowed_special), threads).arrays()
        except UnicodeEncodeError as error:
            raise _surrogate(error) from None

    def encoding_batch(
        self,
        inputs: Iterable[Any],
        *,
        add_special_tokens: bool = True,
        allowed_special: Allowed = "all",
        is_pretokenized: bool = False,
        truncation: bool | str | None = None,
        max_length: int | None = None,
        stride: int | None = None,
        truncation_side: str | None = None,
        padding: bool | str | int | None = None,
        pad_to_multiple_of: int | None = None,
        padding_side: str | None = None,
        pad_id: int | None = None,
        pad_type_id: int | None = None,
        pad_token: str | None = None,
    ) -> list[Encoding]:
        """The Encoding of each input, cut and filled as the file says or the caller.

        Parameters
        ----------
        inputs : iterable of str, or of tuples of two
            Texts and pairs of texts; with ``is_pretokenized``, a list of words in the place
            of each text.
        truncation : bool or str, optional
            None: what the file says, or to ``max_length`` where that is given. False: none.
            True or "longest_first", "only_first" or "only_second": to ``max_length``.
        max_length, stride : int, optional
            In tokens, the added ones included. Pieces that are cut off go to
            ``overflowing``, overlapping by ``stride``.
        padding : bool, str or int, optional
            None: what the file says. False: none. True or "longest": to the longest of the
            batch. A number: to that length.
        pad_to_multiple_of : int, optional
            Fill further, to a multiple of this.
        truncation_side, padding_side : "right" or "left", optional

        Raises
        ------
        TextError
            A text has a lone surrogate.
        ValueError
            A length leaves no room for the added tokens, or an option is wrong.
        TypeError
            An input is of another type.
        """
        fitting = choose_fitting(
            self._pipeline.aligned.fitting,
            truncation=truncation,
            max_length=max_length,
            stride=stride,
            truncation_side=truncation_side,
            padding=padding,
            pad_to_multiple_of=pad_to_multiple_of,
            padding_side=padding_side,
            pad_id=pad_id,
            pad_type_id=pad_type_id,
            pad_token=pad_token,
        )
        checked = [_checked_input(item, is_pretokenized) for item in inputs]
        first, second = self._matchers(allowed_special)
        return self._pipeline.aligned.encodings(
            checked, add_special_tokens, first, second, fitting
        )

    def pre_tokenize(self, text: str) -> list[str]:
        """The words that a text is split into, in the form in which the model gets them.

        The text is normalized first; added tokens are not looked for. In a byte-level
        tokenizer the words are in the printable characters that stand for bytes.
        """
        return self._pipeline.words(_checked(text))

    def bpe(self, word: str) -> list[int]:
        """The ids that the model alone makes of one word (as :meth:`pre_tokenize` gives it).

        In a byte-level tokenizer, a word with a character that stands for no byte is taken
        as plain text.
        """
        return [token_id for token_id, _, _ in self._pipeline.model.tokenize(_checked(word))]

    # ------------------------------------------------------------ ids to text

    @property
    def decode_plan(self) -> DecodePlan:
        """How ids become text (what an IncrementalDetokenizer needs)."""
        return self._pipeline.decode_plan

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The text of ids (a list, any iterable of int, or an integer array).

        Ids outside the vocabulary are passed over, as the reference does.
        """
        return self._pipeline.decode_plan.decode(ids, skip_special_tokens)

    def decode_bytes(self, ids: Iterable[int], skip_special_tokens: bool = False) -> bytes:
        """The bytes that ids stand for, valid UTF-8 or not."""
        return self._pipeline.decode_plan.decode_bytes(ids, skip_special_tokens)

    def decode_batch(
        self, batch: Iterable[Iterable[int]], skip_special_tokens: bool = False
    ) -> list[str]:
        """:meth:`decode` of each list of ids."""
        decode = self._pipeline.decode_plan.decode
        return [decode(ids, skip_special_tokens) for ids in batch]

    def token_bytes(self, id: int, skip_special_tokens: bool = False) -> bytes:
        """The bytes that one token stands for inside a text; b"" for an unknown id."""
        return self._pipeline.decode_plan.token_bytes(id, skip_special_tokens)

    def vocab_bytes(self) -> list[bytes]:
        """What each id stands for, by id: the vocabulary for a constrained decoder.

        Special tokens and ids without a token are b""; added tokens that are not special
        are ordinary text.
        """
        return self._pipeline.decode_plan.vocab_bytes()

    # ------------------------------------------------------------ the vocabulary

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, added or the model's, or None."""
        return self._pipeline.token_to_id(token)

    def id_to_token(self, id: int) -> str | None:
        """The token of an id, or None."""
        return self._pipeline.id_to_token(id)

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """A new dict of every token and its id."""
        return self._pipeline.vocab(with_added_tokens)

    @property
    def vocab_size(self) -> int:
        """How many tokens there are, added ones included."""
        return self._pipeline.vocab_size

    @property
    def added_tokens(self) -> dict[str, int]:
        """A new dict of the added tokens and their ids, special or not."""
        return dict(self._pipeline.added.ids)

    @property
    def special_ids(self) -> list[int]:
        """The ids of the special tokens, in rising order."""
        return self._pipeline.added.special_ids()

    @property
    def split_engine(self) -> str:
        """What splits the text: "automaton", "regex", "python" or "none"."""
        return self._pipeline.split_engine

    def _special(self, name: str) -> str | None:
        value = self._prompts.special_tokens.get(name)
        return value if isinstance(value, str) else None

    @property
    def bos_token(self) -> str | None:
        """The token that begins a sequence, as tokenizer_config.json names it."""
        return self._special("bos_token")

    @property
    def eos_token(self) -> str | None:
        """The token that ends a sequence, as tokenizer_config.json names it."""
        return self._special("eos_token")

    @property
    def eos_token_id(self) -> int | None:
        """The id of :attr:`eos_token`, or None."""
        return None if self.eos_token is None else self.token_to_id(self.eos_token)

    # ------------------------------------------------------------ chat

    @property
    def chat_template(self) -> str | dict[str, str] | None:
        """The model's chat template: its source, several by name, or None."""
        return self._prompts.chat_template

    def apply_chat_template(
        self,
        messages: Any,
        tools: Any = None,
        *,
        tokenize: bool = True,
        add_generation_prompt: bool = True,
        continue_final_message: bool | str = False,
        sanitize_control_tokens: bool = False,
        control_roles: Collection[str] = USUAL_ROLES,
        return_dict: bool = False,
        return_assistant_tokens_mask: bool = False,
        **variables: Any,
    ) -> Any:
        """The prompt of a conversation: its ids, or its text where ``tokenize`` is false.

        A batch of conversations gives a list of either. ``documents``, ``chat_template`` (a
        source, or the name of one of several) and ``chat_template_kwargs`` (a request's own
        variables, which can't replace anything) are known keywords; others are the
        template's variables. Where ``continue_final_message`` is set, no generation prompt
        is added.

        With ``return_dict``, a dict of ``input_ids`` and ``attention_mask``; with
        ``return_assistant_tokens_mask`` also ``assistant_masks``: 1 for each token of the
        text that the template marks by ``{% generation %}``.

        With ``sanitize_control_tokens``, a control token is one only where the template wrote
        it: where any of its characters came from messages, tools, documents or variables, it
        is encoded as the text that it is. ``control_roles`` are the roles from which a template
        may build one. Control tokens are the special tokens, and the other added tokens
        that occur in the template's literals (those of whitespace excepted).

        Raises PromptError and TemplateFailure (both ValueErrors); with
        ``sanitize_control_tokens`` also TextError, where the vocabulary itself makes a control
        token's id of ordinary text.
        """
        if return_assistant_tokens_mask:
            if not (return_dict and tokenize):
                raise PromptError(
                    "`return_assistant_tokens_mask=True` requires `return_dict=True` and "
                    "`tokenize=True`"
                )
            if continue_final_message or sanitize_control_tokens:
                raise PromptError(
                    "return_assistant_tokens_mask is not compatible with "
                    "continue_final_message or sanitize_control_tokens."
                )
            return self._with_assistant_masks(messages, tools, add_generation_prompt, variables)
        if return_dict and tokenize:
            ids = self.apply_chat_template(
                messages,
                tools,
                add_generation_prompt=add_generation_prompt,
                continue_final_message=continue_final_message,
                sanitize_control_tokens=sanitize_control_tokens,
                control_roles=control_roles,
                **variables,
            )
            ones = [[1] * len(each) for each in ids] if is_batch(messages) else [1] * len(ids)
            return {"input_ids": ids, "attention_mask": ones}
        if sanitize_control_tokens:
            if not tokenize:
                raise PromptError(
                    "a text can't tell control tokens from the same text in a message: "
                    "sanitize_control_tokens needs tokenize=True"
                )
            return self._sanitized(
                messages,
                tools=tools,
                add_generation_prompt=add_generation_prompt and not continue_final_message,
                continue_final_message=continue_final_message,
                control_roles=control_roles,
                **variables,
            )
        prompt = self._prompts.render(
            messages,
            tools,
            add_generation_prompt=add_generation_prompt and not continue_final_message,
            continue_final_message=continue_final_message,
            **variables,
        )
        if not tokenize:
            return prompt
        # A template writes control tokens, which some formats don't look for in plain texts.
        allowed = self._pipeline.added.every
        if isinstance(prompt, str):
            return self.encode(prompt, allowed_special=allowed)
        return self.encode_batch(prompt, allowed_special=allowed)

    def _with_assistant_masks(
        self, messages: Any, tools: Any, add_generation_prompt: bool, variables: dict[str, Any]
    ) -> dict[str, Any]:
        rendered = self._prompts.render_spans(
            messages, tools, add_generation_prompt=add_generation_prompt, **variables
        )
        batch = rendered if is_batch(messages) else [rendered]
        encodings = self.encoding_batch(
            [each.text for each in batch],
            add_special_tokens=False,
            allowed_special=self._pipeline.added.every,
            truncation=False,
            padding=False,
        )
        found: dict[str, Any] = {
            "input_ids": [encoding.ids for encoding in encodings],
            "attention_mask": [encoding.attention_mask for encoding in encodings],
            "assistant_masks": [
                assistant_mask(encoding.offsets, each.generation)
                for encoding, each in zip(encodings, batch, strict=True)
            ],
        }
        return found if is_batch(messages) else {name: value[0] for name, value in found.items()}

    def _sanitized(self, messages: Any, **options: Any) -> Any:
        guard: Guard | None = None

        def compiled(source: str) -> GuardedTemplate:
            nonlocal guard
            template, guard = self._guarded.get(source)
            return template

        prompts = self._prompts.render_written(messages, compile=compiled, **options)
        assert guard is not None
        batch = [self._guarded_ids(text, guard, ranges) for text, ranges in prompts]
        return batch if is_batch(messages) else batch[0]

    def _guarded_ids(self, text: str, guard: Guard, written: Ranges) -> list[int]:
        encoder = self._encoder
        if encoder is None or (guard.in_normalized and encoder.normalize is not None):
            ids = self._pipeline.aligned.guarded_ids(_checked(text), guard, list(written))
        else:
            try:
                ids = encoder.encode_guarded(
                    text, *guard.matchers, written, guard.control, guard.least
                )
            except UnicodeEncodeError as error:
                raise _surrogate(error) from None
        if ids is None:
            raise TextError("the vocabulary makes a control token's id of ordinary text")
        return ids

    # ------------------------------------------------------------ inside

    def __repr__(self) -> str:
        return f"<Tokenizer of {self.vocab_size} tokens, split by {self.split_engine}>"

    def _matchers(self, allowed: Allowed) -> Matchers:
        return self._pipeline.added.matchers(allowed)

    def _aligned_ids(
        self, text: str, first: AddedMatcher | None, second: AddedMatcher | None
    ) -> list[int]:
        return self._pipeline.aligned_ids(_checked(text), first, second)

    def _frame(self, add_special_tokens: bool) -> Frame | None:
        return self._pipeline.aligned.quick.frame(add_special_tokens)

    def _pair_frame(self, add_special_tokens: bool) -> PairFrame | None:
        return self._pipeline.aligned.quick.pair_frame(add_special_tokens)

    def _fit_of(self, *asked: Any) -> Fit:
        chosen = zip(_FITTING, asked, strict=True)
        return self._pipeline.aligned.choose(
            {name: value for name, value in chosen if value is not None}
        )

    def _other_encoding(
        self,
        text: str | Sequence[str],
        pair: str | Sequence[str] | None,
        add_special_tokens: bool,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
        is_pretokenized: bool,
        fit: Fit | None,
    ) -> Encoding:
        checked = _checked_input(text if pair is None else (text, pair), is_pretokenized)
        aligned = self._pipeline.aligned
        return aligned.encoding(checked, add_special_tokens, first, second, fit or _NO_FIT)

    def _with_special(self, ids: list[int]) -> list[int]:
        return self._pipeline.with_special(ids)

    def _affix_size(self) -> int | None:
        """How many ids are added to those of any text; None where that depends on them."""
        affixes = self._pipeline.affixes
        return None if affixes is None else len(affixes[0]) + len(affixes[1])

    def _surrogate(self, error: UnicodeEncodeError) -> TextError:
        return _surrogate(error)

    def _batch(self, texts: Iterable[str], matchers: Matchers, threads: int | None) -> Batch:
        assert self._encoder is not None
        return Batch(self._encoder, _text_list(texts), *matchers, _check_threads(threads))


# The keywords that say how encodings are cut and filled, as :class:`EncodeCalls` has them.
_FITTING = (
    *("truncation", "max_length", "stride", "truncation_side"),
    *("padding", "pad_to_multiple_of", "padding_side", "pad_id", "pad_type_id", "pad_token"),
)
_NO_FIT = Fitting(None, None).compiled()


def _check_threads(threads: int | None) -> int:
    if threads is None:
        return 1
    if threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    return threads


def _text_list(texts: Iterable[str]) -> list[str]:
    if isinstance(texts, str):
        raise TypeError("expected several texts, got one str")
    return list(texts)


def _checked_input(item: Any, is_pretokenized: bool) -> Input:
    """One sequence or two, each a text or a list of words."""
    if (
        isinstance(item, tuple)
        and len(item) == 2
        and not (is_pretokenized and all(isinstance(word, str) for word in item))
    ):
        return _checked_sequence(item[0], is_pretokenized), _checked_sequence(
            item[1], is_pretokenized
        )
    return _checked_sequence(item, is_pretokenized), None


def _checked_sequence(sequence: Any, is_pretokenized: bool) -> str | list[str]:
    if not is_pretokenized:
        return _checked(sequence)
    if isinstance(sequence, str) or not isinstance(sequence, Sequence):
        raise TypeError(f"expected a list of words, not {type(sequence).__name__}")
    return [_checked(word) for word in sequence]


def _checked(text: object) -> str:
    """A text that can be encoded: a str without lone surrogates."""
    if not isinstance(text, str):
        raise TypeError(f"expected a str, not {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _surrogate(error) from None
    return text


def _surrogate(error: UnicodeEncodeError) -> TextError:
    found = shorten(error.object[error.start])
    notes = "".join(f" {note}" for note in getattr(error, "__notes__", ()))
    return TextError(
        f"the text has a lone surrogate, {found}, at character {error.start}{notes}; "
        "UTF-8 cannot carry it"
    )
