"""What other servers' parsers have lost, by public reports, is read here, however it is cut."""

from __future__ import annotations

import json
import random

import pytest
from reported import REPORTS, Report

from textcore.output.parser import OutputParser
from textcore.output.probing.roundtrip import gathered

BY_SOURCE = [
    pytest.param(report, id=f"{report.format}-{number}") for number, report in enumerate(REPORTS)
]


def message(report: Report, pieces: list[str], early: bool) -> tuple[str, str, list[list[str]]]:
    """Content, reasoning and calls of an output in pieces."""
    parser = OutputParser(
        True,
        report.tools,
        format=report.format,
        stream_arguments=early,
        **dict(report.options),
    )
    found = gathered(parser, pieces)
    assert parser.incomplete == []
    return found


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("report", BY_SOURCE)
def test_the_message_is_read(report: Report, early: bool) -> None:
    content, reasoning, calls = message(report, [report.text], early)
    assert (content, reasoning) == (report.content, report.reasoning), report.source
    assert [(name, json.loads(text)) for name, text in calls] == list(report.calls), report.source


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("report", BY_SOURCE)
def test_it_is_the_same_in_any_pieces(report: Report, early: bool) -> None:
    whole = message(report, [report.text], early)
    assert message(report, list(report.text), early) == whole
    chance = random.Random(report.text)
    for _ in range(3):
        pieces, rest = [], report.text
        while rest:
            size = chance.randint(1, 9)
            pieces.append(rest[:size])
            rest = rest[size:]
        assert message(report, pieces, early) == whole
