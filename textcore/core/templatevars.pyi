from collections.abc import Callable
from typing import Any

class LoopContext:
    index0: int
    depth0: int
    def __init__(
        self, iterable: Any, undefined: Any, recurse: Any = None, depth0: int = 0
    ) -> None: ...

class Namespace:
    def __new__(cls, attributes: dict[str, Any], refuse: Callable[[Any], Any]) -> Namespace: ...

class Macro:
    def __init__(
        self,
        context: Any,
        function: Callable[..., str],
        name: str | None,
        arguments: tuple[str, ...],
        catch_kwargs: bool,
        catch_varargs: bool,
        caller: bool,
        cost: int,
        markup: Callable[[str], Any],
    ) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
