from collections.abc import Collection, Sequence

import numpy
from numpy.typing import NDArray

from textcore.core.added import AddedMatcher
from textcore.core.deferred import Fit, Frame, PairFrame
from textcore.core.encode import Encoder
from textcore.encoding import Encoding
from textcore.errors import TextError

class EncodeCalls:
    @property
    def _encoder(self) -> Encoder | None: ...
    def _set_up(
        self,
        encoder: Encoder | None,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
        own: Fit | None,
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
    def encoding(
        self,
        text: str | Sequence[str],
        pair: str | Sequence[str] | None = None,
        *,
        add_special_tokens: bool = True,
        allowed_special: str | Collection[str] = "all",
        is_pretokenized: bool = False,
        truncation: bool | str | None = None,
        max_length: int | None = None,
        stride: int | None = None,
        truncation_side: str | None = None,
        padding: bool | str | int | None = None,
        pad_to_multiple_of: int | None = None,
        padding_side: str | None = None,
        pad_id: int | None = None,
        pad_type_id: int | None = None,
        pad_token: str | None = None,
    ) -> Encoding: ...
    # Of a subclass.
    def _frame(self, add_special_tokens: bool) -> Frame | None: ...
    def _pair_frame(self, add_special_tokens: bool) -> PairFrame | None: ...
    def _fit_of(
        self,
        truncation: bool | str | None,
        max_length: int | None,
        stride: int | None,
        truncation_side: str | None,
        padding: bool | str | int | None,
        pad_to_multiple_of: int | None,
        padding_side: str | None,
        pad_id: int | None,
        pad_type_id: int | None,
        pad_token: str | None,
    ) -> Fit: ...
    def _other_encoding(
        self,
        text: str | Sequence[str],
        pair: str | Sequence[str] | None,
        add_special_tokens: bool,
        first: AddedMatcher | None,
        second: AddedMatcher | None,
        is_pretokenized: bool,
        fit: Fit | None,
    ) -> Encoding: ...
    def _matchers(
        self, allowed: str | Collection[str]
    ) -> tuple[AddedMatcher | None, AddedMatcher | None]: ...
    def _aligned_ids(
        self, text: str, first: AddedMatcher | None, second: AddedMatcher | None
    ) -> list[int]: ...
    def _with_special(self, ids: list[int]) -> list[int]: ...
    def _affix_size(self) -> int | None: ...
    def _surrogate(self, error: UnicodeEncodeError) -> TextError: ...
