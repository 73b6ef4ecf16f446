"""The methods of plain data that a template may call, and what is charged before each.

A guard is called as ``guard(meter, value, name, args, kwargs)``: it raises where the call would
exceed a limit, and returns the call's result or NotImplemented, which leaves the call to the type.
A guard of None means that the call costs no more than its value's length. A public method that is
not listed here (of a later Python, say) can't be called.
"""

from __future__ import annotations

from typing import Any

from jinja2.exceptions import SecurityError
from jinja2.runtime import BlockReference
from markupsafe import Markup

from textcore.chat.formatting import FormatMethod, guard_percent
from textcore.core.rendering import Meter

# Some codecs are quadratic (punycode, idna), some are not about text.
_ENCODINGS = frozenset(
    ("ascii", "latin1", "iso88591", "utf8", "utf16", "utf16le", "utf16be", "utf32", "cp1252")
)
# How much longer the longest of Python's error handlers makes what can't be encoded.
_ESCAPED_WIDTH = 40
_PIECE_WIDTH = 64
_ENTRY_WIDTH = 64
_CALL_COST = 16
_FREE_CHARACTERS = 64


def _argument(args: tuple[Any, ...], kwargs: dict[str, Any], index: int, name: str) -> Any:
    return args[index] if len(args) > index else kwargs.get(name)


def _charge_length(meter: Meter, value: Any) -> None:
    meter.charge(1 + (len(value) >> 5))


