"""Texts to measure on: files that are given, or text that is on every machine.

The latter is Python's own documentation and sources, and the translations that come with
Django: sentences in a hundred languages.
"""

from __future__ import annotations

import gettext
import random
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DOCUMENT_CHARACTERS = 4000
# How many documents a job that repeats its texts takes, and a first pass.
DOCUMENTS = 80
ALL_DOCUMENTS = 160
# A letter for each hexadecimal digit.
LETTERS = str.maketrans("0123456789", "ghijklmnop")
SOURCES = ("argparse.py", "ast.py", "datetime.py", "inspect.py", "pathlib.py", "typing.py")


@dataclass(frozen=True)
class Corpus:
    """A name and its text, cut into documents of 4,000 characters.

    A long text's documents are taken evenly from all of it.
    """

    name: str
    text: str

    def documents(self, most: int = DOCUMENTS) -> list[str]:
        step = DOCUMENT_CHARACTERS
        cut = [self.text[start : start + step] for start in range(0, len(self.text), step)]
        count = min(most, len(cut))
        return [cut[index * len(cut) // count] for index in range(count)]


def size_of(texts: list[str]) -> int:
    """Bytes of UTF-8."""
    return sum(len(text.encode()) for text in texts)


def english() -> str:
    """Prose: the language reference that ``pydoc`` shows."""
    from pydoc_data.topics import topics

    return "\n".join(topics[name] for name in sorted(topics))


def code() -> str:
    """Python: a few large modules of the standard library, which every version has."""
    stdlib = Path(sysconfig.get_path("stdlib"))
    found = [stdlib / name for name in SOURCES if (stdlib / name).is_file()]
    return "\n".join(path.read_text(encoding="utf-8") for path in found)


def _catalogues() -> Iterator[tuple[str, Path]]:
    import django

    root = Path(django.__file__).parent
    for path in sorted(root.glob("**/locale/*/LC_MESSAGES/*.mo")):
        yield path.parts[-3], path


def _messages(path: Path) -> Iterator[str]:
    """The translations of a catalogue, in an order that is always the same."""
    with open(path, "rb") as file:
        catalogue = gettext.GNUTranslations(file)
    for source in sorted(key for key in catalogue._catalog if isinstance(key, str) and key):
        yield catalogue.gettext(source)


def translations(language: str) -> str:
    """All of Django's messages in one language."""
    paths = [path for name, path in _catalogues() if name == language]
    return "\n".join(message for path in paths for message in _messages(path))


def languages() -> str:
    """Django's messages in all of its languages, one after the other."""
    return "\n".join(translations(name) for name in sorted({name for name, _ in _catalogues()}))


def random_words(characters: int, seed: int) -> str:
    """Words of sixteen letters that no cache has met: every one is another."""
    digits = random.Random(seed).randbytes(characters // 2 + 8).hex(" ", 8)
    return digits[:characters].translate(LETTERS)


MADE: dict[str, Callable[[], str]] = {
    "english": english,
    "python": code,
    "german": lambda: translations("de"),
    "chinese": lambda: translations("zh_Hans"),
    "japanese": lambda: translations("ja"),
    "languages": languages,
}


@cache
def made(name: str) -> Corpus:
    """One of the texts that are on every machine."""
    return Corpus(name, MADE[name]())


@cache
def from_file(path: Path) -> Corpus:
    """A file of UTF-8 text; the name is the file's."""
    return Corpus(path.stem, path.read_text(encoding="utf-8"))
