"""Which tokenizer file a folder has, and which format a file is in.

A format is told by what the file contains: checkpoints call files of different formats by
the same names (``tokenizer.model``).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textcore.errors import SpecError, UnsupportedError
from textcore.formats.gguf import gguf_spec, is_gguf
from textcore.formats.huggingface import TOKENIZER_FILE, parse_tokenizer_json
from textcore.formats.sentencepiece import is_model_file, model_spec
from textcore.formats.tekken import is_tekken, tekken_spec
from textcore.formats.tiktoken import is_rank_file, tiktoken_spec
from textcore.formats.vocabularies import VOCAB_JSON, VOCAB_TXT, has_vocabulary, vocabulary_spec

# Names of tokenizer files, in the order of preference, then endings of which a folder may
# have one file.
NAMES = (TOKENIZER_FILE, "tekken.json", "tokenizer.model", "tiktoken.model")
ENDINGS = (".tiktoken", ".gguf", ".textcore")

# Keywords of read_spec that only some formats take.
SPEC_OPTIONS = ("encoding", "pattern", "special_tokens")


def find_file(folder: Path) -> Path:
    """The tokenizer file of a model's folder. Raises SpecError, or NotADirectoryError."""
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a directory")
    for name in NAMES:
        if (folder / name).is_file():
            return folder / name
    for ending in ENDINGS:
        found = sorted(folder.glob(f"*{ending}"))
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(path.name for path in found[:4])
            raise SpecError("", f"has several {ending} files: {names}", file=str(folder))
    vocabulary = has_vocabulary(folder)
    if vocabulary is not None:
        return vocabulary
    known = ", ".join([*NAMES, *(f"*{ending}" for ending in ENDINGS)])
    raise SpecError("", f"has no {known}", file=str(folder))


def read_spec(file: Path, config: Mapping[str, Any], **options: Any) -> dict[str, Any]:
    """The specification that a file holds, in whatever format it is.

    ``config`` is the tokenizer_config.json beside it. ``options``: see SPEC_OPTIONS.
    Raises SpecError, OSError, and TypeError for an option that the format doesn't take.
    """
    if file.name in (VOCAB_JSON, VOCAB_TXT):
        if options:
            raise TypeError(f"{', '.join(options)}: only for .tiktoken files")
        return vocabulary_spec(file, config)
    with open(file, "rb") as stream:
        start = stream.read(4096)
        if is_rank_file(start):
            return tiktoken_spec(start + stream.read(), config=config, **options)
        if options:
            # Only a file of ranks leaves anything open.
            raise TypeError(f"{', '.join(options)}: only for .tiktoken files, which {file} is not")
        # A .json file is JSON or wrong: the error then says where.
        if start.lstrip()[:1] == b"{" or file.suffix == ".json":
            spec = parse_tokenizer_json(start + stream.read())
            return tekken_spec(spec) if is_tekken(spec) else spec
        if is_gguf(start):
            return gguf_spec(stream)
        if is_model_file(start):
            return model_spec(start + stream.read())
    raise UnsupportedError("", "not a tokenizer file of a known format")
