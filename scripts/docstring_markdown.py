"""Docstrings as Markdown: inline markup, and the sections of Google's and numpy's styles."""

from __future__ import annotations

import re
import textwrap

TITLES = {
    "Args": "Arguments",
    "Attributes": "Attributes",
    "Parameters": "Arguments",
    "Raises": "Raises",
    "Returns": "Returns",
    "Yields": "Yields",
}
# "name: text" in Google's style; a name may be several, or have its stars or type.
ITEM = re.compile(r"(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*(?: \([^)]*\))?): (.*)")


def inline(text: str) -> str:
    """Roles and double backquotes as Markdown's code."""
    text = re.sub(r":[a-z]+:`~?(?:[\w.]*\.)?([^`.]+)`", r"`\1`", text)
    return text.replace("``", "`")


def blocks(lines: list[str]) -> list[list[str]]:
    """Lines in groups: each begins with a line that isn't indented."""
    groups: list[list[str]] = []
    for line in lines:
        if groups and (not line or line.startswith(" ")):
            groups[-1].append(line)
        elif line:
            groups.append([line])
    return groups


def continued(first: str, rest: list[str]) -> list[str]:
    """A list item's lines: what follows the first is indented under it."""
    body = textwrap.dedent("\n".join(rest)).strip("\n").split("\n") if rest else []
    return [f"- {first}".rstrip(), *(f"  {line}".rstrip() for line in body)]


def google_section(lines: list[str]) -> list[str]:
    """The body of ``Args:`` and the like, without its indentation."""
    groups = blocks(lines)
    if not all(ITEM.match(group[0]) for group in groups):
        return lines
    found: list[str] = []
    for first, *rest in groups:
        match = ITEM.match(first)
        assert match is not None
        found += continued(f"`{match[1]}`: {match[2]}", rest)
    return found


def numpy_section(lines: list[str]) -> list[str]:
    """The body under ``Parameters`` and a rule."""
    found: list[str] = []
    for first, *rest in blocks(lines):
        name, _, kind = first.partition(" : ")
        head = f"`{name}`" + (f" ({kind})" if kind else "")
        found += continued(head + (":" if any(rest) else ""), rest)
    return found


def section_at(lines: list[str], index: int) -> tuple[str, int, int] | None:
    """A section that begins at a line: its title, where its body begins, where it ends."""
    line = lines[index]
    if line.endswith(":") and line[:-1] in TITLES:
        end = index + 1
        while end < len(lines) and (not lines[end] or lines[end].startswith(" ")):
            end += 1
        return line[:-1], index + 1, end
    if line in TITLES and index + 1 < len(lines) and set(lines[index + 1]) == {"-"}:
        end = index + 2
        while end < len(lines) and (end + 1 == len(lines) or set(lines[end + 1]) != {"-"}):
            end += 1
        return line, index + 2, end
    return None


def markdown(doc: str) -> str:
    """A cleaned docstring as Markdown."""
    lines = doc.split("\n")
    found: list[str] = []
    index = 0
    while index < len(lines):
        section = section_at(lines, index)
        if section is None:
            found.append(lines[index])
            index += 1
            continue
        title, start, end = section
        body = textwrap.dedent("\n".join(lines[start:end])).strip("\n").split("\n")
        google = lines[index].endswith(":")
        found += [f"**{TITLES[title]}**", ""]
        found += [*(google_section(body) if google else numpy_section(body)), ""]
        index = end
    return inline("\n".join(found)).strip("\n")
