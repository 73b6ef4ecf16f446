"""Three small tokenizers trained by the reference, each of a family of its own."""

from __future__ import annotations

from functools import cache

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

QWEN_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

CORPUS = [
    "The quick brown fox jumps over the lazy dog. It's what they'll do; WE'RE sure!",
    "def main(args):\n    for i in range(10):\n        print(f'{i:02d}', args[i])\n",
    "Der schnelle braune Fuchs springt über den faulen Hund, größer als Straße.",
    "L'élève déjà là-bas naïvement cœur; żółć gęślą jaźń; Ёлки-палки, мир и труд.",
    "敏捷的棕色狐狸跳过了懒狗。人工智能正在改变世界。中华人民共和国",
    "素早い茶色の狐がのろまな犬を飛び越える。カタカナとひらがな、漢字。",
    "안녕하세요 세계 여러분, 반갑습니다. สวัสดีชาวโลก ภาษาไทย مرحبا بالعالم",
    "numbers 1234567890 3.14159 1e-9 0xdeadbeef 2026-11-30",
    "spaces  two   three    four\ttab\n\nnewlines\r\nwindows",
    "emoji 👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 e\u0301 n\u0303",
] * 3

HARD = [
    "",
    " ",
    "<|im_start|>user\nhi<|im_end|>\n",
    "a<|endoftext|>b<|endoftext|><|endoftext|>",
    "</s><s> x <unk>",
    "<think>\nso</think><tool_call>{}</tool_call>",
    "   three   spaces   ",
    "\t\ttabs\tand \t mixed \u00a0\u2003\u3000 spaces\u200b",
    "it's IT'S they'LL we'Re I'ſ don't 'tis",
    "def f(x):\n\treturn {'a': [x ** 2, ~x], \"b\": x<<3}  # ünï\n\n\n",
    "中华人民共和国万岁,今天天气很好。㐀𠀀",
    "カタカナひらがな漢字ﾊﾝｶｸ々〆",
    "สวัสดีครับ กำลัง ภาษาไทย",
    "مرحبا بالعالم ١٢٣ لا",
    "👩‍👩‍👧‍👦🏳️‍🌈👍🏽🇩🇪",
    "e\u0301 \u0301 n\u0303o \u1e9b\u0323 \uac00\u11a8 \u1100\u1161\u11a8",
    "\ufffd\ufffe\U0010ffff \U0001f9ff\U000e0041 ꙮ ᚠᛇᚻ",
    "\n",
    "\r\n\r\n\n\r",
    "a\x00b\x00\x00",
    "x" * 3000,
    "ab" * 1500 + " " + "é" * 900,
    "Ⅷ ② ¾ ٣ 𝟗 12345",
    "▁under▁ _ ▁▁",
    "Ġ Ċ ġ Ń",
    "İstanbul ΣΑΣ ß ﬁ Å",
]


def _train(tokenizer: Tokenizer, trainer: trainers.BpeTrainer) -> Tokenizer:
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


@cache
def qwen_style() -> Tokenizer:
    """Byte-level, a split regex, NFC, and control tokens of both kinds."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(QWEN_PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=900,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        show_progress=False,
    )
    _train(tokenizer, trainer)
    tokenizer.add_tokens(
        [AddedToken(t, normalized=False) for t in ("<think>", "</think>", "<tool_call>")]
    )
    return tokenizer


@cache
def gpt2_style() -> Tokenizer:
    """Byte-level with GPT-2's own split, a prefix space and a template."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=900,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|endoftext|>", "<s>", "</s>"],
        show_progress=False,
    )
    _train(tokenizer, trainer)
    tokenizer.add_tokens([AddedToken("<think>", lstrip=True, rstrip=True)])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 1))
    return tokenizer


@cache
def sentencepiece_style() -> Tokenizer:
    """Characters with byte fallback, spaces as ▁, an unknown token, BOS by a template."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=900,
        limit_alphabet=120,
        special_tokens=["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))],
        show_progress=False,
    )
    _train(tokenizer, trainer)
    spec = tokenizer.to_str().replace('"special": true', '"special": false')
    tokenizer = Tokenizer.from_str(_without_byte_tokens(spec))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)]
    )
    return tokenizer


def _without_byte_tokens(spec: str) -> str:
    import json

    data = json.loads(spec)
    data["added_tokens"] = [
        {**token, "special": True} for token in data["added_tokens"] if token["id"] < 3
    ]
    return json.dumps(data)


FAMILIES = {
    "qwen": qwen_style,
    "gpt2": gpt2_style,
    "sentencepiece": sentencepiece_style,
}
