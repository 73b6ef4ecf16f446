"""Compare chat templates with `transformers`, character for character.

Takes a folder of ``*.jinja`` files (or single files), renders each over the conversations of
``chat_cases`` with both, and prints a table: how many renderings were equal, how many both
refused with the same message, and where they differ. Exits with 1 where anything differs.

    python scripts/compare_chat_templates.py FOLDER [FOLDER ...] [--show N] [--model-dir DIR]

With ``--model-dir`` the special tokens are those of that model's files, and the ids of each
prompt are compared, too.
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
from tokenizers import Tokenizer as ReferenceTokenizer
from tokenizers.models import BPE
from transformers import PreTrainedTokenizerFast

from textcore import Tokenizer
from textcore.chat.errors import PromptError, TemplateFailure, TemplateLimitError
from textcore.chat.prompts import ChatPrompts

SPECIAL = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
TOO_DEEP = "(nested too deeply)"


class Outcome(NamedTuple):
    refused: bool
    text: str


def reference_tokenizer() -> PreTrainedTokenizerFast:
    """A tokenizer with the special tokens and no vocabulary: only its templates are used."""
    return PreTrainedTokenizerFast(tokenizer_object=ReferenceTokenizer(BPE()), **SPECIAL)


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


class Model(NamedTuple):
    """Both sides of the comparison; ``textcore`` is None where ids are not compared."""

    reference: Any
    prompts: ChatPrompts
    textcore: Tokenizer | None


def load_model(directory: Path | None) -> Model:
    if directory is None:
        return Model(reference_tokenizer(), ChatPrompts(SPECIAL), None)
    prompts = ChatPrompts.from_dir(directory)
    theirs = PreTrainedTokenizerFast(
        tokenizer_file=str(directory / "tokenizer.json"), **prompts.special_tokens
    )
    return Model(theirs, prompts, Tokenizer.from_dir(directory))


def with_ids(model: Model, theirs: Outcome, mine: Outcome) -> tuple[Outcome, Outcome]:
    """The two outcomes, or the ids of the prompt where only these differ."""
    if model.textcore is None or theirs.refused or theirs != mine:
        return theirs, mine
    expected = model.reference.encode(theirs.text, add_special_tokens=False)
    found = model.textcore.encode(mine.text)
    if found == expected:
        return theirs, mine
    return Outcome(False, f"ids {expected}"), Outcome(False, f"ids {found}")


def compare(template: str, model: Model) -> Report:
    """Render one template over every case with both."""
    equal = refused = 0
    differences = []
    for case in cases():
        theirs, mine = with_ids(
            model,
            reference(model.reference, template, case),
            ours(model.prompts, template, case),
        )
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
    parser.add_argument("--model-dir", type=Path, help="compare ids with this tokenizer, too")
    options = parser.parse_args()
    model = load_model(options.model_dir)
    differences = templates = 0
    print(f"{'equal':>6} {'refused':>8} {'differ':>7}  template")
    for path in template_paths(options.places):
        report = compare(path.read_text(encoding="utf-8"), model)
        templates += 1
        differences += len(report.differences)
        print(f"{report.equal:>6} {report.refused:>8} {len(report.differences):>7}  {path.name}")
        for case, theirs, mine in report.differences[: options.show]:
            print(f"    {case.name}\n      reference: {theirs!r}\n      textcore:  {mine!r}")
    print(f"{templates} templates, {differences} differences")
    return 1 if differences or not templates else 0


if __name__ == "__main__":
    sys.exit(main())
