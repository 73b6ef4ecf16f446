"""How a pipeline runs: which of it the compiled encoder can do by itself.

A pre-tokenizer that only isolates or removes matches of patterns becomes a tuple of automata;
one that ends by showing bytes as printable characters lets the model work on the bytes
themselves, and one that ends by marking spaces becomes part of the model. Everything else runs
as it is written, in Python, and gives the same.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace

from textcore.core.charset import CharSet
from textcore.core.encode import Encoder
from textcore.core.metaspace import Spaced
from textcore.core.model import WordModel
from textcore.core.normalize import Form
from textcore.core.prompts import PromptCache
from textcore.core.scanner import Automaton
from textcore.core.windows import WindowScanner, levels
from textcore.pipeline.models import Model
from textcore.pipeline.normalizer import Normalizer
from textcore.pipeline.normalizers import Prepend, Replace, Sequence, UnicodeForm
from textcore.pipeline.patterns import Pattern, Run, runs
from textcore.pipeline.patterns.windows import Windows
from textcore.pipeline.pre_tokenizers import ByteLevel, Metaspace, flatten
from textcore.pipeline.sentencepiece import PieceNormalizer
from textcore.pipeline.splitters import PreTokenizer
from textcore.unicode.store import Ranges

MAX_SPLITS = 8
# Characters of a text that is worth remembering.
REMEMBER_FROM = 4096
SIMD_LEVELS = ("plain", "avx2", "avx512")


@dataclass(frozen=True, slots=True)
class Plan:
    """What the encoder is given.

    ``splits`` are the patterns that cut a text, in turn; None where the pre-tokenizer has to
    run in Python. ``dropped``: a piece that begins with one of these characters is left out.
    ``byte_level`` says that the model may take bytes, ``metaspace`` marks spaces in the model's
    words, ``aligned`` says that only the alignment-keeping path is exact. ``runs`` is how the
    splits run, several as one where that can be.
    """

    splits: tuple[Pattern, ...] | None = ()
    dropped: Ranges = ()
    byte_level: bool = False
    metaspace: Metaspace | None = None
    runs: tuple[Run, ...] = ()
    aligned: bool = False

    def in_python(self) -> Plan:
        """The same with the pre-tokenizer run in Python."""
        return Plan(splits=None, aligned=self.aligned)

    def engine(self, pre_tokenizer: PreTokenizer | None) -> str:
        """What splits a text: "none", "automaton", "regex" (some of it) or "python"."""
        if pre_tokenizer is None:
            return "none"
        if self.splits is not None:
            return "automaton"
        finders = [getattr(step, "finder", None) for step in flatten(pre_tokenizer)]
        by_regex = any(getattr(finder, "engine", None) == "regex" for finder in finders)
        return "regex" if by_regex else "python"


def make_plan(normalizer: Normalizer | None, pre_tokenizer: PreTokenizer | None) -> Plan:
    """The plan for a pipeline."""
    if pre_tokenizer is None:
        return Plan()
    steps = flatten(pre_tokenizer)
    aligned = pre_tokenizer.needs_alignments or (
        normalizer is not None
        and normalizer.moves_start
        and any(isinstance(s, Metaspace) and s.prepend_scheme == "first" for s in steps)
    )
    plan = Plan(aligned=aligned)
    patterns: list[Pattern] = []
    dropped: Ranges = ()
    for index, step in enumerate(steps):
        if isinstance(step, (ByteLevel, Metaspace)):
            if index < len(steps) - 1:
                return plan.in_python()
            if isinstance(step, Metaspace):
                plan = replace(plan, metaspace=step)
            else:
                plan = replace(plan, byte_level=True)
        cut = step.cut()
        if cut is None:
            return plan.in_python()
        if cut.pattern is not None:
            if cut.pattern.automaton is None:
                return plan.in_python()
            patterns.append(cut.pattern)
        dropped += cut.dropped
    if len(patterns) > MAX_SPLITS:
        return plan.in_python()
    return replace(plan, splits=tuple(patterns), dropped=dropped, runs=tuple(runs(patterns)))


def _scanner(automaton: Automaton, windows: Windows | None) -> WindowScanner | None:
    if windows is None:
        return None
    return WindowScanner(automaton, **vars(windows), level=simd_level())


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
    model: Model,
    plan: Plan,
    normalizer: Normalizer | None,
    pre_tokenizer: PreTokenizer | None,
    cache_lines: int,
    max_id: int,
    prompt_cache: int,
) -> Encoder:
    """The encoder for a pipeline and its model.

    ``prompt_cache`` is the bound of the prompt cache in bytes; 0 for none.
    """
    idle = isinstance(normalizer, Sequence) and not normalizer.normalizers
    pre_split = None
    if plan.splits is None:
        assert pre_tokenizer is not None
        pre_split = pre_tokenizer.split
    words, opening = _models(model.compiled, plan.metaspace)
    cuts = words.cuts
    if cuts is None and pre_split is None and not plan.splits:
        cuts = words.fusing
    return Encoder(
        words,
        cuts,
        tuple(run.automaton for run in plan.runs),
        tuple(_scanner(run.automaton, run.windows) for run in plan.runs),
        unicode_form(normalizer),
        None if normalizer is None or idle else normalizer.normalize_str,
        pre_split,
        cache_lines,
        max_id,
        opening,
        CharSet(plan.dropped) if plan.dropped else None,
        simd_level(),
        normalizer.compiled if isinstance(normalizer, PieceNormalizer) else None,
        PromptCache(prompt_cache, REMEMBER_FROM) if prompt_cache else None,
        _direct(model.compiled, plan, normalizer, cache_lines),
    )


def _direct(
    compiled: WordModel, plan: Plan, normalizer: Normalizer | None, cache_lines: int
) -> Encoder | None:
    """The encoder of texts whose spaces the model itself can take for marks, if it can.

    That is what a normalizer does that puts a mark in the place of each space, and perhaps
    something before the text (Llama 2's), where nothing splits the text.
    """
    if plan != Plan() or compiled.cuts is None or compiled.exceptions:
        return None
    mark, prefix = "", ""
    for step in normalizer.normalizers if isinstance(normalizer, Sequence) else [normalizer]:
        if isinstance(step, Prepend) and not prefix:
            prefix = step.prepend
        elif (
            isinstance(step, Replace) and (step.kind, step.pattern) == ("String", " ") and not mark
        ):
            mark = step.content
        else:
            return None
    if len(mark) != 1 or mark == " " or " " in prefix:
        return None
    words = Spaced(compiled, mark, False)
    opening = Spaced(compiled, mark, False, prefix) if prefix else None
    # It makes no lists, so it needs no ints: no id is as large as the largest.
    return Encoder(
        words,
        words.cuts,
        (),
        (),
        -1,
        None,
        None,
        cache_lines,
        sys.maxsize,
        opening,
        None,
        simd_level(),
    )


def _models(
    compiled: WordModel, metaspace: Metaspace | None
) -> tuple[WordModel, WordModel | None]:
    """The model of words, and that of a word at the start of the text if it is another."""
    if metaspace is None:
        return compiled, None
    mark, scheme = metaspace.replacement, metaspace.prepend_scheme
    words = Spaced(compiled, mark, scheme == "always")
    return words, Spaced(compiled, mark, True) if scheme == "first" else None
