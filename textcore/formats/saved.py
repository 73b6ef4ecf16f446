"""The form that ``Tokenizer.save`` writes: tables as they are in memory, ready to use.

A file is a header of 16 bytes (``textcore``, the version, the Adler-32 of the rest; numbers
little-endian), the length of the index and the index, which is JSON, and then tables, each
at a multiple of 64 bytes. The index has the components but for the vocabulary, and where
each table is. What is only needed by some calls (texts of tokens, decoding) is made when
it is first asked for.

A damaged file is refused, and no file makes compiled code read outside of its memory; but
tables are believed to belong to the vocabulary beside them. So load files from where you
would load code.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby, starmap
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textcore.errors import SpecError, UnsupportedError
from textcore.formats.saved_models import numbers, packed, read_model, write_model
from textcore.pipeline.added_tokens import AddedToken
from textcore.pipeline.fields import RustPattern
from textcore.pipeline.patterns import Pattern
from textcore.pipeline.patterns.automaton import Tables
from textcore.pipeline.patterns.joining import Joint
from textcore.pipeline.patterns.matching import Key, Prepared, Run, joint_run
from textcore.pipeline.patterns.windows import Windows
from textcore.pipeline.pre_tokenizers import GPT2_PATTERN, flatten
from textcore.pipeline.sentencepiece import PieceDecoder, PieceNormalizer
from textcore.pipeline.spec import shorten
from textcore.pipeline.splitters import PreTokenizer

if TYPE_CHECKING:
    from textcore.pipeline.assemble import Pipeline

MAGIC = b"textcore"
VERSION = 9
HEADER = 16
ALIGNMENT = 64
PARTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "truncation", "padding")

_RUST, _NORMALIZER, _DECODER = "\0rust", "\0PieceNormalizer", "\0PieceDecoder"


# ---------------------------------------------------------------- writing


def to_bytes(pipeline: Pipeline, prompts: Mapping[str, Any]) -> bytes:
    """A tokenizer as the bytes of a file. Raises UnsupportedError."""
    model = pipeline.model
    if sys.byteorder != "little":
        raise UnsupportedError("", "saving needs a little-endian machine")
    tables: dict[str, bytes] = {}
    index: dict[str, Any] = {
        "parts": {key: _plain(pipeline.parts.get(key), tables) for key in PARTS},
        "added_tokens": _runs(pipeline.added_tokens),
    }
    index |= {
        "model": write_model(model, pipeline.added_tokens, tables),
        "patterns": [
            _write_pattern(number, pattern, tables)
            for number, pattern in enumerate(_patterns(pipeline.pre_tokenizer))
        ],
        "joints": [
            _write_joint(f"joint{number}", run.patterns, run.joint, run.windows, tables)
            for number, run in enumerate(pipeline.runs)
            if run.joint is not None
        ],
        "prompts": prompts,
        "cache_lines": pipeline.cache_lines,
        "prompt_cache": pipeline.prompt_cache,
    }
    return _pack(index, tables)


def _pack(index: dict[str, Any], tables: Mapping[str, bytes]) -> bytes:
    places: dict[str, tuple[int, int]] = {}
    at = 0
    for name, table in tables.items():
        places[name] = (at, len(table))
        at += -(-len(table) // ALIGNMENT) * ALIGNMENT
    described = json.dumps({**index, "tables": places}, separators=(",", ":")).encode()
    front = len(described).to_bytes(8, "little") + described
    front += bytes(-(HEADER + len(front)) % ALIGNMENT)
    body = bytearray(front)
    for table in tables.values():
        body += table
        body += bytes(-len(table) % ALIGNMENT)
    checksum = zlib.adler32(body)
    return MAGIC + VERSION.to_bytes(4, "little") + checksum.to_bytes(4, "little") + bytes(body)


def _patterns(pre_tokenizer: PreTokenizer | None) -> Iterator[Pattern]:
    """The patterns worth keeping: GPT-2's is made once for all tokenizers anyway."""
    if pre_tokenizer is None:
        return
    for step in flatten(pre_tokenizer):
        finder = getattr(step, "finder", None)
        if not isinstance(finder, Pattern) or finder.pattern == GPT2_PATTERN:
            continue
        if finder.engine == "automaton":
            yield finder


