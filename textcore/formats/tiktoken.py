"""Reading ``.tiktoken`` files: one token a line, in base64, and its rank.

Source of the format: OpenAI's ``tiktoken`` (``load_tiktoken_bpe``). What such a file leaves
open, pattern and special tokens, comes from the encoding that it was published with
(:mod:`textcore.formats.encodings`) or from the caller; it is never guessed.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from typing import Any

from textcore.errors import SpecError
from textcore.formats.encodings import BY_NAME, RankEncoding, of_ranks
from textcore.pipeline.added_tokens import AddedToken
from textcore.pipeline.fields import RustPattern, check_text
from textcore.pipeline.ranked import RankedBPE, stand_ins
from textcore.pipeline.spec import shorten
from textcore.pipeline.vocab import ID_LIMIT

_FIRST_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2} [0-9]{1,10}\r?\n")


def is_rank_file(start: bytes) -> bool:
    """Whether a file that begins with ``start`` is one of ranks."""
    return _FIRST_LINE.match(start) is not None


def read_ranks(data: bytes) -> dict[bytes, int]:
    """The ranks of tokens by their bytes. Raises SpecError with the line that is wrong."""
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        fields = line.split()
        if not fields:
            continue
        place = f"line {number}"
        if len(fields) != 2:
            raise SpecError(place, f"expected a token in base64 and its rank, found {_show(line)}")
        try:
            token = base64.b64decode(fields[0], validate=True)
        except (binascii.Error, ValueError):
            raise SpecError(place, f"{_show(fields[0])} is not base64") from None
        if not fields[1].isdigit() or len(fields[1]) > 10 or int(fields[1]) >= ID_LIMIT:
            raise SpecError(
                place, f"expected a rank from 0 to 2**31 - 1, found {_show(fields[1])}"
            )
        if token in ranks:
            raise SpecError(place, f"the token {_show(token)} is there twice")
        ranks[token] = int(fields[1])
    if not ranks:
        raise SpecError("", "has no ranks")
    return ranks


def _show(data: bytes) -> str:
    return shorten(data[:61].decode("utf-8", "backslashreplace"))


def digest_of(ranks: Mapping[bytes, int]) -> str:
    """The SHA-256 by which published ranks are known, in hexadecimal."""
    hashed = hashlib.sha256()
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        hashed.update(b"%b %d\n" % (base64.b64encode(token), rank))
    return hashed.hexdigest()


def find_encoding(ranks: Mapping[bytes, int], name: str | None) -> RankEncoding | None:
    """The published encoding of ``ranks``: the one of that name, or the usual one.

    Raises ValueError for a name that is not known or belongs to other ranks.
    """
    found = of_ranks(digest_of(ranks))
    if name is None:
        return found[0] if found else None
    if name not in BY_NAME:
        raise ValueError(f"unknown encoding {name!r}; known: {', '.join(BY_NAME)}")
    if BY_NAME[name] not in found:
        fitting = ", ".join(encoding.name for encoding in found) or "no known encoding"
        raise ValueError(f"the ranks are not those of {name}, but of {fitting}")
    return BY_NAME[name]


def rank_spec(
    ids: Mapping[bytes, int],
    pattern: str,
    added_tokens: tuple[AddedToken, ...],
    form: str | None = None,
    place: str = "",
) -> dict[str, Any]:
    """A specification, as of a tokenizer.json, of a model of ranks.

    It holds objects where a tokenizer.json has JSON, so it can't be written as one.
    """
    model = RankedBPE(ids, place)
    # An added token is its text, not the bytes that its characters may stand for.
    model.surfaces = {
        t.id: stand_ins(t.content.encode()) for t in reversed(added_tokens) if t.id is not None
    }
    return {
        "normalizer": None if form is None else {"type": form},
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {
                    "type": "Split",
                    "pattern": {"Regex": RustPattern(pattern)},
                    "behavior": "Isolated",
                    "invert": False,
                },
                {
                    "type": "ByteLevel",
                    "add_prefix_space": False,
                    "trim_offsets": False,
                    "use_regex": False,
                },
            ],
        },
        "decoder": {
            "type": "ByteLevel",
            "add_prefix_space": False,
            "trim_offsets": False,
            "use_regex": False,
        },
        "model": model,
        "added_tokens": added_tokens,
    }


def tiktoken_spec(
    data: bytes,
    *,
    encoding: str | None = None,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    config: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The specification of a file of ranks.

    ``encoding`` names the published encoding, where several share their ranks.
    ``pattern`` (dialect "rust") and ``special_tokens`` (text to id) say what a file that is
    not known leaves open; given for one that is known, they replace what is known.
    ``config`` is the tokenizer_config.json beside the file: special tokens that it names
    are added to the encoding's, or take the place of those with the same ids.

    Raises SpecError, and ValueError for arguments that don't fit the file.
    """
    ranks = read_ranks(data)
    known = find_encoding(ranks, encoding)
    if known is None and pattern is None:
        raise SpecError(
            "",
            "these ranks are not of a known encoding, and a file of ranks does not say how "
            "texts are split: name it by pattern= (and special_tokens=)",
        )
    if special_tokens is None:
        special = {} if known is None else dict(known.special_tokens)
        special = _with_config(special, config or {})
    else:
        special = dict(special_tokens)
    if pattern is None:
        assert known is not None
        pattern = known.pattern
    form = None if known is None else known.form
    return rank_spec(ranks, pattern, added_tokens(special, ranks), form)


def _with_config(special: dict[str, int], config: Mapping[str, Any]) -> dict[str, int]:
    """Special tokens with those of a tokenizer_config.json's ``added_tokens_decoder``."""
    listed = config.get("added_tokens_decoder")
    if not isinstance(listed, dict):
        return special
    named = {}
    for key, entry in listed.items():
        if isinstance(entry, dict) and isinstance(entry.get("content"), str) and key.isdigit():
            named[entry["content"]] = int(key)
    taken = set(named.values())
    kept = {text: i for text, i in special.items() if i not in taken and text not in named}
    return {**kept, **named}


def added_tokens(special: Mapping[str, int], ranks: Mapping[bytes, int]) -> tuple[AddedToken, ...]:
    """Special tokens as added ones with the ids given. Raises SpecError."""
    used = set(ranks.values())
    tokens = []
    for text, token_id in special.items():
        place = f"special_tokens[{shorten(text)}]"
        check_text(text, place)
        if type(token_id) is not int or not 0 <= token_id < ID_LIMIT:
            raise SpecError(
                place, f"expected an id from 0 to 2**31 - 1, found {shorten(token_id)}"
            )
        if not text:
            raise SpecError(place, "an empty special token")
        if token_id in used:
            raise SpecError(place, f"the id {token_id} is that of an ordinary token")
        tokens.append(AddedToken(text, normalized=False, special=True, id=token_id))
    return tuple(tokens)
