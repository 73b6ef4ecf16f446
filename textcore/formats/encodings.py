"""Rank files that are published together with their pattern and special tokens.

A file of ranks says neither how a text is split nor which special tokens there are; both
stand in the code that was published with it. So a file is known by what it contains: the
SHA-256 of its ranks as ``base64(token) rank`` lines in the order of rank, which is also how
the published files are written, so that the digest is that of the file.

Sources: OpenAI's ``tiktoken`` (``openai_public.py``), Meta's ``llama-models`` (``llama3`` and
``llama4`` ``tokenizer.py``), Qwen's and Moonshot's model repositories
(``tokenization_qwen.py``, ``tokenization_kimi.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RankEncoding:
    """What was published with a file of ranks.

    ``pattern`` is in the dialect "rust". ``form`` is the Unicode form that a text is brought
    to first, or None.
    """

    name: str
    digest: str
    pattern: str
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    form: str | None = None


def _numbered(names: Iterable[str], start: int) -> dict[str, int]:
    return {name: start + index for index, name in enumerate(names)}


def _run(template: str, numbers: Iterable[int]) -> list[str]:
    return [template.format(number) for number in numbers]


_R50K_DIGEST = "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"
_P50K_DIGEST = "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"
_CL100K_DIGEST = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_O200K_DIGEST = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_LLAMA3_DIGEST = "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55"
_LLAMA4_DIGEST = "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed"
_QWEN_DIGEST = "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186"
_QWEN_3_5_DIGEST = "8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd"
_KIMI_DIGEST = "b6c497a7469b33ced9c38afb1ad6e47f03f5e5dc05f15930799210ec050c5103"

R50K_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_UPPER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
_LOWER = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
O200K_PATTERN = (
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+{_CONTRACTIONS}?"
    rf"|[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*{_CONTRACTIONS}?"
    rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}"
)
LLAMA3_PATTERN = (
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}"
    rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}"
)
QWEN_PATTERN = (
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}"
    rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}"
)
QWEN_3_5_PATTERN = (
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}"
    rf"| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_SPACES}"
)
_NO_HAN = r"&&[^\p{Han}]"
KIMI_PATTERN = (
    r"[\p{Han}]+"
    rf"|[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}{_NO_HAN}]*[{_LOWER}{_NO_HAN}]+{_CONTRACTIONS}?"
    rf"|[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}{_NO_HAN}]+[{_LOWER}{_NO_HAN}]*{_CONTRACTIONS}?"
    rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}"
)

_END = "<|endoftext|>"
_FIM = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")
_O200K_SPECIAL = {_END: 199999, "<|endofprompt|>": 200018}

_HARMONY = {
    **_O200K_SPECIAL,
    "<|startoftext|>": 199998,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
}
# As published, 200018 has two names.
_HARMONY |= {f"<|reserved_{i}|>": i for i in (200000, 200001, 200004, 200009, 200010, 200011)}
_HARMONY |= {f"<|reserved_{i}|>": i for i in range(200013, 201088)}

_LLAMA3_RESERVED = "<|reserved_special_token_{}|>"
_LLAMA3_SPECIAL = [
    "<|begin_of_text|>",
    "<|end_of_text|>",
    *_run(_LLAMA3_RESERVED, range(2)),
    "<|finetune_right_pad_id|>",
    "<|step_id|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|python_tag|>",
    "<|image|>",
    *_run(_LLAMA3_RESERVED, range(2, 246)),
]
_LLAMA3_0_SPECIAL = [
    "<|begin_of_text|>",
    "<|end_of_text|>",
    *_run(_LLAMA3_RESERVED, range(4)),
    "<|start_header_id|>",
    "<|end_header_id|>",
    *_run(_LLAMA3_RESERVED, [4]),
    "<|eot_id|>",
    *_run(_LLAMA3_RESERVED, range(5, 251)),
]

_TEXT = "<|text_post_train_reserved_special_token_{}|>"
_VISION = "<|vision_reserved_special_token_{}|>"
_REASONING = "<|reasoning_reserved_special_token_{}|>"
_LLAMA4_NAMED = [
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|fim_prefix|>",
    "<|fim_middle|>",
    "<|fim_suffix|>",
    "<|header_start|>",
    "<|header_end|>",
    "<|eom|>",
    "<|eot|>",
    "<|step|>",
    *_run(_TEXT, range(6)),
    "<|python_start|>",
    "<|python_end|>",
    "<|finetune_right_pad|>",
    *_run(_TEXT, range(8, 69)),
    "<|image_start|>",
    "<|image_end|>",
    *_run(_VISION, range(2)),
    "<|tile_x_separator|>",
    "<|tile_y_separator|>",
    *_run(_VISION, range(2, 6)),
    "<|image|>",
    *_run(_VISION, [6]),
    "<|patch|>",
    *_run(_VISION, range(7, 1048)),
    *_run(_REASONING, range(8)),
    "<|reasoning_thinking_start|>",
    "<|reasoning_thinking_end|>",
]
_LLAMA4_SPECIAL = [
    *_LLAMA4_NAMED,
    *_run(_LLAMA3_RESERVED, range(2048 - len(_LLAMA4_NAMED))),
]

_QWEN_SPECIAL = [_END, "<|im_start|>", "<|im_end|>", *_run("<|extra_{}|>", range(205))]
_QWEN_3_5_SPECIAL = [
    _END,
    "<|im_start|>",
    "<|im_end|>",
    "<|object_ref_start|>",
    "<|object_ref_end|>",
    "<|box_start|>",
    "<|box_end|>",
    "<|quad_start|>",
    "<|quad_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|image_pad|>",
    "<|video_pad|>",
    "<tool_call>",
    "</tool_call>",
    *_FIM,
    "<|fim_pad|>",
    "<|repo_name|>",
    "<|file_sep|>",
    "<tool_response>",
    "</tool_response>",
    "<think>",
    "</think>",
    "<|audio_start|>",
    "<|audio_end|>",
    "<tts_pad>",
    "<tts_text_bos>",
    "<tts_text_eod>",
    "<tts_text_bos_single>",
    "<|audio_pad|>",
]

# What Kimi's tokenizer_config.json names comes from there; these are the other ids' names.
KIMI_RESERVED = _numbered(_run("<|reserved_token_{}|>", range(163584, 163840)), 163584)

# Of encodings with the same ranks, the first is the one that the file is taken for.
ENCODINGS: tuple[RankEncoding, ...] = (
    RankEncoding("r50k_base", _R50K_DIGEST, R50K_PATTERN, {_END: 50256}),
    RankEncoding("p50k_base", _P50K_DIGEST, R50K_PATTERN, {_END: 50256}),
    RankEncoding("p50k_edit", _P50K_DIGEST, R50K_PATTERN, {_END: 50256, **_numbered(_FIM, 50281)}),
    RankEncoding(
        "cl100k_base",
        _CL100K_DIGEST,
        CL100K_PATTERN,
        {**_numbered([_END, *_FIM], 100257), "<|endofprompt|>": 100276},
    ),
    RankEncoding("o200k_base", _O200K_DIGEST, O200K_PATTERN, _O200K_SPECIAL),
    RankEncoding("o200k_harmony", _O200K_DIGEST, O200K_PATTERN, _HARMONY),
    RankEncoding("llama3.1", _LLAMA3_DIGEST, LLAMA3_PATTERN, _numbered(_LLAMA3_SPECIAL, 128000)),
    RankEncoding("llama3", _LLAMA3_DIGEST, LLAMA3_PATTERN, _numbered(_LLAMA3_0_SPECIAL, 128000)),
    RankEncoding("llama4", _LLAMA4_DIGEST, O200K_PATTERN, _numbered(_LLAMA4_SPECIAL, 200000)),
    RankEncoding("qwen", _QWEN_DIGEST, QWEN_PATTERN, _numbered(_QWEN_SPECIAL, 151643), "NFC"),
    RankEncoding(
        "qwen3.5", _QWEN_3_5_DIGEST, QWEN_3_5_PATTERN, _numbered(_QWEN_3_5_SPECIAL, 248044), "NFC"
    ),
    RankEncoding("kimi_k2", _KIMI_DIGEST, KIMI_PATTERN, KIMI_RESERVED),
)
BY_NAME = {encoding.name: encoding for encoding in ENCODINGS}


def of_ranks(digest: str) -> list[RankEncoding]:
    """The published encodings whose ranks have ``digest``."""
    return [encoding for encoding in ENCODINGS if encoding.digest == digest]
