"""Rewriting one token that comes in parts, releasing what no later part can change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from textcore.pipeline.decoders import (
    CLEAN_UPS,
    Metaspace,
    Replace,
    Strip,
    TokenMap,
    WordPiece,
)
from textcore.pipeline.following import Follower, Needle
from textcore.pipeline.patterns import Pattern


class Rewriter(ABC):
    """Rewrites one token that comes in parts."""

    @abstractmethod
    def push(self, text: str) -> str:
        """What is certain of the rewritten token now, and was not before."""

    @abstractmethod
    def end(self) -> str:
        """The rest of the rewritten token, which ends here."""


class Hold(Rewriter):
    """Waits for the whole token, for rules that any later part may change."""

    def __init__(self, rewrite: Callable[[str], str]) -> None:
        self._rewrite = rewrite
        self._parts: list[str] = []

    def push(self, text: str) -> str:
        self._parts.append(text)
        return ""

    def end(self) -> str:
        return self._rewrite("".join(self._parts))


class Each(Rewriter):
    """Rewrites character by character: nothing is held."""

    def __init__(self, rewrite: Callable[[str], str]) -> None:
        self._rewrite = rewrite

    def push(self, text: str) -> str:
        return self._rewrite(text)

    def end(self) -> str:
        return ""


class Finder:
    """Finds the occurrences of a string, not empty, in text that comes in parts.

    Holds only an end of the text that may begin an occurrence; linear in the text.
    """

    def __init__(self, needle: Needle) -> None:
        self.literal = needle.literal
        self._borders = needle.borders
        self._matched = 0

    def push(self, text: str) -> list[str | None]:
        """The text that is settled now, with None for each occurrence."""
        literal, borders, matched = self.literal, self._borders, self._matched
        found: list[str | None] = []
        i, n = 0, len(text)
        while i < n:
            if matched == 0:
                start = text.find(literal[0], i)
                if start < 0:
                    found.append(text[i:])
                    break
                found.append(text[i:start])
                i, matched = start + 1, 1
            elif text[i] == literal[matched]:
                i, matched = i + 1, matched + 1
            else:
                border = borders[matched - 1]
                found.append(literal[: matched - border])
                matched = border
            if matched == len(literal):
                found.append(None)
                matched = 0
        self._matched = matched
        return found

    def end(self) -> str:
        """The text that was held."""
        held, self._matched = self.literal[: self._matched], 0
        return held


class ReplaceLiteral(Rewriter):
    """Replaces the occurrences of a string that is not empty."""

    def __init__(self, needle: Needle, content: str) -> None:
        self._finder = Finder(needle)
        self._content = content

    def push(self, text: str) -> str:
        content = self._content
        return "".join(content if part is None else part for part in self._finder.push(text))

    def end(self) -> str:
        return self._finder.end()


class ReplaceNothing(Rewriter):
    """Puts ``content`` around every character: replaces the empty string."""

    def __init__(self, content: str) -> None:
        self._content = content
        self._empty = True

    def push(self, text: str) -> str:
        self._empty = self._empty and not text
        return "".join(self._content + character for character in text)

    def end(self) -> str:
        return "" if self._empty else self._content


class ReplaceMatches(Rewriter):
    """Replaces the matches of a pattern, and holds text from where one may still begin."""

    def __init__(self, pattern: Pattern, follower: Follower, content: str) -> None:
        self._pattern = pattern
        self._follower = follower
        self._content = content
        self._parts: list[str] = []
        self._restart()

    def _restart(self) -> None:
        """Nothing is held."""
        self._size = 0
        self._threads: dict[int, int] = {}
        self._possible = False

    def push(self, text: str) -> str:
        released = ""
        while text:
            self._follow(text)
            if min(self._threads.values(), default=self._size) == 0:
                break
            settled, text = self._settle()
            released += settled
        return released

    def _follow(self, text: str) -> None:
        """Takes ``text`` in, and follows the attempts to match through it."""
        follower, threads, size = self._follower, self._threads, self._size
        for character in text:
            if threads or follower.begins(character):
                threads = follower.step(threads, character, size)
                self._possible = True
            size += 1
        self._parts.append(text)
        self._threads, self._size = threads, size

    def _settle(self) -> tuple[str, str]:
        """What is decided of the text held, rewritten, and what is to be followed anew."""
        held = "".join(self._parts)
        decided = min(self._threads.values(), default=self._size)
        parts: list[str] = []
        done = 0
        if self._possible:
            for start, stop in self._pattern.finditer(held):
                if start >= decided:
                    break
                parts += (held[done:start], self._content)
                done = stop
        if done > decided:
            # What was followed from inside the match was no attempt.
            self._parts = []
            self._restart()
            return "".join(parts), held[done:]
        parts.append(held[done:decided])
        self._parts = [held[decided:]]
        self._size -= decided
        self._threads = {state: began - decided for state, began in self._threads.items()}
        self._possible = bool(self._threads)
        return "".join(parts), ""

    def end(self) -> str:
        held = "".join(self._parts)
        parts: list[str] = []
        done = 0
        for start, stop in self._pattern.finditer(held):
            parts += (held[done:start], self._content)
            done = stop
        return "".join([*parts, held[done:]])


class StripEnds(Rewriter):
    """Strips the start; holds what might be stripped from the end."""

    def __init__(self, content: str, start: int, stop: int) -> None:
        self._content = content
        self._start = start
        self._stop = stop
        self._held = 0

    def push(self, text: str) -> str:
        if self._start:
            bare = text.lstrip(self._content)
            cut = min(len(text) - len(bare), self._start)
            self._start = 0 if cut < len(text) else self._start - cut
            text = text[cut:]
        if not self._stop:
            return text
        bare = text.rstrip(self._content)
        tail = len(text) - len(bare)
        if bare:
            text = self._content * self._held + text
            self._held = min(tail, self._stop)
            return text[: len(text) - self._held]
        total = self._held + tail
        self._held = min(total, self._stop)
        return self._content * (total - self._held)

    def end(self) -> str:
        return ""


class Chain(Rewriter):
    """Rewriters one after the other."""

    def __init__(self, rewriters: list[Rewriter]) -> None:
        self._rewriters = rewriters

    def push(self, text: str) -> str:
        for rewriter in self._rewriters:
            text = rewriter.push(text)
        return text

    def end(self) -> str:
        text = ""
        for rewriter in self._rewriters:
            text = rewriter.push(text) + rewriter.end()
        return text


class ContinueWord(Rewriter):
    """Takes WordPiece's ``prefix`` off, or puts a space where it is missing."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._read = ""
        self._decided = False

    def push(self, text: str) -> str:
        if self._decided:
            return text
        # Shorter than the prefix when undecided, and compared from where it stands.
        before = len(self._read)
        if not self._prefix.startswith(text[: len(self._prefix) - before], before):
            self._decided = True
            return " " + self._read + text
        if before + len(text) >= len(self._prefix):
            self._decided = True
            return text[len(self._prefix) - before :]
        self._read = self._prefix[: before + len(text)]
        return ""

    def end(self) -> str:
        if self._decided or not self._prefix:
            return ""
        return " " + self._read


_CLEAN_UPS = [(Needle(dirty), clean) for dirty, clean in CLEAN_UPS]


def _clean_ups() -> list[Rewriter]:
    return [ReplaceLiteral(dirty, clean) for dirty, clean in _CLEAN_UPS]


def rewriter_of(decoder: TokenMap, first: bool) -> Rewriter:
    """What rewrites one token as ``decoder`` does, part by part."""
    if isinstance(decoder, Replace) and decoder.needle:
        if not decoder.literal:
            return ReplaceNothing(decoder.content)
        return ReplaceLiteral(decoder.needle, decoder.content)
    if isinstance(decoder, Replace) and decoder.pattern and decoder.follower:
        return ReplaceMatches(decoder.pattern, decoder.follower, decoder.content)
    if isinstance(decoder, Strip):
        return StripEnds(decoder.content, decoder.start, decoder.stop)
    if isinstance(decoder, WordPiece):
        steps: list[Rewriter] = [] if first else [ContinueWord(decoder.prefix)]
        return Chain(steps + _clean_ups() if decoder.cleanup else steps)
    if isinstance(decoder, Metaspace):
        return Each(lambda text: decoder.map_token(text, first, False))
    return Hold(lambda token: decoder.map_token(token, first, False))