def _pad(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    width = _argument(args, kwargs, 0, "width")
    if isinstance(width, int):
        meter.reserve(max(width, len(value)))
    return NotImplemented


def _expandtabs(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    size = _argument(args, kwargs, 0, "tabsize")
    tabs = value.count(b"\t" if isinstance(value, bytes) else "\t")
    _charge_length(meter, value)
    meter.reserve(len(value) + tabs * max(size if isinstance(size, int) else 8, 0))
    return NotImplemented


def _replace(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    _charge_length(meter, value)
    old, new = _argument(args, kwargs, 0, "old"), _argument(args, kwargs, 1, "new")
    if isinstance(old, (str, bytes)) and isinstance(new, (str, bytes)):
        meter.reserve(replaced_length(value, old, new))
    return NotImplemented


def replaced_length(value: Any, old: Any, new: Any) -> int:
    """An upper bound of the length of ``value.replace(old, new)``."""
    width = len(new) * (5 if isinstance(value, Markup) or isinstance(new, Markup) else 1)
    if width <= len(old):
        return len(value)
    found = value.count(old) if type(value) is type(old) else len(value) + 1
    return len(value) + found * (width - len(old))


def _join(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    if len(args) != 1 or kwargs or not hasattr(type(args[0]), "__iter__"):
        return NotImplemented
    items = meter.items_of(args[0])
    total = sum(len(item) for item in items if isinstance(item, (str, bytes)))
    escaped = 1
    if isinstance(value, Markup):
        total = sum(meter.measure(item) for item in items)
        escaped = 6
    meter.charge(len(items) >> 2)
    meter.reserve((total + len(value) * max(len(items) - 1, 0)) * escaped)
    return value.join(items)


def _split(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Every way to split: the pieces are counted before they are made."""
    _charge_length(meter, value)
    separator = _argument(args, kwargs, 0, "sep") if name != "splitlines" else None
    if isinstance(separator, type(value)) and separator:
        if name == "rsplit":
            _charge_backwards(meter, value, separator)
        pieces = value.count(separator) + 1
    elif len(value) < 1 << 16:
        pieces = len(value) + 1
    else:
        pieces = _count_pieces(value, lines=name == "splitlines")
    limit = _argument(args, kwargs, 1, "maxsplit") if name != "splitlines" else None
    if isinstance(limit, int) and limit >= 0:
        pieces = min(pieces, limit + 1)
    meter.reserve_items(pieces if pieces > len(value) // 8 else 0, _PIECE_WIDTH)
    meter.reserve(len(value))
    return NotImplemented


def _count_pieces(value: Any, lines: bool) -> int:
    """How many pieces splitting at lines, or at whitespace, can make."""
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    breaks = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
    if lines:
        return 1 + sum(map(int, map(text.count, breaks)))
    return 1 + sum(map(str.isspace, text))


def _charge_backwards(meter: Meter, value: Any, part: Any) -> None:
    # Searching from the right is quadratic at its worst.
    if isinstance(part, (str, bytes)) and len(part) <= len(value):
        meter.charge(len(part) * len(value) >> 6)


def _search_back(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    _charge_length(meter, value)
    _charge_backwards(meter, value, _argument(args, kwargs, 0, "sub"))
    return NotImplemented


def _strip(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    _charge_length(meter, value)
    characters = _argument(args, kwargs, 0, "chars")
    if isinstance(characters, (str, bytes)) and len(characters) > _FREE_CHARACTERS:
        meter.charge(len(characters) * len(value) >> 6)
    return NotImplemented


def _measured(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    """For methods that look through their value and their arguments."""
    meter.measure(value)
    for argument in (*args, *kwargs.values()):
        meter.measure(argument)
    return NotImplemented


def _grow(factor: int) -> Any:
    def guard(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
        _charge_length(meter, value)
        meter.reserve(len(value) * factor)
        return NotImplemented

    return guard


def _translate(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    table = _argument(args, kwargs, 0, "table")
    meter.measure(table)
    values = table.values() if isinstance(table, dict) else table
    longest = 1
    if isinstance(values, (list, tuple)) or isinstance(table, dict):
        longest = max((len(v) for v in values if isinstance(v, str)), default=1)
    meter.charge(1 + (len(value) >> 2))
    meter.reserve(len(value) * max(longest, 1))
    return NotImplemented


def _code(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    """``encode`` and ``decode``."""
    encoding = _argument(args, kwargs, 0, "encoding")
    if isinstance(encoding, str):
        plain = encoding.lower().replace("-", "").replace("_", "").replace(" ", "")
        if plain not in _ENCODINGS:
            raise SecurityError(f"the encoding {encoding!r} is not available to chat templates")
    errors = _argument(args, kwargs, 1, "errors")
    width = 4 if errors in (None, "strict", "ignore", "replace") else _ESCAPED_WIDTH
    _charge_length(meter, value)
    meter.reserve(len(value) * width)
    return NotImplemented


def _format(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    environment = meter.environment
    return FormatMethod(environment, value, name == "format_map")(meter, *args, **kwargs)


def _fromkeys(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    if not args or not hasattr(type(args[0]), "__iter__"):
        return NotImplemented
    keys = meter.items_of(args[0])
    meter.measure(keys)
    meter.reserve_items(len(keys), _ENTRY_WIDTH)
    return dict.fromkeys(keys, *args[1:], **kwargs)


def _copy(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    meter.reserve_items(len(value), _ENTRY_WIDTH if isinstance(value, dict) else 8)
    return NotImplemented


def _to_bytes(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    length = _argument(args, kwargs, 0, "length")
    if isinstance(length, int):
        meter.reserve(length)
    return NotImplemented


def _from_bytes(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    data = _argument(args, kwargs, 0, "bytes")
    if isinstance(data, (bytes, list, tuple, range)) and len(data) * 8 <= meter.bits:
        return NotImplemented
    raise SecurityError("chat templates can't make integers of so many bytes")


def _sequence_search(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    if isinstance(value, range):
        meter.charge(len(value))
        return NotImplemented
    return _measured(meter, value, name, args, kwargs)


def _quadratic(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    charge_quadratic(meter, value)
    return NotImplemented


def charge_quadratic(meter: Meter, text: Any) -> None:
    """For what takes a time that grows with the square of a text's length."""
    meter.charge(1 + (len(text) * len(text) >> 6))
    meter.reserve(6 * len(text))


_SHARED: dict[str, Any] = {
    **dict.fromkeys(("partition", "removeprefix", "removesuffix")),
    **dict.fromkeys(("isalnum", "isalpha", "isascii", "isdigit", "islower")),
    **dict.fromkeys(("isspace", "istitle", "isupper")),
    **dict.fromkeys(("capitalize", "title", "lower", "upper", "swapcase"), _grow(3)),
    **dict.fromkeys(("startswith", "endswith", "find", "index", "count"), _measured),
    **dict.fromkeys(("center", "ljust", "rjust", "zfill"), _pad),
    **dict.fromkeys(("split", "rsplit", "splitlines"), _split),
    **dict.fromkeys(("rfind", "rindex", "rpartition"), _search_back),
    **dict.fromkeys(("strip", "lstrip", "rstrip"), _strip),
    "expandtabs": _expandtabs,
    "replace": _replace,
    "join": _join,
    "translate": _translate,
    "maketrans": _measured,
}
_STR: dict[str, Any] = {
    **_SHARED,
    **dict.fromkeys(("isdecimal", "isidentifier", "isnumeric", "isprintable")),
    **dict.fromkeys(("find", "index", "count")),
    "casefold": _grow(3),
    "encode": _code,
    "format": _format,
    "format_map": _format,
}
_MARKUP: dict[str, Any] = {
    **_STR,
    "striptags": _quadratic,
    "unescape": _grow(2),
    "escape": _measured,
}
_BYTES: dict[str, Any] = {**_SHARED, "decode": _code, "hex": _grow(3), "fromhex": _measured}
_INT: dict[str, Any] = {
    **dict.fromkeys(("bit_length", "bit_count", "conjugate", "as_integer_ratio", "is_integer")),
    "to_bytes": _to_bytes,
    "from_bytes": _from_bytes,
}
_FLOAT: dict[str, Any] = {
    **dict.fromkeys(("is_integer", "as_integer_ratio", "hex", "conjugate")),
    "fromhex": _measured,
    "from_number": None,
}
_SEQUENCE: dict[str, Any] = {"index": _sequence_search, "count": _sequence_search}
_DICT: dict[str, Any] = {
    **dict.fromkeys(("items", "keys", "values", "get")),
    "copy": _copy,
    "fromkeys": _fromkeys,
}

_TABLES: dict[type, dict[str, Any]] = {
    str: _STR,
    Markup: _MARKUP,
    bytes: _BYTES,
    int: _INT,
    bool: _INT,
    float: _FLOAT,
    list: {**_SEQUENCE, "copy": _copy},
    tuple: _SEQUENCE,
    range: _SEQUENCE,
    dict: _DICT,
}
# The methods that this version of Python has.
GUARDS: dict[type, dict[str, Any]] = {
    kind: {name: guard for name, guard in table.items() if hasattr(kind, name)}
    for kind, table in _TABLES.items()
}


def generic_guard(meter: Meter, operation: str, left: Any, right: Any) -> Any:
    """What `Meter` leaves to Python: formats with ``%``, and calls of what is not plain."""
    if operation == "%":
        return guard_percent(meter, left, right)
    args, kwargs = right
    meter.charge(_CALL_COST)
    return _call(meter, left, args, kwargs)


def _call(meter: Meter, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if getattr(type(function), "takes_meter", False):
        return function(meter, *args, **kwargs)
    owner = getattr(type(function), "__self__", None) and function.__self__
    if type(owner) in GUARDS:
        name = function.__name__
        guard = GUARDS[type(owner)].get(name, _unknown)
        result = guard(meter, owner, name, args, kwargs) if guard else NotImplemented
        return function(*args, **kwargs) if result is NotImplemented else result
    if isinstance(function, BlockReference):
        meter.charge(meter.whole_cost)
        return meter.text(function())
    for value in (owner, *args, *kwargs.values()):
        meter.measure(value)
    return function(*args, **kwargs)


def _unknown(meter: Meter, value: Any, name: str, args: Any, kwargs: Any) -> Any:
    raise SecurityError(f"chat templates can't call {type(value).__name__}.{name}")
