"""The post-processors of ``tokenizers``, by the same names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Seq
from typing import Any, ClassVar

from textcore.compat.tokenizers.component import (
    Children,
    Component,
    Field,
    checked_children,
)
from textcore.encoding import Encoding
from textcore.pipeline import post_processors as pipeline
from textcore.pipeline.post_processors import PostProcessor as Made
from textcore.pipeline.post_processors import build_post_processor
from textcore.pipeline.spec import Node

Special = tuple[str, int]


class PostProcessor(Component):
    """The base of all post-processors."""

    _kinds: ClassVar[dict[str, type[Component]]] = {}

    def __init_subclass__(cls) -> None:
        PostProcessor._kinds[cls.__name__] = cls

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """How many tokens are added to one sequence, or to two."""
        count: int = self._component().added_tokens(is_pair)
        return count

    def process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """One encoding made of one or two."""
        done: Encoding = self._component().process(
            encoding.copy(), None if pair is None else pair.copy(), add_special_tokens
        )
        return done

    def _make(self) -> Made:
        return build_post_processor(Node(self._spec(), "post_processor"))


def _pair(value: Seq[Any]) -> list[Any]:
    token, token_id = value
    return [token, token_id]


class BertProcessing(PostProcessor):
    """``[CLS] A [SEP] B [SEP]``."""

    _defaults: ClassVar[dict[str, Any]] = {"sep": ["", 0], "cls": ["", 0]}
    sep = Field(read=tuple, write=_pair)
    cls = Field(read=tuple, write=_pair)

    def __init__(self, sep: Special, cls: Special) -> None:
        self._start(sep=_pair(sep), cls=_pair(cls))


class RobertaProcessing(PostProcessor):
    """``<s> A </s></s> B </s>``, offsets trimmed."""

    _defaults: ClassVar[dict[str, Any]] = {
        "sep": ["", 0],
        "cls": ["", 0],
        "trim_offsets": True,
        "add_prefix_space": True,
    }
    sep = Field(read=tuple, write=_pair)
    cls = Field(read=tuple, write=_pair)
    trim_offsets = Field()
    add_prefix_space = Field()

    def __init__(
        self,
        sep: Special,
        cls: Special,
        trim_offsets: bool = True,
        add_prefix_space: bool = True,
    ) -> None:
        self._start(
            sep=_pair(sep),
            cls=_pair(cls),
            trim_offsets=trim_offsets,
            add_prefix_space=add_prefix_space,
        )


class ByteLevel(PostProcessor):
    """Takes blanks out of offsets."""

    _defaults: ClassVar[dict[str, Any]] = {
        "add_prefix_space": True,
        "trim_offsets": True,
        "use_regex": True,
    }
    add_prefix_space = Field()
    trim_offsets = Field()
    use_regex = Field()

    def __init__(
        self,
        add_prefix_space: bool | None = None,
        trim_offsets: bool | None = None,
        use_regex: bool | None = None,
        **_ignored: Any,
    ) -> None:
        given = {
            "add_prefix_space": add_prefix_space,
            "trim_offsets": trim_offsets,
            "use_regex": use_regex,
        }
        self._start(**{name: value for name, value in given.items() if value is not None})


class TemplateProcessing(PostProcessor):
    """Sequences and special tokens in the order that a template gives.

    A template is a str such as ``"[CLS] $A:0 [SEP]:0"``, or a list of its parts;
    ``special_tokens`` are (token, id), (id, token), or dicts of id, ids and tokens.
    """

    _defaults: ClassVar[dict[str, Any]] = {"single": [], "pair": [], "special_tokens": {}}

    def __init__(
        self,
        single: str | Seq[str] | None = None,
        pair: str | Seq[str] | None = None,
        special_tokens: Iterable[Any] | None = None,
    ) -> None:
        one = _template("$A:0" if single is None else single)
        two = _template("$A:0 $B:1" if pair is None else pair)
        if {"A", "B"} - {piece["Sequence"]["id"] for piece in two if "Sequence" in piece}:
            raise ValueError("Template for `pair` must use both sequences")
        specials = _specials(special_tokens or ())
        used = [p["SpecialToken"]["id"] for p in (*one, *two) if "SpecialToken" in p]
        missing = [name for name in dict.fromkeys(used) if name not in specials]
        if missing:
            names = ", ".join(f"`{name}`" for name in missing)
            raise ValueError(f"Missing SpecialToken(s) with id(s) {names}")
        self._start(single=one, pair=two, special_tokens=specials)

    @property
    def single(self) -> str:
        """The template of one sequence, as the reference shows it."""
        return f"Template([{', '.join(map(_shown, self._fields['single']))}])"

    @single.setter
    def single(self, single: str | Seq[str]) -> None:
        self._change("single", _template(single))


def _shown(piece: Mapping[str, Any]) -> str:
    ((kind, fields),) = piece.items()
    if kind == "Sequence":
        return f"Sequence {{ id: {fields['id']}, type_id: {fields['type_id']} }}"
    return f'SpecialToken {{ id: "{fields["id"]}", type_id: {fields["type_id"]} }}'


def _template(template: str | Seq[str]) -> list[dict[str, Any]]:
    parts = template.split(" ") if isinstance(template, str) else list(template)
    return [_piece(part) for part in parts]


def _piece(text: str) -> dict[str, Any]:
    """One part of a template, as JSON has it. Raises ValueError."""
    parts = text.split(":")
    type_id = 0
    if len(parts) == 2 and parts[1].isascii() and parts[1].removeprefix("+").isdigit():
        type_id = int(parts[1])
    elif len(parts) != 1:
        raise ValueError(f'Cannot build Piece from string "{text}"')
    name = parts[0]
    if not name.startswith("$"):
        return {"SpecialToken": {"id": name, "type_id": type_id}}
    rest = name[1:]
    if rest in ("", "A", "a"):
        sequence = "A"
    elif rest in ("B", "b"):
        sequence = "B"
    elif rest.isascii() and rest.isdigit():
        # "$1" is sequence A with the type id 1, unless a type id is given.
        sequence, type_id = "A", type_id if len(parts) == 2 else int(rest)
    else:
        raise ValueError(f'Cannot build Piece from string "{text}"')
    return {"Sequence": {"id": sequence, "type_id": type_id}}


def _specials(tokens: Iterable[Any]) -> dict[str, Any]:
    found = {}
    for token in tokens:
        if isinstance(token, Mapping):
            special = {
                "id": token["id"], "ids": list(token["ids"]), "tokens": list(token["tokens"])
            }  # fmt: skip
        else:
            name, token_id = token
            if isinstance(name, int):
                name, token_id = token_id, name
            special = {"id": name, "ids": [token_id], "tokens": [name]}
        found[special["id"]] = special
    return dict(sorted(found.items(), key=lambda item: item[0].encode()))


class Sequence(Children, PostProcessor):
    """Several post-processors, one after the other."""

    _defaults: ClassVar[dict[str, Any]] = {"processors": []}
    _children = "processors"

    def __init__(self, processors: Seq[PostProcessor]) -> None:
        self._start(processors=checked_children(processors, PostProcessor))

    def _make(self) -> Made:
        return pipeline.Sequence([child._component() for child in self._items()])
