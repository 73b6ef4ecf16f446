"""The errors that textcore raises: each says where, what was found, and what is supported."""

from __future__ import annotations


class TextcoreError(ValueError):
    """Base of every error of textcore about its input."""


class SpecError(TextcoreError):
    """A tokenizer file (or parsed specification) says something that can't be loaded.

    ``place`` is where: a path such as ``pre_tokenizer.pretokenizers[1].pattern``.
    """

    def __init__(self, place: str, problem: str, *, file: str | None = None) -> None:
        self.place = place
        self.problem = problem
        self.file = file
        where = f"{file}: {place}" if file and place else (file or place)
        super().__init__(f"{where}: {problem}" if where else problem)

    def in_file(self, file: str) -> SpecError:
        """The same error with the file's name in front."""
        return type(self)(self.place, self.problem, file=file)


class UnsupportedError(SpecError):
    """A component, field or pattern that textcore does not know; never ignored silently."""


class TextError(TextcoreError):
    """A text that can't be worked on.

    It has a lone surrogate, which UTF-8 cannot carry, or a tokenizer's own rules make it
    longer than any real ones would.
    """


class TemplateError(TextcoreError):
    """A chat template that is wrong, refuses its input, or reaches for what it may not."""
