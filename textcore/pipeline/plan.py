"""How a pipeline runs: which of it the compiled encoder can do by itself.

A pre-tokenizer that only isolates matches of patterns becomes a tuple of automata; one that
ends by showing bytes as printable characters lets the model work on the bytes themselves.
Everything else runs as it is written, in Python, and gives the same.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from textcore.core.encode import Encoder
from textcore.core.normalize import Form
from textcore.core.scanner import Automaton
from textcore.core.windows import WindowScanner, levels
from textcore.pipeline.bpe import BPEModel
from textcore.pipeline.normalizers import Normalizer, Sequence, UnicodeForm
from textcore.pipeline.patterns import Pattern
from textcore.pipeline.patterns.windows import Windows
from textcore.pipeline.pre_tokenizers import (
    ByteLevel,
    Metaspace,
    PreTokenizer,
    Split,
    flatten,
    gpt2_finder,
)

MAX_SPLITS = 8
SIMD_LEVELS = ("plain", "avx2", "avx512")


@dataclass(frozen=True, slots=True)
class Plan:
    """What the encoder is given.

    ``automata`` is None where the pre-tokenizer has to run in Python; ``byte_level`` says
    that the model may take bytes; ``aligned`` that only the alignment-keeping path is exact;
    ``windows`` is a faster way to the cuts of the only automaton.
    """

    automata: tuple[Automaton, ...] | None
    byte_level: bool
    aligned: bool
    windows: WindowScanner | None = None

    def in_python(self) -> Plan:
        """The same with the pre-tokenizer run in Python."""
        return Plan(None, False, self.aligned)

    def engine(self, pre_tokenizer: PreTokenizer | None) -> str:
        """What splits a text: "none", "automaton", "regex" (some of it) or "python"."""
        if pre_tokenizer is None:
            return "none"
        if self.automata is not None:
            return "automaton"
        finders = [getattr(step, "finder", None) for step in flatten(pre_tokenizer)]
        by_regex = any(getattr(finder, "engine", None) == "regex" for finder in finders)
        return "regex" if by_regex else "python"


def make_plan(normalizer: Normalizer | None, pre_tokenizer: PreTokenizer | None) -> Plan:
    """The plan for a pipeline."""
    if pre_tokenizer is None:
        return Plan((), False, False)
    steps = flatten(pre_tokenizer)
    aligned = pre_tokenizer.needs_alignments or (
        normalizer is not None
        and normalizer.moves_start
        and any(isinstance(s, Metaspace) and s.prepend_scheme == "first" for s in steps)
    )
    byte_level = bool(steps) and isinstance(steps[-1], ByteLevel)
    automata: list[Automaton] = []
    finders: list[Pattern] = []
    for index, step in enumerate(steps):
        last = index == len(steps) - 1
        finder = None
        if isinstance(step, Split) and step.behavior == "Isolated":
            finder = step.finder
        elif isinstance(step, ByteLevel) and last and not step.add_prefix_space:
            if not step.use_regex:
                continue
            finder = gpt2_finder()
        if not isinstance(finder, Pattern) or finder.automaton is None:
            return Plan(None, False, aligned)
        automata.append(finder.automaton)
        finders.append(finder)
    if len(automata) > MAX_SPLITS:
        return Plan(None, False, aligned)
    windows = None
    if len(automata) == 1 and finders[0].windows is not None:
        windows = _scanner(automata[0], finders[0].windows)
    return Plan(tuple(automata), byte_level, aligned, windows)


def _scanner(automaton: Automaton, windows: Windows) -> WindowScanner:
    return WindowScanner(
        automaton,
        windows.groups,
        windows.space,
        windows.ends,
        windows.second,
        windows.third,
        windows.right,
        windows.verdicts,
        simd_level(),
    )


def simd_level() -> int:
    """The best version of vector code that runs here, or at most TEXTCORE_SIMD's.

    The environment variable is "plain", "avx2" or "avx512": for measuring and for tests.
    """
    wanted = os.environ.get("TEXTCORE_SIMD", SIMD_LEVELS[-1])
    if wanted not in SIMD_LEVELS:
        raise ValueError(f"TEXTCORE_SIMD is {wanted!r}; expected one of {', '.join(SIMD_LEVELS)}")
    return max(level for level in levels() if level <= SIMD_LEVELS.index(wanted))


def unicode_form(normalizer: Normalizer | None) -> int:
    """The Unicode form that a normalizer gives; -1 where it does anything else."""
    while isinstance(normalizer, Sequence) and len(normalizer.normalizers) == 1:
        normalizer = normalizer.normalizers[0]
    return int(Form[normalizer.form]) if isinstance(normalizer, UnicodeForm) else -1


def make_encoder(
    model: BPEModel,
    plan: Plan,
    normalizer: Normalizer | None,
    pre_tokenizer: PreTokenizer | None,
    cache_lines: int,
    max_id: int,
) -> Encoder:
    """The encoder for a pipeline and its model."""
    idle = isinstance(normalizer, Sequence) and not normalizer.normalizers
    pre_split = None
    if plan.automata is None:
        assert pre_tokenizer is not None
        pre_split = pre_tokenizer.split
    return Encoder(
        model.compiled,
        model.compiled.cuts,
        plan.automata or (),
        plan.windows,
        unicode_form(normalizer),
        None if normalizer is None or idle else normalizer.normalize_str,
        pre_split,
        cache_lines,
        max_id,
    )
