"""Encodings by name.

What an encoding is made of comes from the modules of the namespace package
``tiktoken_ext``, by whoever installs them: ``tiktoken`` itself (which downloads ranks and
keeps them) or packages that carry ranks.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Sequence
from threading import RLock
from typing import Any

from textcore.compat.tiktoken.encoding import ENCODINGS, Encoding
from textcore.compat.tiktoken.names import encoding_name_for_model

_LOCK = RLock()
_CONSTRUCTORS: dict[str, Callable[[], dict[str, Any]]] = {}


def _plugin_modules() -> Sequence[str]:
    try:
        import tiktoken_ext
    except ImportError:
        return []
    found = pkgutil.iter_modules(tiktoken_ext.__path__, tiktoken_ext.__name__ + ".")
    return [name for _, name, _ in found]


def _find_constructors() -> None:
    found: dict[str, Callable[[], dict[str, Any]]] = {}
    for name in _plugin_modules():
        module = importlib.import_module(name)
        if not hasattr(module, "ENCODING_CONSTRUCTORS"):
            raise ValueError(f"tiktoken plugin {name} does not define ENCODING_CONSTRUCTORS")
        for encoding, constructor in module.ENCODING_CONSTRUCTORS.items():
            if encoding in found:
                raise ValueError(f"Duplicate encoding name {encoding} in tiktoken plugin {name}")
            found[encoding] = constructor
    _CONSTRUCTORS.update(found)


def get_encoding(encoding_name: str) -> Encoding:
    """The encoding of a name, made once. Raises ValueError for one that nobody provides."""
    if not isinstance(encoding_name, str):
        raise ValueError(f"Expected a string in get_encoding, got {type(encoding_name)}")
    with _LOCK:
        if encoding_name not in ENCODINGS:
            if not _CONSTRUCTORS:
                _find_constructors()
            if encoding_name not in _CONSTRUCTORS:
                raise ValueError(
                    f"Unknown encoding {encoding_name}.\n"
                    f"Plugins found: {_plugin_modules()}\n"
                    f"tiktoken version: {sys.modules[__package__].__version__} "
                    "(are you on latest?)"
                )
            ENCODINGS[encoding_name] = Encoding(**_CONSTRUCTORS[encoding_name]())
        return ENCODINGS[encoding_name]


def encoding_for_model(model_name: str) -> Encoding:
    """The encoding that a model uses. Raises KeyError for one not known."""
    return get_encoding(encoding_name_for_model(model_name))


def list_encoding_names() -> list[str]:
    """The names of the encodings that somebody provides."""
    with _LOCK:
        if not _CONSTRUCTORS:
            _find_constructors()
        return list(_CONSTRUCTORS)
