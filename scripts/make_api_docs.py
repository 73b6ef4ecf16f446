"""Write docs/api.md from the docstrings of the public names.

    python scripts/make_api_docs.py [--check]

Signatures come from the source, or from the stub beside a compiled module, and docstrings
from the imported objects; so textcore must be built. The result depends on nothing else.
``--check`` writes nothing and exits with 1 where docs/api.md is out of date.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec, resolve_name
from pathlib import Path

from docstring_markdown import markdown

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "api.md"
MAX_WIDTH = 88
ERROR_MODULES = ("textcore.errors", "textcore.chat.errors")
SECTIONS = {
    "Tokenizer": ("Tokenizer", "Encoding", "bytes_to_unicode"),
    "Streams": ("IncrementalDetokenizer", "StopChecker"),
    "Chat templates": ("render_chat", "CHATML_TEMPLATE"),
    "Reasoning and tool calls": (
        "OutputParser",
        "ResponseStream",
        "TagStreamer",
        "parse_tool_calls",
        "openai_tool_call",
    ),
    "Forcing": ("tool_call_pattern", "json_schema_to_regex", "regex_escape"),
}
INTRODUCTION = """\
# API reference

Made from the docstrings by `scripts/make_api_docs.py`; don't edit it here. The names up to
[Errors](#errors) are imported from `textcore` itself. Everything else is internal.
"""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Definition:
    """Where a name is defined: its module and the statement there."""

    module: str
    node: ast.stmt
    doc: str


# -- finding definitions ------------------------------------------------------------------


def source_of(module: str) -> Path:
    """The Python source of a module, or the stub beside a compiled one."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise LookupError(f"{module}: no such module")
    origin = Path(spec.origin)
    if origin.suffix == ".py":
        return origin
    return origin.with_name(module.rpartition(".")[2] + ".pyi")


@cache
def statements(module: str) -> tuple[ast.stmt, ...]:
    """The top-level statements of a module."""
    return tuple(ast.parse(source_of(module).read_text(encoding="utf-8")).body)


def target(statement: ast.stmt) -> str | None:
    """The name that a top-level statement defines."""
    if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return statement.name
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return None


def note_after(body: tuple[ast.stmt, ...], index: int) -> str:
    """The string that stands under an assignment: the docstring of a constant."""
    if index + 1 < len(body):
        following = body[index + 1]
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            return inspect.cleandoc(str(following.value.value))
    return ""


def absolute(statement: ast.ImportFrom, module: str) -> str:
    """The full name of the module that ``module`` imports from."""
    if not statement.level:
        return statement.module or ""
    package = module if source_of(module).stem == "__init__" else module.rpartition(".")[0]
    return resolve_name("." * statement.level + (statement.module or ""), package)


def find(name: str, module: str) -> Definition:
    """The definition of a name that a module defines or imports from one of ours."""
    body = statements(module)
    for index, statement in enumerate(body):
        if target(statement) == name:
            if isinstance(statement, ast.Assign | ast.AnnAssign):
                return Definition(module, statement, note_after(body, index))
            found = getattr(importlib.import_module(module), name)
            return Definition(module, statement, inspect.getdoc(found) or "")
    for statement in body:
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                if (alias.asname or alias.name) == name:
                    return find(alias.name, absolute(statement, module))
    raise LookupError(f"{module}: {name} is neither defined nor imported there")


# -- writing ------------------------------------------------------------------------------


def parameter(argument: ast.arg, default: ast.expr | None, stars: str = "") -> str:
    """One parameter as its source spells it."""
    text = stars + argument.arg
    if argument.annotation:
        text += f": {ast.unparse(argument.annotation)}"
    if default is None:
        return text
    value = ast.unparse(default)
    if value[0] == value[-1] == "'" and '"' not in value and "\\" not in value:
        value = f'"{value[1:-1]}"'  # as the source is formatted
    return f"{text}{' = ' if argument.annotation else '='}{value}"


def parameters(given: ast.arguments) -> list[str]:
    """All parameters, with the marks that make some positional or keyword only."""
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + given.defaults
    parts = [parameter(*pair) for pair in zip(plain, defaults, strict=True)]
    if given.posonlyargs:
        parts.insert(len(given.posonlyargs), "/")
    if given.vararg:
        parts.append(parameter(given.vararg, None, "*"))
    elif given.kwonlyargs:
        parts.append("*")
    parts += [parameter(*pair) for pair in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    if given.kwarg:
        parts.append(parameter(given.kwarg, None, "**"))
    return parts


def signature(name: str, function: Function | None, *, method: bool = False) -> str:
    """How a function is called, with a parameter a line where that would be long."""
    if function is None:
        return f"{name}()"
    parts = parameters(function.args)
    if method and not has_decorator(function, "staticmethod"):
        del parts[0]
        if parts and parts[0] == "/":
            del parts[0]
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    line = f"{name}({', '.join(parts)}){returns}"
    if len(line) <= MAX_WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"


def code(text: str) -> str:
    return f"```python\n{text}\n```\n"


def has_decorator(function: Function, name: str) -> bool:
    return any(ast.unparse(decorator) == name for decorator in function.decorator_list)


@cache
def documented() -> frozenset[str]:
    """The names that have entries of their own."""
    public: list[str] = importlib.import_module("textcore").__all__
    return frozenset([*public, *(name for module in ERROR_MODULES for name in classes(module))])


def members(definition: Definition) -> Iterator[tuple[Function, str]]:
    """The public methods and properties of a class, with those of bases that have no entry."""
    assert isinstance(definition.node, ast.ClassDef)
    found: dict[str, tuple[Function, str]] = {}
    for base in definition.node.bases:
        try:
            parent = find(ast.unparse(base), definition.module)
        except LookupError:
            continue
        if isinstance(parent.node, ast.ClassDef) and parent.node.name not in documented():
            found.update((node.name, (node, doc)) for node, doc in members(parent))
    owner = getattr(importlib.import_module(definition.module), definition.node.name)
    for node in definition.node.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_":
            found[node.name] = (node, inspect.getdoc(getattr(owner, node.name, None)) or "")
    yield from found.values()


def class_lines(name: str, definition: Definition) -> Iterator[str]:
    """A class: how it is made, what it is, its methods and properties."""
    node = definition.node
    assert isinstance(node, ast.ClassDef)
    made = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    call = signature(f"class {name}", made[-1] if made else None, method=True)
    yield code(call.removesuffix(" -> None").removesuffix("()"))
    if issubclass(getattr(importlib.import_module(definition.module), name), Exception):
        bases = " and ".join(f"`{ast.unparse(base)}`" for base in node.bases)
        yield f"Derives from {bases}.\n"
    yield markdown(definition.doc) + "\n"
    for member, doc in members(definition):
        yield f"#### `{name}.{member.name}`\n"
        if has_decorator(member, "property"):
            kind = f": {ast.unparse(member.returns)}" if member.returns else ""
            yield code(f"{member.name}{kind}")
        else:
            yield code(signature(member.name, member, method=True))
        yield markdown(doc) + "\n"


def constant_type(name: str, definition: Definition) -> str:
    """A constant's type: as annotated, or the type of its value."""
    if isinstance(definition.node, ast.AnnAssign):
        return ast.unparse(definition.node.annotation)
    return type(getattr(importlib.import_module(definition.module), name)).__name__


def entry(name: str, module: str) -> Iterator[str]:
    """The lines of one public name."""
    definition = find(name, module)
    yield f"### `{name}`\n"
    if isinstance(definition.node, ast.ClassDef):
        yield from class_lines(name, definition)
    elif isinstance(definition.node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield code(signature(name, definition.node))
        yield markdown(definition.doc) + "\n"
    else:
        yield code(f"{name}: {constant_type(name, definition)}")
        yield markdown(definition.doc) + "\n"


def classes(module: str) -> list[str]:
    """The classes that a module defines, in the order of the source."""
    return [s.name for s in statements(module) if isinstance(s, ast.ClassDef)]


def render() -> str:
    """The whole page."""
    public: list[str] = importlib.import_module("textcore").__all__
    placed = {name for names in SECTIONS.values() for name in names}
    sections = dict(SECTIONS)
    if more := tuple(name for name in public if name not in placed):
        sections["More"] = more
    lines = [INTRODUCTION]
    for title, names in sections.items():
        lines.append(f"## {title}\n")
        for name in names:
            lines.extend(entry(name, "textcore"))
    lines.append("## Errors\n")
    for module in ERROR_MODULES:
        lines.append(f"In `{module}`:\n")
        for name in classes(module):
            lines.extend(entry(name, module))
    lines.append("## The packaged tokenizer\n")
    lines.append("In `textcore.data`.\n")
    for name in ("default_tokenizer", "DEFAULT_DIR"):
        lines.extend(entry(name, "textcore.data"))
    lines.append("## Grammars\n")
    lines.append("In `textcore.output.tool_choice`.\n")
    for name in ("tool_call_grammar", "ToolCallGrammar"):
        lines.extend(entry(name, "textcore.output.tool_choice"))
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    """Write the page, or compare it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check: bool = parser.parse_args().check
    sys.path.insert(0, str(ROOT))
    page = render()
    if check:
        current = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page
        print(f"{PAGE.relative_to(ROOT)} is {'current' if current else 'out of date'}")
        return 0 if current else 1
    PAGE.write_text(page, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
