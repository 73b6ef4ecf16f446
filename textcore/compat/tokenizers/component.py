"""What all component objects share: their JSON, their fields and how they show.

A component object holds what a tokenizer.json holds of it; the component that works is
made from that when it is first needed, and anew after a field has changed. Names, defaults,
the order of fields and the way of showing are those of Hugging Face ``tokenizers`` 0.23.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from textcore.compat.tokenizers.show import REPR_ITEMS, STR_ITEMS, show

C = TypeVar("C", bound="Component")


class Field:
    """A field of a component as an attribute of the object.

    ``key`` is its name in JSON, ``read`` and ``write`` turn what JSON has into what Python
    code sees and back.
    """

    def __init__(
        self,
        key: str | None = None,
        read: Callable[[Any], Any] = lambda value: value,
        write: Callable[[Any], Any] = lambda value: value,
    ) -> None:
        self._key = key or ""
        self._read = read
        self._write = write

    def __set_name__(self, owner: type, name: str) -> None:
        self._key = self._key or name

    def __get__(self, obj: Component | None, owner: type) -> Any:
        return self if obj is None else self._read(obj._fields[self._key])

    def __set__(self, obj: Component, value: Any) -> None:
        obj._change(self._key, self._write(value))


class Component:
    """The base of all component objects.

    ``_defaults`` are the JSON's fields in order, ``_children`` the one that holds further
    components, if one does.
    """

    _defaults: ClassVar[dict[str, Any]] = {}
    _children: ClassVar[str | None] = None
    _kinds: ClassVar[dict[str, type[Component]]]
    _fields: dict[str, Any]
    _changes: int
    _made: tuple[int, Any] | None

    def _start(self, **fields: Any) -> None:
        self._fields = {**self._defaults, **fields}
        self._changes = 0
        self._made = None

    def _change(self, key: str, value: Any) -> None:
        self._fields[key] = value
        self._changes += 1

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if Component in cls.__bases__:
            raise TypeError(f"cannot create '{cls.__name__}' instances")
        return object.__new__(cls)

    # ------------------------------------------------------------ JSON

    @classmethod
    def _from_spec(cls, spec: Any) -> Any:
        """The object for what a tokenizer.json says; None stays None."""
        if spec is None or isinstance(spec, Component):
            return spec
        kind = cls._kinds.get(cls._kind_of(spec))
        if kind is None:
            raise ValueError(f"unknown {cls.__name__} {spec.get('type')!r}")
        new: Any = object.__new__(kind)
        new._start(**kind._read_fields(spec))
        return new

    @classmethod
    def _kind_of(cls, spec: Mapping[str, Any]) -> str:
        return str(spec.get("type"))

    @classmethod
    def _read_fields(cls, spec: Mapping[str, Any]) -> dict[str, Any]:
        fields = {key: spec[key] for key in cls._defaults if key in spec}
        if cls._children is not None:
            fields[cls._children] = [cls._from_spec(child) for child in spec[cls._children]]
        return fields

    def _spec(self) -> dict[str, Any]:
        fields = dict(self._fields)
        if self._children is not None:
            fields[self._children] = [child._spec() for child in fields[self._children]]
        return {"type": type(self).__name__, **fields}

    def _version(self) -> int:
        """A number that grows with every change here or in a child."""
        if self._children is None:
            return self._changes
        children: list[Component] = self._fields[self._children]
        return self._changes + sum(child._version() for child in children)

    def _component(self) -> Any:
        """The component that works."""
        version = self._version()
        made = self._made
        if made is None or made[0] != version:
            made = self._made = (version, self._make())
        return made[1]

    def _make(self) -> Any:
        raise NotImplementedError

    # ------------------------------------------------------------ how it shows, and pickles

    def __getstate__(self) -> bytes:
        return json.dumps(self._spec(), ensure_ascii=False, separators=(",", ":")).encode()

    def __setstate__(self, state: bytes | str) -> None:
        spec = json.loads(state)
        self._start(**self._read_fields(spec))

    def __reduce__(self) -> Any:
        return _blank, (type(self),), self.__getstate__()

    def __repr__(self) -> str:
        return show(self._spec(), REPR_ITEMS)

    def __str__(self) -> str:
        return show(self._spec(), STR_ITEMS)


def _blank(kind: type[C]) -> C:
    blank: C = kind.__new__(kind)
    return blank


class Children:
    """A sequence of components that can be indexed and changed, for mixing in."""

    _fields: dict[str, Any]
    _children: ClassVar[str | None]

    def __getitem__(self, index: int) -> Any:
        return self._items()[self._at(index)]

    def __setitem__(self, index: int, value: Any) -> None:
        self._items()[self._at(index)] = value
        self._changes: int = self._changes + 1

    def _items(self) -> list[Any]:
        assert self._children is not None
        items: list[Any] = self._fields[self._children]
        return items

    def _at(self, index: int) -> int:
        if index < 0:
            raise OverflowError("can't convert negative int to unsigned")
        if index >= len(self._items()):
            raise IndexError("Index not found")
        return index


def checked_children(children: Iterable[Any], kind: type[Component]) -> list[Any]:
    """Components as a list, which must all be of one kind. Raises TypeError."""
    items = list(children)
    for item in items:
        check_kind(item, kind)
    return items


def check_kind(item: Any, kind: type) -> None:
    """Raise TypeError for what is not of a kind."""
    if not isinstance(item, kind):
        raise TypeError(f"'{type(item).__name__}' object is not an instance of '{kind.__name__}'")


def one_character(value: str) -> str:
    """``value``, which must be one character."""
    if len(value) != 1:
        raise ValueError("expected a string of length 1")
    return value


_BEHAVIORS = {
    "removed": "Removed",
    "isolated": "Isolated",
    "merged_with_previous": "MergedWithPrevious",
    "merged_with_next": "MergedWithNext",
    "contiguous": "Contiguous",
}
_BEHAVIOR_NAMES = {value: name for name, value in _BEHAVIORS.items()}


def behavior_of(name: Any) -> str:
    """A behavior as JSON spells it, by its name (a str, or an enum's member)."""
    name = getattr(name, "value", name)
    if name not in _BEHAVIORS:
        known = ", ".join(_BEHAVIORS)
        raise ValueError(f"Wrong value for SplitDelimiterBehavior, expected one of: `{known}`")
    return _BEHAVIORS[name]


def behavior_name(behavior: str) -> str:
    """The name of a behavior."""
    return _BEHAVIOR_NAMES.get(behavior, behavior)


def prepend_scheme(name: str) -> str:
    """``name``, which must be a prepend scheme."""
    if name not in ("first", "never", "always"):
        raise ValueError(
            f"{name} is an unknown variant, should be one of ['first', 'never', 'always']"
        )
    return name


def no_pattern(_: Any) -> Any:
    """Patterns can be neither read nor changed, as in the reference."""
    raise Exception("Cannot get pattern")
