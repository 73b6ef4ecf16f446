"""The kinds of characters that the components of `tokenizers` tell apart, seen from outside."""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import normalizers, pre_tokenizers
from unicode_tables.probe import SCALARS, Ranges, to_ranges


def _points(chars: Iterable[str]) -> Ranges:
    return to_ranges(sorted(map(ord, chars)))


def _every_other(pre_tokenizer: pre_tokenizers.PreTokenizer) -> Ranges:
    """What a component that cuts all characters into runs of two kinds takes for the second.

    U+0000 is of the first kind.
    """
    runs = [piece for piece, _ in pre_tokenizer.pre_tokenize_str(SCALARS)]
    return _points("".join(runs[1::2]))


def _word_and_space() -> tuple[Ranges, Ranges]:
    r"""``\w`` and ``\s`` of a component that finds ``\w+|[^\w\s]+``.

    Between two spaces, runs of the two alternate; of which kind the first one is shows when it
    comes after a letter.
    """
    component = pre_tokenizers.Whitespace()
    words: list[str] = []
    at, is_word = 0, False
    found = component.pre_tokenize_str(SCALARS)
    for piece, (start, end) in found:
        if start == at and at:
            is_word = not is_word
        else:
            is_word = len(component.pre_tokenize_str("a" + piece[0])) == 1
        at = end
        if is_word:
            words.append(piece)
    kept = {char for piece, _ in found for char in piece}
    return _points("".join(words)), _points(set(SCALARS) - kept)


def _bert(**what: bool) -> normalizers.BertNormalizer:
    nothing = dict.fromkeys(
        ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase"), False
    )
    return normalizers.BertNormalizer(**(nothing | what))


def _cleaned() -> tuple[Ranges, Ranges]:
    """What BertNormalizer removes, and what it makes a space."""
    chars = SCALARS.replace("x", "")
    results = _bert(clean_text=True).normalize_str("x".join(chars)).split("x")
    pairs = list(zip(chars, results, strict=True))
    removed = (char for char, result in pairs if not result)
    return _points(removed), _points(char for char, result in pairs if result == " ")


def _without_accents() -> Ranges:
    nfd = normalizers.NFD()
    chars = nfd.normalize_str("\n".join(SCALARS.replace("\n", "")))
    return _points(set(chars) - set(_bert(strip_accents=True).normalize_str(chars)))


def _chinese() -> Ranges:
    chars = SCALARS.replace("\n", "")
    results = _bert(handle_chinese_chars=True).normalize_str("\n".join(chars)).split("\n")
    return _points(c for c, result in zip(chars, results, strict=True) if result == f" {c} ")


def probe() -> dict[str, Ranges]:
    """All kinds by name (see ``textcore/unicode/predicates.py``)."""
    apart = [piece for piece, _ in pre_tokenizers.WhitespaceSplit().pre_tokenize_str(SCALARS)]
    word, space = _word_and_space()
    removed, whitespace = _cleaned()
    return {
        "is_whitespace": _points(set(SCALARS) - set("".join(apart))),
        "is_numeric": _every_other(pre_tokenizers.Digits(individual_digits=False)),
        "is_punctuation": _every_other(pre_tokenizers.Punctuation("contiguous")),
        "word": word,
        "space": space,
        "combining_mark": _points(
            set(SCALARS) - set(normalizers.StripAccents().normalize_str(SCALARS))
        ),
        "nonspacing_mark": _without_accents(),
        "bert_removed": removed,
        "bert_whitespace": whitespace,
        "bert_chinese": _chinese(),
    }
