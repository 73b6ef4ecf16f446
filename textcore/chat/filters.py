"""Jinja's filters, charged before they run, and ``tojson`` as models have seen it in training.

Each takes the context first (as Jinja passes it), whose ``meter`` it charges. Most then leave the
work to Jinja's own filter, so that they agree with it; that also keeps them from running while a
template is compiled, where Jinja would fold them into constants.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import jinja2.filters
from jinja2.utils import pass_context
from markupsafe import Markup, soft_str

from textcore.chat.arguments import refuse_arguments, with_arguments_of
from textcore.chat.formatting import guard_percent
from textcore.chat.methods import charge_quadratic, replaced_length
from textcore.core.budget import LimitExceeded
from textcore.core.quickfilters import TextFilter, WalkingFilter
from textcore.core.rendering import Meter

_JINJA: Mapping[str, Callable[..., Any]] = jinja2.filters.FILTERS
_WORD = re.compile(r"\w+")
# What a filter costs besides its value's size.
_COST = 16
_COSTS = {"wordwrap": 512, "urlize": 512, "pprint": 256, "striptags": 128, "groupby": 64}
_COSTS |= dict.fromkeys(("map", "select", "reject", "selectattr", "rejectattr"), 48)
_ESCAPED_WIDTH = 6
# More than JSON is indented by where that is not meant to cost much.
_INDENT = 64
_DIGITS_LIMIT = 4096


def _charge_text(meter: Meter, value: Any) -> None:
    if isinstance(value, (str, bytes)):
        meter.charge(1 + (len(value) >> 2))


def _soft(meter: Meter, value: Any) -> Any:
    """The value if it is a string (Markup stays Markup), else its text."""
    return value if isinstance(value, str) else meter.text(value)


def to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """JSON without HTML escapes: Jinja's own filter escapes ``<``, ``>``, ``&`` and ``'``."""
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


# The same as `to_json` without arguments, for which json.dumps makes an encoder each time.
encode_json = json.JSONEncoder(ensure_ascii=False).encode


def tojson(
    context: Any,
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """`to_json`, charged."""
    meter: Meter = context.meter
    if separators is None and type(indent) is int and 0 < indent <= _INDENT:
        meter.charge_layout(value, indent, 0)
    else:
        _charge_layout(meter, value, indent, separators)
    text = to_json(value, ensure_ascii, indent, separators, sort_keys)
    meter.reserve(len(text))
    return text


def _charge_layout(meter: Meter, value: Any, indent: Any, separators: Any) -> None:
    """Charge what indentation, long separators and sorting add to JSON."""
    meter.charge(_COST)
    length = 0
    if hasattr(type(separators), "__iter__"):
        meter.measure(separators)
        length = sum(2 * len(each) for each in separators if isinstance(each, str))
    width = indent if isinstance(indent, int) else len(indent) if isinstance(indent, str) else 0
    meter.charge_layout(value, max(width, 0), length)


def _guarded(name: str, guard: Callable[..., Any]) -> Callable[..., Any]:
    """Jinja's filter of this name behind a guard.

    ``guard(meter, value, *args, **kwargs)`` charges, and may return the value to go on with.
    """
    original = _JINJA[name]
    cost = _COSTS.get(name, _COST)
    passes = getattr(original, "jinja_pass_arg", None)
    kind = passes.name if passes is not None else None

    @pass_context
    def run(context: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        context.meter.charge(cost)
        try:
            value = guard(context.meter, value, *args, **kwargs)
        except TypeError:
            refuse_arguments(original, context, (value, *args), kwargs)
            raise
        if kind is None:
            return original(value, *args, **kwargs)
        if kind == "context":
            return original(context, value, *args, **kwargs)
        if kind == "eval_context":
            return original(context.eval_ctx, value, *args, **kwargs)
        return original(context.environment, value, *args, **kwargs)

    return run


# -- guards: charge, and give the value to go on with


def _text(meter: Meter, value: Any, *args: Any, **kwargs: Any) -> Any:
    value = _soft(meter, value)
    for argument in (*args, *kwargs.values()):
        meter.measure(argument)
    _charge_text(meter, value)
    meter.reserve(3 * len(value))
    return value


def _linear(meter: Meter, value: Any, *args: Any, **kwargs: Any) -> Any:
    _charge_text(meter, value)
    for argument in (*args, *kwargs.values()):
        meter.measure(argument)
    return value


def _center(meter: Meter, value: Any, width: Any = 80) -> Any:
    value = _soft(meter, value)
    if isinstance(width, int):
        meter.reserve(max(width, len(value)))
    return value


def _escape(meter: Meter, value: Any) -> Any:
    text = _soft(meter, value)
    meter.reserve(_ESCAPED_WIDTH * len(text))
    return text


def _indent(meter: Meter, value: Any, width: Any = 4, *args: Any, **kwargs: Any) -> Any:
    if isinstance(value, str):
        _charge_text(meter, value)
        size = width if isinstance(width, int) else len(width) if isinstance(width, str) else 0
        lines = len(value) + 1
        if lines * size > meter.size:
            lines = 1 + sum(value.count(c) for c in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
        meter.reserve(len(value) + lines * (max(size, 0) + 1))
    return value


def _replace(meter: Meter, value: Any, old: Any, new: Any, *args: Any, **kwargs: Any) -> Any:
    value = _soft(meter, value)
    _charge_text(meter, value)
    meter.reserve(replaced_length(value, meter.text(old), _escape(meter, new)))
    return value


def _trim(meter: Meter, value: Any, chars: Any = None) -> Any:
    value = _soft(meter, value)
    width = len(chars) if isinstance(chars, str) else 1
    meter.charge(1 + (len(value) * width >> 6))
    return value


def _wordwrap(meter: Meter, value: Any, *args: Any, **kwargs: Any) -> Any:
    if isinstance(value, str):
        wrap = kwargs.get("wrapstring", args[2] if len(args) > 2 else None)
        charge_quadratic(meter, value)
        meter.reserve(len(value) * (1 + (len(wrap) if isinstance(wrap, str) else 1)))
    return value


def _quadratic_text(meter: Meter, value: Any, *args: Any, **kwargs: Any) -> Any:
    value = _soft(meter, value)
    charge_quadratic(meter, value)
    extra = sum(len(a) for a in (*args, *kwargs.values()) if isinstance(a, str))
    meter.reserve(_ESCAPED_WIDTH * len(value) + (extra + 64) * (1 + len(value) // 4))
    return value


def _format(meter: Meter, value: Any, *args: Any, **kwargs: Any) -> Any:
    value = _soft(meter, value)
    if not (args and kwargs):
        guard_percent(meter, value, kwargs or args)
    return value


def _urlencode(meter: Meter, value: Any) -> Any:
    meter.reserve(12 * meter.measure(value))
    return value


def _measured(meter: Meter, value: Any, *args: Any, **kwargs: Any) -> Any:
    meter.reserve(_ESCAPED_WIDTH * meter.measure(value))
    return value


def _pprint(meter: Meter, value: Any) -> Any:
    # Each level is printed again to see whether it fits a line.
    length = meter.measure(value)
    meter.charge(length * 8)
    meter.reserve(2 * length)
    return value


def _sorted(meter: Meter, value: Any, *args: Any, **kwargs: Any) -> Any:
    """For filters that compare all items with each other, n log n times."""
    items = value if isinstance(value, (dict, str)) else meter.items_of(value)
    names = sum(len(a) for a in (*args, *kwargs.values()) if isinstance(a, str))
    meter.charge_sorting(items, names)
    return items


def _dictsort(meter: Meter, value: Any, *args: Any, **kwargs: Any) -> Any:
    if isinstance(value, dict):
        meter.charge_sorting(value, 0)
    return value


def _each(meter: Meter, value: Any, *args: Any, **kwargs: Any) -> Any:
    """For filters that work on one item after the other."""
    names = sum(len(a) for a in (*args, *kwargs.values()) if isinstance(a, str))
    return meter.loop(value, 24 + names)


def _batch(meter: Meter, value: Any, linecount: Any, fill_with: Any = None) -> Any:
    if fill_with is not None and isinstance(linecount, int):
        meter.reserve_items(linecount)
    return meter.loop(value, 2)


def _slice(meter: Meter, value: Any, slices: Any, fill_with: Any = None) -> Any:
    if isinstance(slices, int):
        meter.reserve_items(slices, _ESCAPED_WIDTH * 16)
        meter.charge(max(slices, 0))
    return meter.items_of(value)


def _unique(meter: Meter, value: Any, *args: Any, **kwargs: Any) -> Any:
    items = meter.items_of(value)
    meter.measure(items)
    return _each(meter, items, *args, **kwargs)


# -- filters of our own


def do_list(context: Any, value: Any) -> list[Any]:
    """A list of what the value yields."""
    items: list[Any] = context.meter.items_of(value)
    return items


def do_string(context: Any, value: Any) -> Any:
    """The value as a string; Markup stays Markup."""
    return _soft(context.meter, value)


def do_int(context: Any, value: Any, default: Any = 0, base: Any = 10) -> Any:
    """The value as an integer, or the default."""
    _charge_text(context.meter, value)
    return context.meter.check_bits(_JINJA["int"](value, default, base))


def do_join(context: Any, value: Any, d: Any = "", attribute: Any = None) -> Any:
    """The items' texts, joined."""
    meter: Meter = context.meter
    if attribute is not None:
        getter = jinja2.filters.make_attrgetter(context.environment, attribute)
        value = map(getter, _each(meter, value, str(attribute)))
    items = meter.items_of(value)
    if context.eval_ctx.autoescape:
        length = sum(_ESCAPED_WIDTH * len(_soft(meter, item)) for item in items)
        meter.reserve(length + _ESCAPED_WIDTH * len(_soft(meter, d)) * len(items))
        return jinja2.filters.sync_do_join(context.eval_ctx, items, d)
    texts = [meter.text(item) for item in items]
    separator = meter.text(d)
    meter.reserve(sum(map(len, texts)) + len(separator) * max(len(texts) - 1, 0))
    return separator.join(texts)


