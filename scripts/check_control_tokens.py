"""Check that user text can't become control tokens, on real chat templates.

Takes a folder of ``*.jinja`` files (or single files). For each it makes a tokenizer that has the
control tokens of the template's literals, puts these tokens' texts into each string of the
conversations of ``chat_cases`` (dictionary keys too), also cut in two over neighbouring strings,
and compares the ids with what the rendering says. Exits with 1 where anything differs.

    python scripts/check_control_tokens.py FOLDER [FOLDER ...] [--every N]

The table says of each template how many conversations were checked, how many of them the
template refused (with the same message in both modes), of how many control tokens the text alone
can't tell who wrote them (see `written`), and how many conversations were wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from chat_cases import CONVERSATIONS, DOCUMENTS, TOOLS

from textcore import Tokenizer
from textcore.chat.errors import PromptError, TemplateFailure
from textcore.chat.guarded import literals_of
from textcore.chat.prompts import ChatPrompts
from textcore.pipeline.byte_characters import BYTE_CHARACTERS

# What control tokens look like, whatever the model.
_SHAPES = re.compile(
    r"<\|[^|<>\s]+\|>|<｜[^｜<>\s]+｜>|</?[a-z_]{3,}>|\[/?[A-Z_]{3,}\]|<[a-z_]+_of_[a-z]+>"
    r"|<(?:bos|eos|pad)>"
)
_BUILT = ("user", "assistant", "system", "tool")
SPECIAL = {"bos_token": "<s>", "eos_token": "</s>"}
_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
# Before and behind an injected token: a token next to one of them came from the conversation.
OPEN, CLOSE = "⟦7", "7⟧"
CLEAN = [name for name in CONVERSATIONS if name not in ("markup", "reasoning in content")]


def control_texts(template: str) -> list[str]:
    """What reads like a control token in the template's literals, or is built from roles.

    Or in what it writes for a conversation, where it is not the conversation's.
    """
    literals = literals_of(template).text
    found = dict.fromkeys([*SPECIAL.values(), *_SHAPES.findall(literals)])
    for opening, closing in (("<|", "|>"), ("<｜", "｜>")):
        if re.search(re.escape(opening) + r"(?:\0|$)", literals):
            found |= dict.fromkeys(f"{opening}{role}{closing}" for role in _BUILT)
    given = json.dumps([CONVERSATIONS, TOOLS, DOCUMENTS], ensure_ascii=False)
    compiled = ChatPrompts({**SPECIAL, "chat_template": template})
    for name in CLEAN:
        made = [
            set(_SHAPES.findall(text))
            for tools in (TOOLS, renamed(TOOLS, _TOOL_KEYS), renamed(TOOLS, _NEEDED_KEYS))
            if (text := rendered(compiled, name, tools)) is not None
        ]
        # What other keys of a schema would not have made is the conversation's, too.
        found |= dict.fromkeys(t for t in set.intersection(*made or [set()]) if t not in given)
    return list(found)


def rendered(compiled: ChatPrompts, name: str, tools: list[Any]) -> str | None:
    """A conversation's prompt; None where the template refuses it."""
    try:
        return compiled.render(CONVERSATIONS[name], tools, DOCUMENTS)
    except (TemplateFailure, PromptError):
        return None


_TOOL_KEYS = frozenset({"type", "function", "name", "description", "parameters", "properties"})
_NEEDED_KEYS = _TOOL_KEYS | {"required"}


def renamed(value: Any, kept: frozenset[str]) -> Any:
    """Tools with other names for all keys of their schemas but those that templates need."""
    if isinstance(value, list):
        return [renamed(item, kept) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key if key in kept else f"{key}_q": renamed(
            item, frozenset({"type", "description"}) if key == "properties" else kept
        )
        for key, item in value.items()
    }


def byte_tokenizer(tokens: list[str], template: str, **fields: Any) -> Tokenizer:
    """A tokenizer with an id for each byte and for each token: special ones, every other.

    ``fields`` replace parts of its tokenizer.json.
    """
    vocab = {character: byte for byte, character in enumerate(BYTE_CHARACTERS)}
    added = [
        {
            "id": 256 + index,
            "content": token,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": index % 2 == 0 or token in SPECIAL.values(),
        }
        for index, token in enumerate(tokens)
    ]
    spec = {
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": {**_BYTE_LEVEL, "use_regex": True},
        "post_processor": None,
        "decoder": _BYTE_LEVEL,
        "model": {"type": "BPE", "vocab": vocab, "merges": []},
        **fields,
    }
    return Tokenizer(spec, {**SPECIAL, "chat_template": template})


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all strings in plain data; a dictionary's key is (..., key, None)."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            if path and path[-1] in ("arguments", "properties", "deep"):
                yield (*path, key, None)
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def inject(value: Any, path: tuple[Any, ...], before: str, after: str) -> Any:
    """``value`` with text around the string at a path; copied where it changes."""
    if not path:
        return before + value + after
    step, rest = path[0], path[1:]
    if rest == (None,):
        return {(before + k + after if k == step else k): item for k, item in value.items()}
    result = value.copy()
    result[step] = inject(value[step], rest, before, after)
    return result


