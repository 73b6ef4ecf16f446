"""The packaged tokenizer's training: same text, same file; and the file is the script's."""

import json
from pathlib import Path

import pytest
import train_default_tokenizer as script

from textcore.data import DEFAULT_DIR

TEXTS = ["some words and some other words, don't", "words of prose 你好"] * 20


@pytest.fixture(scope="module")
def committed() -> dict:
    return json.loads((DEFAULT_DIR / "tokenizer.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def trained() -> dict:
    return script.train(iter(TEXTS))


def test_training_is_reproducible(trained):
    assert script.train(iter(TEXTS)) == trained


@pytest.mark.parametrize("part", ["normalizer", "pre_tokenizer", "post_processor", "decoder"])
def test_the_committed_file_has_the_scripts_components(committed, trained, part):
    assert committed[part] == trained[part]


def test_the_committed_file_has_the_scripts_added_tokens(committed):
    tokens = [(token["content"], token["special"]) for token in committed["added_tokens"]]
    assert tokens == [(t, True) for t in script.SPECIAL] + [(t, False) for t in script.TAGS]


def test_the_committed_configuration_is_the_scripts():
    path = DEFAULT_DIR / "tokenizer_config.json"
    assert json.loads(path.read_text(encoding="utf-8")) == script.config()


def test_docstrings_of_every_kind_are_read():
    source = '"""m"""\nclass C:\n "c"\n async def f(self):\n  "f"\ndef g(): "g"\ndef h(): pass\n'
    assert sorted(script.docstrings(source)) == ["c", "f", "g", "m"]


def test_sources_leave_optional_modules_out(tmp_path):
    for name in ("json/__init__.py", "json/test/test_json.py", "test/support.py", "ast.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    found = [path.relative_to(tmp_path) for path in script.source_files(tmp_path)]
    assert found == [Path("ast.py"), Path("json/__init__.py")]
