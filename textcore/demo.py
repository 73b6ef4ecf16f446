"""The main job of the command line: every part of the text boundary, shown and measured.

Each record is a dict that JSON can carry. Speeds are tokens per second of one thread, the
median of rounds in which textcore and, where it is installed, the reference take turns.
"""

from __future__ import annotations

import random
import statistics
import string
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from textcore import (
    CHATML_TEMPLATE,
    IncrementalDetokenizer,
    OutputParser,
    StopChecker,
    Tokenizer,
    render_chat,
)

Encode = Callable[[str], list[int]]
Record = dict[str, Any]

ROUNDS = 5
WORDS = 20_000
REPETITIVE = "The quick brown fox jumps over the lazy dog, and the dog doesn't mind it. " * 2_000
# One emoji to a reader: four people and three zero-width joiners.
FAMILY = "A family \U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 of four."
ANSWER = "The capital of France is Paris. END OF ANSWER And here it goes on."
STOP = "END OF ANSWER"
MESSAGES = [
    {"role": "user", "content": "What is the weather in Paris?"},
    {"role": "assistant", "content": "Sunny, 24 °C."},
    {"role": "user", "content": "And tomorrow?"},
]
RESPONSE = (
    "<think>\nThe user asks about tomorrow: look it up.\n</think>\n\n"
    "Let me look.\n"
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "day": 1}}\n</tool_call>'
)


def random_words(count: int, seed: int) -> str:
    """``count`` different words of 5 to 12 random letters, so that no cache has any."""
    source = random.Random(seed)
    words: dict[str, None] = {}
    while len(words) < count:
        words["".join(source.choices(string.ascii_lowercase, k=source.randint(5, 12)))] = None
    return " ".join(words)


def reference(model_dir: Path) -> Encode | None:
    """The same encoder of ``tokenizers``, where both it and its file are there."""
    path = model_dir / "tokenizer.json"
    try:
        from tokenizers import Tokenizer as Reference
    except ImportError:
        return None
    if not path.is_file():
        return None
    peer = Reference.from_file(str(path))
    peer.no_truncation()
    peer.no_padding()
    return lambda text: list(peer.encode(text, add_special_tokens=False).ids)


def speed_record(name: str, encoders: dict[str, Encode], texts: list[str]) -> Record:
    """Time the encoders on each text in turns, and compare what they give."""
    rates: dict[str, list[float]] = {library: [] for library in encoders}
    results: dict[str, list[int]] = {}
    same = True
    for text in texts:
        for library, encode in encoders.items():
            start = time.perf_counter()
            results[library] = encode(text)
            seconds = time.perf_counter() - start
            rates[library].append(len(results[library]) / max(seconds, 1e-9))
        same = same and all(ids == results["textcore"] for ids in results.values())
    return {
        "part": "encode",
        "text": name,
        "characters": len(texts[-1]),
        "tokens": len(results["textcore"]),
        "tokens_per_s": {name: round(statistics.median(all_)) for name, all_ in rates.items()},
        "identical_ids": same if len(encoders) > 1 else None,
    }


def stream_record(tokenizer: Tokenizer) -> Record:
    """Decoding each id by itself breaks characters; incremental deltas don't."""
    ids = tokenizer.encode(FAMILY)
    stream = IncrementalDetokenizer(tokenizer)
    deltas = [stream.add(token) for token in ids]
    deltas.append(stream.flush())
    return {
        "part": "stream",
        "ids": ids,
        "decoded_one_by_one": [tokenizer.decode([token]) for token in ids],
        "deltas": deltas,
        "equal_to_decode": "".join(deltas) == tokenizer.decode(ids, skip_special_tokens=True),
    }


def stop_record(tokenizer: Tokenizer) -> Record:
    """A stop string that no single delta holds."""
    stream, checker = IncrementalDetokenizer(tokenizer), StopChecker([STOP])
    released: list[str] = []
    for token in tokenizer.encode(ANSWER):
        released.append(checker.add(stream.add(token)))
        if checker.stopped is not None:
            break
    released.append(checker.finish())
    return {
        "part": "stop",
        "stop": STOP,
        "deltas": released,
        "stopped": checker.stopped,
        "text": checker.text,
    }


def chat_record(tokenizer: Tokenizer) -> Record:
    """A rendered prompt: the model's own template, or ChatML where it has none."""
    own = tokenizer.chat_template is not None
    if own:
        prompt = tokenizer.apply_chat_template(MESSAGES, tokenize=False)
    else:
        prompt = render_chat(CHATML_TEMPLATE, MESSAGES)
    return {
        "part": "chat",
        "template": "model" if own else "ChatML",
        "tokens": tokenizer.count(prompt),
        "tail": prompt[-60:],
    }


def merged_calls(deltas: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The whole tool calls that a stream's deltas add up to, as an API client joins them."""
    calls: dict[int, dict[str, Any]] = {}
    for part in (part for delta in deltas for part in delta.get("tool_calls") or ()):
        call = calls.setdefault(part["index"], {"function": {"name": "", "arguments": ""}})
        call.update({key: part[key] for key in ("id", "type") if part.get(key)})
        for key, text in part.get("function", {}).items():
            call["function"][key] += text or ""
    return [calls[index] for index in sorted(calls)]


def parse_record(tokenizer: Tokenizer) -> Record:
    """A response with reasoning and a tool call, streamed token by token into API deltas."""
    stream, parser = IncrementalDetokenizer(tokenizer), OutputParser(reasoning=True, tools=True)
    deltas: list[dict[str, Any]] = []
    for token in tokenizer.encode(RESPONSE):
        deltas.extend(parser.feed(stream.add(token)))
    deltas.extend(parser.feed(stream.flush(), final=True))
    return {
        "part": "parse",
        "reasoning_content": "".join(d.get("reasoning_content") or "" for d in deltas),
        "content": "".join(d.get("content") or "" for d in deltas),
        "tool_calls": merged_calls(deltas),
        "deltas": len(deltas),
    }


def records(model_dir: str | Path) -> Iterator[Record]:
    """The main job's records for the tokenizer in ``model_dir``, each when it is ready."""
    tokenizer = Tokenizer.from_dir(model_dir)
    encoders: dict[str, Encode] = {"textcore": tokenizer.encode}
    peer = reference(Path(model_dir))
    if peer is not None:
        encoders["tokenizers"] = peer
    yield speed_record("repetitive", encoders, [REPETITIVE] * ROUNDS)
    fresh = [random_words(WORDS, seed) for seed in range(ROUNDS)]
    yield speed_record("random words", encoders, fresh)
    yield stream_record(tokenizer)
    yield stop_record(tokenizer)
    yield chat_record(tokenizer)
    yield parse_record(tokenizer)
