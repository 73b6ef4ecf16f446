"""Round trips through real chat templates: what a template renders must be parsed back.

    python scripts/check_output_formats.py FOLDER...

For every ``.jinja`` file (and the ``chat_template`` of every ``tokenizer_config.json``) below
the folders: finds its output format, renders assistant messages (content, reasoning, one call,
parallel calls, awkward arguments, the format's own tags in strings) with and without thinking,
cuts out what the model would have written, and parses it in one piece, one character at a time
and in random pieces, with arguments streamed and not. Prints a table: the format, how many
messages came back, what the template itself loses (found by comparing its renderings), and the
first difference. Exits with 0 only if something was compared and nothing differed. A template
in which no format is found is listed, and is no difference: refusing is what the parser should
do there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from textcore.errors import TextcoreError
from textcore.output.parser import OutputParser
from textcore.output.probing.roundtrip import (
    VARIABLES,
    NotRendered,
    difference,
    marked_messages,
    messages,
)

SEEDS = (1, 2)


def templates(paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """The chat templates below the paths, by name."""
    for path in paths:
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.suffix == ".jinja":
                yield file.stem, file.read_text(encoding="utf-8")
            elif file.name == "tokenizer_config.json":
                template = json.loads(file.read_text(encoding="utf-8")).get("chat_template")
                if isinstance(template, str):
                    yield str(file.parent.name), template


def check(name: str, template: str) -> tuple[int, str | None]:
    """Print a template's row; return how many messages were compared, and a difference."""
    try:
        detection = OutputParser.for_template(template).detection
    except TextcoreError as error:
        print(f"{name:48} no format: {str(error)[:120]}")
        return 0, None
    assert detection is not None
    compared = refused = 0
    losses: dict[str, set[int]] = {}
    problem = None
    for number, variables in enumerate(VARIABLES):
        for message_name, message in [*messages(), *marked_messages(detection.format)]:
            for seed in SEEDS:
                try:
                    found, lost = difference(template, detection.format, message, variables, seed)
                except NotRendered:
                    refused += 1
                    break
                compared += 1
                for part in lost:
                    losses.setdefault(part, set()).add(number)
                if found and problem is None:
                    problem = f"{message_name}: {found}"
    lost_text = ", ".join(map(_told, sorted(losses.items()))) or "nothing"
    known = detection.known or "inferred"
    print(f"{name:48} {known:18} {compared:4} compared, {refused} refused; loses {lost_text}")
    if problem:
        print(f"    DIFFERENT: {problem[:2000]}")
    return compared, problem


def _told(loss: tuple[str, set[int]]) -> str:
    """A loss, and whether it is one only with some of the variables of thinking."""
    part, settings = loss
    return part if len(settings) == len(VARIABLES) else f"{part} (in some settings)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script; return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="FOLDER")
    compared = differences = 0
    for name, template in templates(parser.parse_args(arguments).paths):
        count, problem = check(name, template)
        compared += count
        differences += problem is not None
    print(f"{compared} messages compared, {differences} templates with differences")
    return 0 if compared and not differences else 1


if __name__ == "__main__":
    sys.exit(main())
