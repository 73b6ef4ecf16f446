"""Text that is on every machine with Python, so that anyone can repeat a measurement."""

from __future__ import annotations

import random
import string
import sysconfig
from collections.abc import Callable
from pathlib import Path
from pydoc_data.topics import topics

DOCUMENT_CHARACTERS = 4000
CORPUS_CHARACTERS = 400_000
SOURCES = ("argparse.py", "ast.py", "datetime.py", "inspect.py", "pathlib.py", "typing.py")


def english() -> str:
    """Prose: the language reference that ``pydoc`` shows."""
    return "\n".join(topics[name] for name in sorted(topics))


def code() -> str:
    """Python: a few large modules of the standard library, which every version has."""
    stdlib = Path(sysconfig.get_path("stdlib"))
    found = [stdlib / name for name in SOURCES if (stdlib / name).is_file()]
    return "\n".join(path.read_text(encoding="utf-8") for path in found)


def random_words() -> str:
    """Words that no cache has met: every one is different."""
    source = random.Random(0)
    size = CORPUS_CHARACTERS // 9
    words = ("".join(source.choices(string.ascii_lowercase, k=8)) for _ in range(size))
    return " ".join(dict.fromkeys(words))


def mixed_scripts() -> str:
    """Characters of many scripts, in runs: Han, kana, Hangul, Cyrillic, Arabic, Thai, emoji."""
    source = random.Random(0)
    ranges = [
        (0x4E00, 0x9FA5), (0x3041, 0x3096), (0xAC00, 0xD7A3), (0x0430, 0x044F),
        (0x0627, 0x064A), (0x0E01, 0x0E2E), (0x1F600, 0x1F64F),
    ]  # fmt: skip
    runs = (
        "".join(chr(source.randint(*span)) for _ in range(source.randint(2, 12)))
        for span in source.choices(ranges, k=CORPUS_CHARACTERS // 8)
    )
    return " ".join(runs)


CORPORA: dict[str, Callable[[], str]] = {
    "english": english,
    "code": code,
    "random words": random_words,
    "mixed scripts": mixed_scripts,
}


def documents(name: str) -> list[str]:
    """A corpus as documents of 4,000 characters."""
    text = CORPORA[name]()[:CORPUS_CHARACTERS]
    step = DOCUMENT_CHARACTERS
    return [text[start : start + step] for start in range(0, len(text), step)]