def do_sum(context: Any, iterable: Any, attribute: Any = None, start: Any = 0) -> Any:
    """The sum of the items; lists are added one by one, and charged."""
    meter: Meter = context.meter
    if attribute is not None:
        getter = jinja2.filters.make_attrgetter(context.environment, attribute)
        iterable = map(getter, _each(meter, iterable, str(attribute)))
    items = meter.items_of(iterable)
    meter.charge(4 * len(items))
    numbers = (int, float)
    if isinstance(start, (str, bytes)):
        return sum([], start)  # raises, and says why
    if isinstance(start, numbers) and all(
        (isinstance(i, numbers) and abs(i) < 1 << 64) or i != i for i in items
    ):
        return sum(items, start)
    total = start
    for item in items:
        total = meter.add(total, item)
    return total


def do_wordcount(context: Any, value: Any) -> int:
    """How many words the text has."""
    text = _soft(context.meter, value)
    context.meter.charge(1 + (len(text) >> 2))
    return sum(1 for _ in _WORD.finditer(text))


def do_reverse(context: Any, value: Any) -> Any:
    """A string backwards, or an iterator from the end."""
    if isinstance(value, str):
        context.meter.reserve(len(value))
    elif hasattr(type(value), "__next__"):
        value = context.meter.items_of(value)
    return _JINJA["reverse"](value)


