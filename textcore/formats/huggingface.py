"""Reading a Hugging Face checkpoint's tokenizer files: the JSON, nothing of its meaning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from textcore.core.decimals import read_float
from textcore.core.vocabscan import scan_model
from textcore.errors import SpecError

TOKENIZER_FILE = "tokenizer.json"
CONFIG_FILE = "tokenizer_config.json"

# Under this key, a specification made from another format has what a tokenizer_config.json
# would say; a tuple, so that no JSON object has it.
OWN_CONFIG: Any = ("tokenizer_config",)


def parse_json(text: str | bytes, file: str | None = None) -> dict[str, Any]:
    """The JSON object in ``text``. Raises SpecError naming the file and the place in it."""
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise SpecError("", f"byte {error.start} is not UTF-8", file=file) from None
    try:
        data = json.loads(text, parse_constant=_no_constant, parse_float=read_float)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise SpecError(place, f"not JSON: {error.msg}", file=file) from None
    except RecursionError:
        raise SpecError("", "nested too deeply", file=file) from None
    except ValueError as error:
        raise SpecError("", f"not JSON: {error}", file=file) from None
    if not isinstance(data, dict):
        raise SpecError("", f"expected an object, found {type(data).__name__}", file=file)
    return data


def parse_tokenizer_json(text: str | bytes) -> dict[str, Any]:
    """:func:`parse_json`, with a BPE model's vocabulary and merges as tables where that can be.

    ``model.vocab`` is then a Vocabulary, and ``model.merges`` are Merges.
    """
    try:
        found = scan_model(text.encode() if isinstance(text, str) else text)
    except UnicodeEncodeError:
        found = None
    if found is None:
        return parse_json(text)
    rest, vocabulary, merges = found
    try:
        spec = parse_json(rest)
    except SpecError:
        # For the place of the fault in the whole text.
        return parse_json(text)
    model = spec["model"]
    affixes = model.get("continuing_subword_prefix"), model.get("end_of_word_suffix")
    if model.get("type", "BPE") != "BPE" or any(affixes):
        return parse_json(text)
    model["vocab"], model["merges"] = vocabulary, merges
    return spec


def read_json(path: str | Path) -> dict[str, Any]:
    """The JSON object in a file. Raises SpecError, or OSError where it can't be read."""
    return parse_json(Path(path).read_bytes(), str(path))


def read_optional_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file, or an empty one where there is no such file."""
    return read_json(path) if path.is_file() else {}


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")
