"""How calls are written where their reader leaves it open: what forcing needs to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Layout:
    """The whitespace, and what else is no matter to the reader, of a format's calls.

    In ``names`` and ``fields``, ``{name}`` stands for the function's name, ``{index}`` for a
    number and ``{id}`` for nine letters and digits.

    Attributes:
        lead: may stand before the first call.
        tail: may stand behind the last one.
        trailing: text may stand behind the calls, as well as before them.
        section: stands behind what begins a section, and before what ends it.
        between: stands between two calls, behind the separator if there is one; may be missing
            where a tag begins the second.
        call: stands behind a call's opening tag, and before its closing one.
        names: how the name is written, with all that stands between the call's opening tag
            and what ends the name; any of these.
        fields: of a JSON object, what may stand before the name's key, and behind the
            arguments.
        any_key: of a JSON object, the arguments may stand behind any of their keys, not only
            the first.
        value: stands before the arguments of a name outside JSON, and before what stands
            between a parameter's key and its value.
        named: of tagged parameters, stands behind what ends the name.
        parameter: stands behind each parameter.
        empty: may stand where there are no parameters.
        python: arrays, objects and words in tagged parameters are written as Python does.
        loose: whitespace that is layout may be left out.
        free: nothing is known of the whitespace: wherever some may stand, up to eight spaces and
            newlines may.
    """

    lead: str = ""
    tail: str = ""
    trailing: bool = False
    section: tuple[str, str] = ("", "")
    between: str = ""
    call: tuple[str, str] = ("", "")
    names: tuple[str, ...] = ("{name}",)
    fields: tuple[str, str] = ("", "")
    any_key: bool = False
    value: str = ""
    named: str = ""
    parameter: str = ""
    empty: str = ""
    python: bool = False
    loose: bool = False
    free: bool = False


PLAIN: Final = Layout()
"""Nothing but what the format itself says."""

UNKNOWN: Final = Layout(free=True)
"""For a format that was found by its markers alone."""