def _write_pattern(number: int, pattern: Pattern, tables: dict[str, bytes]) -> dict[str, Any]:
    made = pattern.tables
    assert made is not None
    _write_classes(f"pattern{number}", made, tables)
    return {
        "dialect": pattern.dialect,
        "pattern": pattern.pattern,
        "moves": made.moves,
        "starts": made.starts,
        "windows": _write_windows(pattern.windows),
    }


def _write_joint(
    name: str,
    patterns: tuple[Key, ...],
    joint: Joint,
    windows: Windows | None,
    tables: dict[str, bytes],
) -> dict[str, Any]:
    _write_classes(name, joint, tables)
    return {
        "name": name,
        "patterns": patterns,
        "cuts": joint.cuts,
        "windows": _write_windows(windows),
    }


def _write_classes(name: str, made: Tables | Joint, tables: dict[str, bytes]) -> None:
    tables[f"{name}.block_of"] = packed("H", made.block_of)
    tables[f"{name}.blocks"] = made.blocks


def _write_windows(windows: Windows | None) -> dict[str, Any] | None:
    if windows is None:
        return None
    return {
        name: value.hex() if isinstance(value, bytes) else value
        for name, value in vars(windows).items()
    }


def _plain(part: Any, tables: dict[str, bytes]) -> Any:
    """A component's description as JSON; what other formats put there, under marked keys.

    What is large goes to ``tables``.
    """
    if isinstance(part, RustPattern):
        return {_RUST: str(part)}
    if isinstance(part, PieceNormalizer):
        return {_NORMALIZER: [_write_rules(part, tables), part.flags]}
    if isinstance(part, PieceDecoder):
        return {_DECODER: [part.strip, part.strip_all, dict(part.byte_pieces), part.rules]}
    if isinstance(part, dict):
        return {key: _plain(value, tables) for key, value in part.items()}
    if isinstance(part, list):
        return [_plain(item, tables) for item in part]
    if part is None or isinstance(part, (str, int, float)):
        return part
    raise UnsupportedError("", f"a component made in Python can't be saved: {type(part).__name__}")


def _write_rules(part: PieceNormalizer, tables: dict[str, bytes]) -> str:
    """Put a normalizer's tables beside the others; what their names begin with."""
    name = f"rules{len(tables)}."
    described = [dict(part.rules), sorted(part.symbols)]
    tables[name + "described"] = json.dumps(described, separators=(",", ":")).encode()
    tables |= {name + key: table for key, table in part.compiled.tables().items()}
    return name


def write(path: str | Path, data: bytes) -> None:
    """Put ``data`` at ``path``, whole or not at all."""
    path = Path(path)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(data)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


# What an added token has beside its text and id, in the order in which it takes them.
_FLAGS = tuple(name for name in AddedToken.__slots__ if name not in ("content", "id"))
_flags_of = attrgetter(*_FLAGS)


def _runs(tokens: Iterable[AddedToken]) -> list[list[Any]]:
    """Added tokens, which may be a thousand alike: flags, texts and ids of each run."""
    runs = []
    for flags, alike in groupby(tokens, _flags_of):
        run = list(alike)
        runs.append([flags, [token.content for token in run], [token.id for token in run]])
    return runs


# ---------------------------------------------------------------- reading


