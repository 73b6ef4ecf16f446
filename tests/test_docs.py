"""Every example in the documentation runs and gives what it says it gives."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)(#[^)]*)?\)")
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
# Sessions run on every page; plain blocks where a page is one long example, and not where
# they are a sketch of someone's engine.
LONG_EXAMPLES = ("README.md", "guide.md")


def executed(page: Path) -> list[re.Match[str]]:
    """The blocks of a page that are run, in order."""
    found = BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [block for block in found if block[1] == "pycon" or page.name in LONG_EXAMPLES]


def run_session(source: str, names: dict[str, object], place: str, line: int) -> list[str]:
    """Run a ``>>>`` session; returns what went wrong."""
    test = doctest.DocTestParser().get_doctest(source, names, place, place, line)
    assert test.examples, f"{place}, line {line}: a session without a prompt"
    problems: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    runner.run(test, out=problems.append, clear_globs=False)
    names.update(test.globs)  # the parser copies them
    return problems


@pytest.mark.parametrize("page", list(filter(executed, PAGES)), ids=lambda page: page.name)
def test_examples_run_and_give_what_they_say(page):
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    problems: list[str] = []
    for block in executed(page):
        line = text.count("\n", 0, block.start()) + 1
        if block[1] == "pycon":
            problems += run_session(block[2], names, page.name, line)
        else:
            exec(compile("\n" * line + block[2], page.name, "exec"), names)
    assert not problems, "".join(problems)


@pytest.mark.parametrize("name", LONG_EXAMPLES)
def test_the_long_examples_are_run(name):
    assert any(page.name == name and len(executed(page)) >= 4 for page in PAGES)


def test_a_wrong_result_is_noticed():
    assert run_session(">>> 1 + 1\n3\n", {}, "page", 1)
    assert not run_session(">>> 1 + 1\n2\n", {}, "page", 1)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page):
    targets = [match[1] for match in LINK.finditer(page.read_text(encoding="utf-8"))]
    assert [target for target in targets if not (page.parent / target).exists()] == []
