"""Where a rendered prompt leaves the model: in reasoning or not, right behind a tag or not."""

from __future__ import annotations

from typing import NamedTuple

from textcore.output.formats.declaration import OutputFormat


class Opening(NamedTuple):
    """How a model's output begins."""

    in_reasoning: bool
    behind_tag: bool


def opening(prompt: str, format: OutputFormat) -> Opening:
    """What of reasoning the prompt has already opened or closed.

    Only the turn that the model is to write counts: a message further up may well talk about
    the tags. Where the prompt is not in the format's own turns, only its very end counts.
    """
    tags, layout = format.reasoning, format.formatting
    if tags is None:
        return Opening(False, False)
    start = prompt.rfind(format.turn.open)
    turn = prompt[start + len(format.turn.open) :]
    if start < 0 or format.turn.close in turn:
        end = prompt.rstrip(layout)
        in_reasoning = end.endswith(tags.open)
        return Opening(in_reasoning, in_reasoning or end.endswith(tags.close))
    opened, closed = turn.rfind(tags.open), turn.rfind(tags.close)
    if opened > closed:
        return Opening(True, not turn[opened + len(tags.open) :].strip(layout))
    return Opening(False, closed >= 0 and not turn[closed + len(tags.close) :].strip(layout))
