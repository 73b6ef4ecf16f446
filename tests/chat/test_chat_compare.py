"""The script that compares a folder of templates with transformers."""

import sys

import compare_chat_templates
import pytest
from compare_chat_templates import Outcome

TEMPLATE = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "plain.jinja").write_text(TEMPLATE, encoding="utf-8")
    (tmp_path / "broken.jinja").write_text("{% if %}", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["compare", str(tmp_path)])
    return tmp_path


def test_equal_templates_are_a_success(folder, capsys):
    assert compare_chat_templates.main() == 0
    assert "2 templates, 0 differences" in capsys.readouterr().out


def test_a_difference_is_shown_and_fails(folder, capsys, monkeypatch):
    monkeypatch.setattr(compare_chat_templates, "ours", lambda *_: Outcome(False, "else"))
    assert compare_chat_templates.main() == 1
    assert "textcore:  Outcome(refused=False, text='else')" in capsys.readouterr().out


def test_an_empty_folder_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["compare", str(tmp_path)])
    assert compare_chat_templates.main() == 1


def test_ids_are_compared_too(folder, capsys, monkeypatch):
    from textcore.data import DEFAULT_DIR

    monkeypatch.setattr(sys, "argv", [*sys.argv, "--model-dir", str(DEFAULT_DIR)])
    assert compare_chat_templates.main() == 0
