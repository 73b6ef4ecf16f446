"""What is installed: data, stubs, types, and no more imports than needed."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import textcore
from textcore.data import DEFAULT_DIR, default_tokenizer
from textcore.version import __version__

PACKAGE = Path(textcore.__file__).parent
ROOT = Path(__file__).resolve().parent.parent
COMPILED = sorted(path.stem for path in (PACKAGE / "core").glob("*.pyx"))
PUBLIC = {
    "CHATML_TEMPLATE",
    "Encoding",
    "IncrementalDetokenizer",
    "OutputParser",
    "ResponseStream",
    "StopChecker",
    "TagStreamer",
    "Tokenizer",
    "bytes_to_unicode",
    "json_schema_to_regex",
    "openai_tool_call",
    "parse_tool_calls",
    "regex_escape",
    "render_chat",
    "tool_call_pattern",
}
OPTIONAL = ("numpy", "tokenizers", "transformers", "tiktoken", "sentencepiece", "huggingface_hub")


def test_public_names_are_those_that_were_promised():
    assert set(textcore.__all__) - {"__version__"} == PUBLIC


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_public_names_are_there(name):
    assert getattr(textcore, name) is not None


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").is_file()


def test_compiled_modules_are_found():
    assert COMPILED


def stub_names(module: str) -> list[str]:
    """The names that a stub declares, its classes' members as ``Class.member``.

    Attributes of a class are left out where its objects have a ``__dict__``: they are made
    by ``__init__`` and are no names of the class. Protocols are for type checkers alone.
    """
    built = importlib.import_module(f"textcore.core.{module}")
    tree = ast.parse((PACKAGE / "core" / f"{module}.pyi").read_text(encoding="utf-8"))
    names: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and "Protocol" in map(ast.unparse, node.bases):
            continue
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.append(node.name)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.append(node.target.id)
        if isinstance(node, ast.ClassDef):
            has_dict = getattr(built, node.name).__dictoffset__ != 0
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    names.append(f"{node.name}.{member.name}")
                elif isinstance(member, ast.AnnAssign) and not has_dict:
                    names.append(f"{node.name}.{ast.unparse(member.target)}")
    return names


@pytest.mark.parametrize("module", COMPILED)
def test_every_name_of_a_stub_exists_at_run_time(module):
    names = stub_names(module)
    assert names
    built = importlib.import_module(f"textcore.core.{module}")
    for name in names:
        found: object = built
        for part in name.split("."):
            assert hasattr(found, part), f"textcore.core.{module} has no {name}"
            found = getattr(found, part)


def test_the_packaged_tokenizer_is_there_and_loads():
    tokenizer = default_tokenizer()
    assert tokenizer.vocab_size == 4096
    assert tokenizer.eos_token == "<|im_end|>"
    assert not tokenizer.chat_template


def test_the_packaged_tokenizer_is_small():
    assert sum(path.stat().st_size for path in DEFAULT_DIR.iterdir()) < 300_000


def test_the_packaged_tokenizer_has_one_id_a_token():
    spec = json.loads((DEFAULT_DIR / "tokenizer.json").read_text(encoding="utf-8"))
    ids = [*spec["model"]["vocab"].values(), *(token["id"] for token in spec["added_tokens"])]
    assert sorted(ids) == list(range(4096))


def test_importing_needs_no_optional_package():
    code = f"import sys, textcore; print([m for m in {OPTIONAL!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("module", COMPILED)
def test_a_compiled_module_imports_no_python_module_of_ours(module):
    code = (
        f"import sys, textcore.core\nbefore = set(sys.modules)\nimport textcore.core.{module}\n"
        "new = set(sys.modules) - before\n"
        "print(sorted(m for m in new if m.startswith('textcore.') and '.core.' not in m))"
    )
    # `import textcore` itself brings the whole library in; the package is emptied for this.
    empty = (
        f"import sys, types\np = types.ModuleType('textcore')\np.__path__ = [{str(PACKAGE)!r}]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{empty}sys.modules['textcore'] = p\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


def test_every_directory_with_code_is_a_package():
    # The build finds packages by their __init__.py and would leave the others out.
    folders = {path.parent for pattern in ("*.py", "*.pyx") for path in PACKAGE.rglob(pattern)}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_the_changelog_has_the_version():
    assert f"\n## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
