"""Merges, as a tokenizer.json lists them, for models that merge by what a pair spells.

tiktoken and SentencePiece give each *token* a rank: wherever two neighbours spell it, they may
merge, the leftmost first. A tokenizer.json gives each *pair* a rank of its own. So the pairs
of a token are listed one after the other, in an order that is right where two of them overlap
in a text (``x y z`` with ``x y`` and ``y z`` the same token: the left one first). Where no such
order is, as for runs of one character, and for what else may depend on the order, both models
are run on texts that are made to tell them apart; where they do, the model is refused.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping

from textcore.core.bpe import BPE
from textcore.core.bytelevel import byte_contents
from textcore.errors import UnsupportedError
from textcore.pipeline.bpe import BPEModel

Pair = tuple[int, int]
# Texts of so many tokens are tried, and runs up to so many times a token.
_TRIALS = 20_000
_RUN = 40


def exact_merges(model: BPEModel) -> list[tuple[str, str]]:
    """The merges of a model, the first rank first. Raises UnsupportedError."""
    texts = model.tokens
    by_rank: dict[int, list[Pair]] = defaultdict(list)
    made_by: dict[int, set[int]] = defaultdict(set)
    for rank, left, right, made in model.compiled.merges():
        by_rank[rank].append((left, right))
        made_by[rank].add(made)
    ordered = [pair for rank in sorted(by_rank) for pair in _ordered(by_rank[rank])]
    merges = [(texts[left], texts[right]) for left, right in ordered]
    shared = [rank for rank, pairs in by_rank.items() if len(pairs) > 1]
    doubtful = [token for rank in shared for token in sorted(made_by[rank])]
    if doubtful:
        _check(model, merges, doubtful)
    return merges


def _ordered(pairs: list[Pair]) -> list[Pair]:
    """The pairs of one token, each before those that begin with what it ends with."""
    if len(pairs) == 1:
        return pairs
    begins: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        begins[pair[0]].append(pair)
    waits = dict.fromkeys(pairs, 0)
    for _, right in pairs:
        for other in begins.get(right, ()):
            waits[other] += 1
    todo, out = sorted(pairs, reverse=True), []
    while todo:
        # Of pairs that wait for each other, the shorter beginning goes first.
        ready = next((pair for pair in reversed(todo) if not waits[pair]), todo[-1])
        todo.remove(ready)
        out.append(ready)
        for other in begins.get(ready[1], ()):
            waits[other] -= 1
    return out


def _check(model: BPEModel, merges: list[tuple[str, str]], doubtful: list[int]) -> None:
    """Run a model of these merges beside the original. Raises UnsupportedError."""
    contents = _contents(model)
    compiled = BPE(
        model.vocab,
        contents,
        [list(pair) for pair in merges],
        unk_token=model.unk_token,
        fuse_unk=bool(model.compiled.options()["fuse_unk"]),
        byte_fallback=bool(model.compiled.options()["byte_fallback"]),
    )
    parts = {
        token_id: token.encode() if contents is None else contents[token]
        for token_id, token in model.tokens.items()
        if contents is None or token in contents
    }
    for text in _texts(parts, doubtful):
        if _split(model.compiled, text) != _split(compiled, text):
            raise UnsupportedError(
                "model", f"no list of merges was found that gives the ids of {text[:60]!r}"
            )


def _split(compiled: BPE, text: bytes) -> list[tuple[int, int]]:
    return compiled.tokenize(text)


def _contents(model: BPEModel) -> dict[str, bytes] | None:
    return byte_contents(model.vocab) if model.byte_level else None


def _texts(parts: Mapping[int, bytes], doubtful: Iterable[int]) -> Iterable[bytes]:
    """Texts in which pairs of the same token may meet."""
    rng = random.Random(0)
    doubted = [parts[token] for token in doubtful if token in parts]
    every = [part for part in parts.values() if part]
    for part in doubted:
        unit = _unit(part)
        if len(unit) < len(part):
            # A run: what follows and comes before may take its ends.
            for times in range(1, _RUN):
                yield unit * times
            yield rng.choice(every) + unit * rng.randrange(2, 400) + rng.choice(every)
    for _ in range(_TRIALS):
        first, second = rng.choice(doubted), rng.choice(doubted if rng.random() < 0.3 else every)
        cut = rng.randrange(len(first))
        # Overlapping as far as the second begins with the first's end, or side by side.
        joined = first[:cut] + second if second.startswith(first[cut:]) else first + second
        yield rng.choice(every) + joined + rng.choice(every)


def _unit(part: bytes) -> bytes:
    """What ``part`` is a repetition of, itself if of nothing shorter."""
    return part[: (part + part).find(part, 1)]
