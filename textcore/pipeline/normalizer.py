"""What a normalizer is."""

from __future__ import annotations

from abc import ABC, abstractmethod

from textcore.pipeline.normalized import NormalizedString


class Normalizer(ABC):
    """A step that rewrites text before it is split."""

    __slots__ = ()

    @property
    def moves_start(self) -> bool:
        """Whether the first character may come to stand for another than the first one.

        Metaspace with the scheme "first" asks where a piece begins in the original text;
        with such a normalizer before it, only alignments tell.
        """
        return False

    @abstractmethod
    def normalize_str(self, text: str) -> str:
        """``text`` rewritten."""

    @abstractmethod
    def normalize(self, text: NormalizedString) -> None:
        """Rewrite ``text`` in place, keeping its alignments."""
