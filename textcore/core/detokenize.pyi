from collections.abc import Callable, Collection, Iterable
from typing import Any, final

@final
class ByteTable:
    def __init__(
        self,
        ids: list[int],
        strings: list[str],
        special_ids: Collection[int] = (),
        *,
        stand_ins: bool = False,
        byte_fallback: bool = False,
        strip: str = "",
        strip_count: int = 0,
        first: Callable[[int], bytes] | None = None,
    ) -> None: ...
    n_tokens: int
    n_byte_tokens: int
    max_id: int
    has_empty_text: bool
    is_dense: bool
    def join(self, ids: Iterable[int], skip_special_tokens: bool = False) -> bytes: ...
    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str: ...
    def token(self, token: int, skip_special_tokens: bool = False) -> bytes: ...
    def tokens(self, skip_special_tokens: bool = False) -> list[bytes]: ...

class TokenStream:
    def __init__(
        self,
        table: ByteTable | None = None,
        pipeline: Any = None,
        skip_special_tokens: bool = True,
    ) -> None: ...
    def add(self, ids: int | Iterable[int]) -> str: ...
    def flush(self) -> str: ...
    @property
    def text(self) -> str: ...
