from collections.abc import Collection

import numpy
from numpy.typing import NDArray

from textcore.core.added import AddedMatcher
from textcore.core.encode import Encoder
from textcore.errors import TextError

class EncodeCalls:
    @property
    def _encoder(self) -> Encoder | None: ...
    def _set_up(
        self, encoder: Encoder | None, first: AddedMatcher | None, second: AddedMatcher | None
    ) -> None: ...
    def encode(
        self,
        text: str,
        *,
        add_special_tokens: bool = False,
        allowed_special: str | Collection[str] = "all",
    ) -> list[int]: ...
    def encode_to_numpy(
        self,
        text: str,
        *,
        add_special_tokens: bool = False,
        allowed_special: str | Collection[str] = "all",
    ) -> NDArray[numpy.uint32]: ...
    def count(
        self,
        text: str,
        *,
        add_special_tokens: bool = False,
        allowed_special: str | Collection[str] = "all",
    ) -> int: ...
    # Of a subclass.
    def _matchers(
        self, allowed: str | Collection[str]
    ) -> tuple[AddedMatcher | None, AddedMatcher | None]: ...
    def _aligned_ids(
        self, text: str, first: AddedMatcher | None, second: AddedMatcher | None
    ) -> list[int]: ...
    def _with_special(self, ids: list[int]) -> list[int]: ...
    def _affix_size(self) -> int | None: ...
    def _surrogate(self, error: UnicodeEncodeError) -> TextError: ...