def do_round(context: Any, value: Any, precision: Any = 0, method: Any = "common") -> Any:
    """The number, rounded; a precision of a million digits would take long."""
    if isinstance(precision, int) and abs(precision) > _DIGITS_LIMIT:
        raise LimitExceeded("bits", context.meter.bits)
    return _JINJA["round"](value, precision, method)


_GUARDS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("capitalize", "lower", "title", "upper"), _text),
    **dict.fromkeys(("float", "filesizeformat", "truncate"), _linear),
    **dict.fromkeys(("e", "escape", "forceescape", "safe"), _escape),
    **dict.fromkeys(("striptags", "urlize"), _quadratic_text),
    **dict.fromkeys(("sort", "groupby", "min", "max"), _sorted),
    **dict.fromkeys(("map", "select", "reject", "selectattr", "rejectattr"), _each),
    "batch": _batch,
    "center": _center,
    "dictsort": _dictsort,
    "format": _format,
    "indent": _indent,
    "pprint": _pprint,
    "replace": _replace,
    "slice": _slice,
    "trim": _trim,
    "unique": _unique,
    "urlencode": _urlencode,
    "wordwrap": _wordwrap,
    "xmlattr": _measured,
}
# What the filters that chat templates use most do to a plain string, and how much it may grow.
_SHORT: dict[str, tuple[Callable[[str], Any], int]] = {
    "capitalize": (str.capitalize, 3),
    "lower": (str.lower, 3),
    "upper": (str.upper, 3),
    "trim": (str.strip, 1),
    "safe": (Markup, 1),
}
# These take the same time whatever they are given.
_FREE = ("abs", "attr", "count", "length", "d", "default", "first", "last", "items", "random")

_OWN: dict[str, Callable[..., Any]] = {
    "int": do_int,
    "join": do_join,
    "list": do_list,
    "reverse": do_reverse,
    "round": do_round,
    "sum": do_sum,
    "wordcount": do_wordcount,
}

FILTERS: dict[str, Callable[..., Any]] = {
    **{name: _JINJA[name] for name in _FREE},
    **{name: _guarded(name, guard) for name, guard in _GUARDS.items()},
    **{
        name: pass_context(TextFilter(_guarded(name, _GUARDS[name]), short, _COST, growth))
        for name, (short, growth) in _SHORT.items()
    },
    **{name: pass_context(with_arguments_of(_JINJA[name], run)) for name, run in _OWN.items()},
    "string": pass_context(
        TextFilter(with_arguments_of(_JINJA["string"], do_string), soft_str, 0, 1)
    ),
    "tojson": pass_context(WalkingFilter(tojson, encode_json, _COST, {"ensure_ascii": False})),
}
