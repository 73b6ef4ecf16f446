"""Control tokens that a template takes through something that can't be followed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jinja2

from textcore.core.rendering import Meter
from textcore.core.written import WrittenText


class LostControlToken(jinja2.TemplateError):
    """A template takes its own control tokens through something that can't be followed."""


def refuse_loss(meter: Meter, name: str, operands: Iterable[Any], result: Any) -> None:
    """Raise LostControlToken where a result has a control token that an operand had marked."""
    if not isinstance(result, (str, list, tuple)):
        return
    written = [part for operand in operands for part in _written_parts(operand)]
    if not written:
        return
    texts = [result] if isinstance(result, str) else [t for t in result if isinstance(t, str)]
    length = sum(map(len, texts))
    tokens = meter.environment.control_tokens
    meter.charge(len(tokens) * len(written))
    for token in tokens:
        if not any(token in part for part in written):
            continue
        meter.charge(len(texts) + (length >> 5))
        if any(token in text for text in texts):
            raise LostControlToken(
                f"the control token {token!r} can't be followed through {name!r}"
            )


def _written_parts(operand: Any) -> Iterable[str]:
    """What the template wrote of an operand, piece by piece."""
    if type(operand) is WrittenText:
        return [operand[first:last] for first, last in operand.ranges or ()]
    if isinstance(operand, (list, tuple)):
        return [part for item in operand for part in _written_parts(item)]
    if isinstance(operand, dict):
        return [part for item in operand.values() for part in _written_parts(item)]
    return ()
