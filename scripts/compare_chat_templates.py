"""Compare chat templates with `transformers`, character for character.

Takes a folder of ``*.jinja`` files (or single files), renders each over the conversations of
``chat_cases`` with both, and prints a table: how many renderings were equal, how many both
refused with the same message, and where they differ. Exits with 1 where anything differs.

    python scripts/compare_chat_templates.py FOLDER [FOLDER ...] [--show N]
"""

from __future__ import annotations

import argparse
import copy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from chat_cases import Case, cases
from tokenizers import Tokenizer
from tokenizers.models import BPE
from transformers import PreTrainedTokenizerFast

from textcore.chat.errors import PromptError, TemplateFailure, TemplateLimitError
from textcore.chat.prompts import ChatPrompts

SPECIAL = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
TOO_DEEP = "(nested too deeply)"


class Outcome(NamedTuple):
    refused: bool
    text: str


def reference_tokenizer() -> PreTrainedTokenizerFast:
    """A tokenizer with the special tokens and no vocabulary: only its templates are used."""
    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer(BPE()), **SPECIAL)


def reference(tokenizer: Any, template: str, case: Case) -> Outcome:
    """What transformers renders, or how it refuses."""
    arguments = copy.deepcopy({"add_generation_prompt": False, **case.arguments})
    conversation = copy.deepcopy(case.conversation)
    try:
        text = tokenizer.apply_chat_template(
            conversation, chat_template=template, tokenize=False, **arguments
        )
    except jinja2.TemplateSyntaxError as error:
        return Outcome(True, error.message or "")
    except RecursionError:
        return Outcome(True, TOO_DEEP)  # its own message depends on where the stack ended
    except Exception as error:
        return Outcome(True, str(error))
    return Outcome(False, text)


def ours(prompts: ChatPrompts, template: str, case: Case) -> Outcome:
    """What textcore renders, or how it refuses."""
    arguments = {"add_generation_prompt": False, **case.arguments}
    before = copy.deepcopy((case.conversation, arguments))
    try:
        text = prompts.render(case.conversation, chat_template=template, **arguments)
    except TemplateLimitError as error:
        return Outcome(True, TOO_DEEP if error.limit == "depth" else error.message)
    except TemplateFailure as error:
        return Outcome(True, error.message)
    except PromptError as error:
        return Outcome(True, str(error))
    finally:
        if before != (case.conversation, arguments):
            raise AssertionError("the caller's conversation was changed")
    return Outcome(False, text)


class Report(NamedTuple):
    equal: int
    refused: int
    differences: list[tuple[Case, Outcome, Outcome]]


def compare(template: str, tokenizer: Any, prompts: ChatPrompts) -> Report:
    """Render one template over every case with both."""
    equal = refused = 0
    differences = []
    for case in cases():
        theirs = reference(tokenizer, template, case)
        mine = ours(prompts, template, case)
        if theirs != mine:
            differences.append((case, theirs, mine))
        elif theirs.refused:
            refused += 1
        else:
            equal += 1
    return Report(equal, refused, differences)


def template_paths(places: list[Path]) -> Iterator[Path]:
    for place in places:
        yield from sorted(place.glob("*.jinja")) if place.is_dir() else [place]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("places", type=Path, nargs="+", help="folders of *.jinja, or files")
    parser.add_argument("--show", type=int, default=1, help="differences shown a template")
    options = parser.parse_args()
    tokenizer, prompts = reference_tokenizer(), ChatPrompts(SPECIAL)
    differences = templates = 0
    print(f"{'equal':>6} {'refused':>8} {'differ':>7}  template")
    for path in template_paths(options.places):
        report = compare(path.read_text(encoding="utf-8"), tokenizer, prompts)
        templates += 1
        differences += len(report.differences)
        print(f"{report.equal:>6} {report.refused:>8} {len(report.differences):>7}  {path.name}")
        for case, theirs, mine in report.differences[: options.show]:
            print(f"    {case.name}\n      reference: {theirs!r}\n      textcore:  {mine!r}")
    print(f"{templates} templates, {differences} differences")
    return 1 if differences or not templates else 0


if __name__ == "__main__":
    sys.exit(main())