class Saved:
    """What is in a file. Raises SpecError for one that is damaged or of another version."""

    def __init__(self, data: bytes | mmap.mmap) -> None:
        try:
            self._read(memoryview(data))
        except SpecError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise SpecError("", f"a damaged file: {error}") from None

    def _read(self, view: memoryview) -> None:
        if len(view) < HEADER + 8 or view[:8] != MAGIC:
            raise SpecError("", "no file that save() wrote, or cut short")
        version = int.from_bytes(view[8:12], "little")
        if version != VERSION:
            raise UnsupportedError("", f"saved in version {version}; supported: {VERSION}")
        if sys.byteorder != "little":
            raise UnsupportedError("", "saved tables need a little-endian machine")
        if zlib.adler32(view[HEADER:]) != int.from_bytes(view[12:16], "little"):
            raise SpecError("", "damaged: the checksum is wrong")
        size = int.from_bytes(view[16:24], "little")
        index = json.loads(bytes(view[24 : 24 + size]))
        first = -(-(24 + size) // ALIGNMENT) * ALIGNMENT
        tables = {}
        for name, (at, length) in index["tables"].items():
            if not 0 <= first + at <= first + at + length <= len(view):
                raise SpecError("", f"damaged: table {name} is outside of the file")
            tables[name] = view[first + at : first + at + length]
        self.spec: dict[str, Any] = {
            **{key: _given(part, tables) for key, part in index["parts"].items()},
            "model": read_model(index["model"], tables),
            "added_tokens": tuple(chain.from_iterable(starmap(_read_run, index["added_tokens"]))),
        }
        self.prepared = Prepared(
            {
                (about["dialect"], about["pattern"]): _read_pattern(number, about, tables)
                for number, about in enumerate(index["patterns"])
            },
            {run.patterns: run for run in (_read_joint(j, tables) for j in index["joints"])},
        )
        self.prompts: dict[str, Any] = index["prompts"]
        self.cache_lines: int = index["cache_lines"]
        if type(self.cache_lines) is not int or self.cache_lines.bit_count() != 1:
            raise SpecError("", f"damaged: {self.cache_lines} cache lines")
        self.prompt_cache: int = index["prompt_cache"]
        if type(self.prompt_cache) is not int or self.prompt_cache < 0:
            raise SpecError("", f"damaged: a prompt cache of {shorten(self.prompt_cache)} bytes")


def _read_run(
    flags: list[bool], contents: list[str], ids: list[int | None]
) -> Iterator[AddedToken]:
    """Added tokens that follow each other and have the same flags, as ``_runs`` writes them."""
    if (
        [type(flag) for flag in flags] != [bool] * len(_FLAGS)
        or set(map(type, contents)) != {str}
        or not set(map(type, ids)) <= {int, type(None)}
    ):
        raise SpecError("", f"damaged: added tokens {shorten([flags, contents, ids])}")
    single_word, lstrip, rstrip, normalized, special, in_text = flags
    for content, token_id in zip(contents, ids, strict=True):
        yield AddedToken(
            content, single_word, lstrip, rstrip, normalized, special, token_id, in_text
        )


def _read_pattern(
    number: int, about: Mapping[str, Any], tables: Mapping[str, memoryview]
) -> tuple[Tables, Windows | None]:
    block_of, blocks = _read_classes(f"pattern{number}", tables)
    moves = tuple(map(tuple, about["moves"]))
    made = Tables(block_of, blocks, moves, tuple(about["starts"]))
    return made, _read_windows(about["windows"])


def _read_joint(about: Mapping[str, Any], tables: Mapping[str, memoryview]) -> Run:
    block_of, blocks = _read_classes(about["name"], tables)
    joint = Joint(block_of, blocks, tuple(map(tuple, about["cuts"])))
    patterns = tuple((dialect, pattern) for dialect, pattern in about["patterns"])
    return joint_run(patterns, joint, _read_windows(about["windows"]))


def _read_classes(name: str, tables: Mapping[str, memoryview]) -> tuple[tuple[int, ...], bytes]:
    block_of = tuple(numbers("H", bytes(tables[f"{name}.block_of"])))
    return block_of, bytes(tables[f"{name}.blocks"])


def _read_windows(about: Mapping[str, Any] | None) -> Windows | None:
    if about is None:
        return None
    values: dict[str, Any] = {
        name: bytes.fromhex(value) if isinstance(value, str) else value
        for name, value in about.items()
    }
    return Windows(**values)


def _given(part: Any, tables: Mapping[str, memoryview]) -> Any:
    """What :func:`_plain` made JSON of."""
    if isinstance(part, list):
        return [_given(item, tables) for item in part]
    if not isinstance(part, dict):
        return part
    if _RUST in part:
        return RustPattern(part[_RUST])
    if _NORMALIZER in part:
        name, flags = part[_NORMALIZER]
        return _read_rules(name, flags, tables)
    if _DECODER in part:
        return PieceDecoder(*part[_DECODER])
    return {key: _given(value, tables) for key, value in part.items()}


def _read_rules(
    name: str, flags: Mapping[str, bool], tables: Mapping[str, memoryview]
) -> PieceNormalizer:
    own = {key.removeprefix(name): table for key, table in tables.items() if key.startswith(name)}
    described = own["described"]
    return PieceNormalizer.restored(own, flags, lambda: tuple(json.loads(bytes(described))))


def is_saved(start: bytes) -> bool:
    """Whether a file that begins with ``start`` is one that ``save`` wrote."""
    return start[: len(MAGIC)] == MAGIC


def read(path: str | Path) -> Saved:
    """The contents of a file, read by mapping it into memory."""
    with open(path, "rb") as stream:
        if os.fstat(stream.fileno()).st_size == 0:
            raise SpecError("", "an empty file")
        return Saved(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