class Written(NamedTuple):
    """A control token's text in a prompt; ``by_template`` is None where nothing tells."""

    token: str
    by_template: bool | None


def written(text: str, tokens: list[str]) -> list[Written]:
    """The control tokens of a prompt, the leftmost, longest: which of them were injected.

    Those between OPEN and CLOSE were, those that touch neither were not. One that touches
    only one of them may be either: templates cut at ``</think>``, and write one of their own.
    """
    pattern = re.compile("|".join(map(re.escape, sorted(tokens, key=len, reverse=True))))
    found = []
    for match in pattern.finditer(text):
        opened = text.endswith(OPEN, 0, match.start())
        closed = text.startswith(CLOSE, match.end())
        found.append(Written(match.group(), not opened if opened == closed else None))
    return found


def agrees(found: list[str], expected: list[Written]) -> bool:
    """Whether these are the template's tokens, with or without those that nothing tells of."""
    reached = {0}
    for token, by_template in expected:
        taken = {at + 1 for at in reached if at < len(found) and found[at] == token}
        if by_template is None:
            reached |= taken
        elif by_template:
            reached = taken
    return len(found) in reached


class Result(NamedTuple):
    """What is wrong with the ids of a conversation (None: nothing), and what nothing tells of."""

    problem: str | None = None
    refused: bool = False
    undecided: int = 0


def check(tokenizer: Tokenizer, data: dict[str, Any], **arguments: Any) -> Result:
    """Check one conversation.

    ``data`` has the messages, tools and documents; injected tokens stand between OPEN and CLOSE.
    """
    control = tokenizer.added_tokens
    try:
        text = tokenizer.apply_chat_template(**data, **arguments, tokenize=False)
    except (TemplateFailure, PromptError) as error:
        try:
            tokenizer.apply_chat_template(**data, **arguments, sanitize_control_tokens=True)
        except (TemplateFailure, PromptError) as other:
            same = str(other) == str(error)
            return Result(None if same else f"refuses: {other}, not {error}", True)
        return Result(f"does not refuse: {error}", True)
    ids = tokenizer.apply_chat_template(**data, **arguments, sanitize_control_tokens=True)
    if (decoded := tokenizer.decode(ids)) != text:
        return Result(f"decodes to {decoded!r}, not {text!r}")
    by_id = {number: token for token, number in control.items()}
    found = [by_id[number] for number in filter(by_id.__contains__, ids)]
    expected = written(text, list(control))
    if not agrees(found, expected):
        return Result(f"control tokens {found}, not {expected} in {text!r}")
    if OPEN not in text and CLOSE not in text:
        plain = tokenizer.apply_chat_template(**data, **arguments)
        if ids != plain:
            return Result(f"other ids than ordinarily: {text!r}")
    return Result(undecided=sum(each.by_template is None for each in expected))


class Report(NamedTuple):
    checked: int
    refused: int
    undecided: int
    problems: list[str]


def injections(data: dict[str, Any], tokens: list[str]) -> Iterator[dict[str, Any]]:
    """The data itself; with each token in each string; and cut in two over neighbours."""
    yield data
    paths = list(places(data))
    for token in tokens:
        half = len(token) // 2
        for path in paths:
            yield inject(data, path, "", f"{OPEN}{token}{CLOSE}")
            yield inject(data, path, f"{OPEN}{token}{CLOSE}", "")
        for path, following in pairwise(paths):
            if path[-1] is not None and following[-1] is not None:
                first = inject(data, path, "", OPEN + token[:half])
                yield inject(first, following, token[half:] + CLOSE, "")


def check_template(template: str, every: int) -> Report:
    """Check one template over the conversations, one in ``every`` of the injections."""
    tokens = control_texts(template)
    tokenizer = byte_tokenizer(tokens, template)
    checked = refused = undecided = number = 0
    problems = []
    for name in CLEAN:
        data = {"messages": CONVERSATIONS[name], "tools": TOOLS, "documents": DOCUMENTS}
        for changed in injections(data, tokens):
            number += 1
            if changed is not data and number % every:
                continue
            checked += 1
            result = check(tokenizer, changed)
            refused += result.refused
            undecided += result.undecided
            if result.problem is not None:
                problems.append(f"{name}: {result.problem}")
    return Report(checked, refused, undecided, problems)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("places", type=Path, nargs="+", help="folders of *.jinja, or files")
    parser.add_argument("--every", type=int, default=1, help="check one injection in so many")
    parser.add_argument("--show", type=int, default=1, help="problems shown a template")
    options = parser.parse_args()
    total = 0
    print(f"{'checked':>8} {'refused':>8} {'undecided':>9} {'wrong':>6}  template")
    for place in options.places:
        for path in sorted(place.glob("*.jinja")) if place.is_dir() else [place]:
            report = check_template(path.read_text(encoding="utf-8"), options.every)
            print(
                f"{report.checked:8} {report.refused:8} {report.undecided:9} "
                f"{len(report.problems):6}  {path.stem}",
                flush=True,
            )
            for problem in report.problems[: options.show]:
                print(f"    {problem}")
            total += len(report.problems)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
