from collections.abc import Callable
from typing import Any

class QuickFilter:
    jinja_pass_arg: Any
    def __init__(
        self, run: Callable[..., Any], quick: Callable[[Any], Any], cost: int
    ) -> None: ...
    def __call__(self, context: Any, value: Any, /, *args: Any, **kwargs: Any) -> Any: ...

class TextFilter(QuickFilter):
    def __init__(
        self, run: Callable[..., Any], quick: Callable[[str], Any], cost: int, growth: int
    ) -> None: ...
    def around(self, wrap: Callable[[Any], Callable[..., Any]]) -> TextFilter: ...

class WalkingFilter(QuickFilter):
    def __init__(
        self,
        run: Callable[..., Any],
        quick: Callable[[Any], str],
        cost: int,
        arguments: dict[str, Any],
    ) -> None: ...
