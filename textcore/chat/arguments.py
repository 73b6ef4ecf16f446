"""Wrong arguments: what is said of them is what the function says that a guard stands before."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def refuse_arguments(
    function: Callable[..., Any], context: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Raise the TypeError of a filter or test of Jinja's that takes no such arguments.

    ``args`` are without what Jinja passes first. Nothing happens where it takes them: the
    function is called only where it can't be, so that it never runs.
    """
    # Of a function with an asynchronous variant, this is the ordinary one.
    called = getattr(function, "__wrapped__", function)
    passes = getattr(called, "jinja_pass_arg", None)
    if passes is not None:
        args = (context, *args)
    try:
        inspect.signature(called).bind(*args, **kwargs)
    except TypeError:
        called(*args, **kwargs)


def with_arguments_of(original: Callable[..., Any], run: Callable[..., Any]) -> Callable[..., Any]:
    """``run``, which takes the context first, in the place of a filter or test of Jinja's."""

    def called(context: Any, value: Any, /, *args: Any, **kwargs: Any) -> Any:
        try:
            return run(context, value, *args, **kwargs)
        except TypeError:
            refuse_arguments(original, context, (value, *args), kwargs)
            raise

    return called
