"""How a text is split, by the names that GGUF files have for it (``tokenizer.ggml.pre``).

Each is the pre-tokenizer of the tokenizer.json of the family that the name comes from, as far
as that is known, or else the split that ``llama.cpp`` has for the name. A pattern that
``llama.cpp`` has adapted to its own regex engine is here as it was written. Source of the
names, and of what goes with them: ``llama.cpp`` (``llama-vocab.cpp``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from textcore.formats.encodings import (
    KIMI_PATTERN,
    LLAMA3_PATTERN,
    O200K_PATTERN,
    QWEN_3_5_PATTERN,
    QWEN_PATTERN,
)
from textcore.pipeline.fields import RustPattern

_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_HAN_AND_KANA = "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
_DEEPSEEK_WORDS = (
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
    "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
)
_DEEPSEEK_V3 = (
    r"\p{N}{1,3}",
    _HAN_AND_KANA,
    _DEEPSEEK_WORDS + r"| ?[\p{P}\p{S}]+[\r\n]*|" + _SPACES,
)
_DEEPSEEK_CODER = (
    r"[\r\n]",
    r"\s?\p{L}+",
    r"\s?\p{P}+",
    "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+",
    r"\p{N}",
)
_SPARK = (
    r"\p{N}{1,3}",
    _HAN_AND_KANA,
    _DEEPSEEK_WORDS + r"| ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+",
    r"\p{N}",
)
_QWEN_WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + _SPACES
_LLAMA3_WORDS = _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|{digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
_JAIS2 = (
    _LLAMA3_WORDS.replace("{digits}", r"\p{N}{1,3}")
    + r"\s*[\r\n]+"
    + "".join(rf"|\s{{{count}}}(?!\S)" for count in (512, 256, 128, 64, 32, 16, 8, 4))
    + r"|\s{1,2}(?!\S)|\s{1}"
)
_MINICPM5 = (r"\p{N}{1,3}", _LLAMA3_WORDS.replace("{digits}", r"\p{N}+") + _SPACES)
_YOUTU = (
    "[\uac00-\ud7a3\u3131-\u318e]+"
    "|[\uff01\u2026\u201c\u201d\u2018\u2019\u2014\uff1a\uff1b\uff0c\u3001-\u303f\ufe30-\ufe4f]+"
    "|[\u3105-\u312f]+|" + _HAN_AND_KANA,
    O200K_PATTERN.replace(r"\p{N}{1,3}", r"\p{N}"),
)
_BLOOM = " ?[^(\\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+"
_BAILING = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
)
_SEED_CODER = (
    _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|" + _SPACES
)
_EXAONE_MOE = (
    _CONTRACTIONS
    + r"|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}"
    + r"| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+"
)
_CHAMELEON = (
    r"<sentinel:[0-9]+>",
    r"(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
    r"([\t\n]|    |  )",
)
_TEKKEN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def byte_level(use_regex: bool) -> dict[str, Any]:
    """A ByteLevel component that puts no space before a text."""
    return {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": use_regex,
    }


Step = str | dict[str, Any]
_DIGITS = {"type": "Digits", "individual_digits": True}


@dataclass(frozen=True, slots=True)
class Pre:
    """What a name stands for.

    ``steps`` are splits that come before the bytes are shown as characters: patterns in the
    dialect of a tokenizer.json, each match a piece, or components. ``gpt2``: GPT-2's own split
    is the last of them. ``after``: components that see the characters. ``ranked``: tokens
    merge in the order of their ids, there are no merges. ``add_bos`` and ``add_sep``: where
    the file does not say.
    """

    steps: tuple[Step, ...] = ()
    form: str | None = None
    ignore_merges: bool = False
    gpt2: bool = False
    after: tuple[dict[str, Any], ...] = ()
    add_bos: bool = False
    add_sep: bool = False
    ranked: bool = False

    def pre_tokenizer(self) -> dict[str, Any]:
        """The pre-tokenizer as a tokenizer.json has it."""
        steps = [isolated(step) if isinstance(step, str) else step for step in self.steps]
        steps += [byte_level(use_regex=self.gpt2), *self.after]
        if len(steps) == 1:
            return steps[0]
        return {"type": "Sequence", "pretokenizers": steps}


def isolated(pattern: str) -> dict[str, Any]:
    """A Split that makes a piece of every match."""
    return {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated",
        "invert": False,
    }


_GPT2 = Pre(gpt2=True)
_GPT2_NFC = Pre(form="NFC", gpt2=True)
_ROBERTA = Pre(gpt2=True, add_sep=True)
_STARCODER = Pre((_DIGITS,), gpt2=True)
_LLAMA3 = Pre((LLAMA3_PATTERN,), ignore_merges=True, add_bos=True)
_CHATGLM = Pre((LLAMA3_PATTERN,))
_QWEN2 = Pre((QWEN_PATTERN,), "NFC")
_QWEN2_RAW = Pre((QWEN_PATTERN,))
_GPT4O = Pre((O200K_PATTERN,), ignore_merges=True)
_DEEPSEEK = Pre(_DEEPSEEK_V3)
_FALCON = Pre(
    ({"type": "Punctuation", "behavior": "Contiguous"},),
    gpt2=True,
    after=({"type": "Digits", "individual_digits": False}, isolated("[0-9][0-9][0-9]")),
)
_TINY_AYA = Pre((r"\d{1,3}(?=(?:\d{3})*\b)", O200K_PATTERN))


def _named(names: str, pre: Pre) -> dict[str, Pre]:
    return dict.fromkeys(names.split(), pre)


PRE_TOKENIZERS: dict[str, Pre] = {
    **_named("gpt-2 phi-2 jina-es jina-de jina-v2-es jina-v2-de gigachat a.x-4.0", _GPT2),
    **_named("mellum jais trillion granite-docling exaone4", _GPT2),
    **_named("modern-bert mpt olmo", _GPT2_NFC),
    **_named("jina-v1-en jina-v2-code roberta-bpe", _ROBERTA),
    **_named("starcoder refact smollm codeshell exaone minerva-7b mellum2", _STARCODER),
    "command-r": replace(_STARCODER, form="NFC"),
    "falcon": _FALCON,
    **_named("llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2", _LLAMA3),
    "jina-v5-nano": _LLAMA3,
    **_named("dbrx smaug-bpe glm4 chatglm-bpe", _CHATGLM),
    "jais-2": Pre((_JAIS2,)),
    "minicpm5": Pre(_MINICPM5, ignore_merges=True),
    "qwen2": _QWEN2,
    **_named("deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open", _QWEN2_RAW),
    "grok-2": _QWEN2_RAW,
    "ufakzeka": Pre((_QWEN_WORDS,)),
    "laguna": Pre((r"[^\n]+|[\n]+", QWEN_PATTERN)),
    "qwen35": Pre((QWEN_3_5_PATTERN,), "NFC"),
    **_named("gpt-4o llama4 kanana2 talkie minimax-m2 granite-embed-multi-97m", _GPT4O),
    **_named("tiny_aya cohere2moe", _TINY_AYA),
    "tekken": Pre((_TEKKEN,), ignore_merges=True, add_bos=True),
    "deepseek-coder": Pre(_DEEPSEEK_CODER),
    **_named("deepseek-v3 hunyuan-dense joyai-llm hy_v4", _DEEPSEEK),
    "spark2_5": Pre(_SPARK),
    "youtu": Pre(_YOUTU),
    **_named("poro-chat bloom gpt3-finnish", Pre((_BLOOM,))),
    "viking": Pre((_BLOOM, r"\p{N}")),
    **_named("bailingmoe bailingmoe2 llada-moe", Pre((_BAILING,))),
    "seed-coder": Pre((_SEED_CODER,)),
    "exaone-moe": Pre((_EXAONE_MOE,)),
    "superbpe": Pre((r"\p{N}+", r"(?=(\d{3})+(?!\d))")),
    "chameleon": Pre(
        (*_CHAMELEON, _DIGITS, {"type": "Punctuation", "behavior": "Isolated"}),
        gpt2=True,
        add_bos=True,
    ),
    "kimi-k2": Pre((RustPattern(KIMI_PATTERN),), ranked=True),
}
