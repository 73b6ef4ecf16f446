"""Windows against the automaton that they are made from."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textcore.core.windows import WindowScanner, levels
from textcore.pipeline.patterns import compile_pattern
from textcore.pipeline.patterns.windows import find_windows

PATTERNS = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "cl100k": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
        r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "o200k": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
        r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}|"
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "spaces apart": r"\s|\S+",
    "runs": r" +|[^ ]",
    "long look": r"\s+x|\s+|\S",
    "pairs": r"(?m:..)|(?m:.)",
    "digits": r"\d{1,3}",
    "han and kana": r"[一-龥\u3040-ゟ゠-ヿ]+",
    "deepseek": (
        r"[!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|"
        r"\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "longer or shorter": r"a|abc|lx",
    "not before": r"x(?!y)|\n+",
    "a space before": r" ?\p{L}+",
}
PIECES = [
    " ", "  ", "     ", "\n", "\r\n", "\t", "\n    ", "   \n", "a", "the", "I'll", "'s", "'re",
    "'", "''", "ll", "X", "HTML", "12", "1234567", ".", "...", "/", "//\n", "é", "ñandú", "中文",
    "\u3000", "\u00a0", "ſ", "👍🏽", "x", "y", "abc", "、", "ー", "\x00", "e\u0301",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=80).map("".join)
long_texts = st.tuples(st.sampled_from(PIECES), st.integers(400, 1100), texts).map(
    lambda parts: (parts[0] * parts[1])[: parts[1]] + parts[2]
)


def scanner(pattern, level):
    compiled = compile_pattern(pattern, "oniguruma")
    windows = compiled.windows
    assert windows is not None
    return compiled, WindowScanner(compiled.automaton, **vars(windows), level=level)


def pieces(compiled, text):
    ends = compiled.automaton.find_cuts(text)
    return [text[a:b] for a, b in zip([0, *ends], ends, strict=False)]


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("name", PATTERNS)
@settings(max_examples=60)
@given(text=texts | long_texts)
def test_cut_as_the_automaton_cuts(name, level, text):
    compiled, windows = scanner(PATTERNS[name], level)
    assert windows.cut(text) == pieces(compiled, text)


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("name", ["cl100k", "o200k", "han and kana"])
def test_characters_of_all_sizes(name, level):
    """So many in a block that their groups are looked up together, some over its end."""
    draw = random.Random(1)
    kinds = ((0x80, 0x800), (0x800, 0xD800), (0x3040, 0x3100), (0xE000, 0x10000))
    compiled, windows = scanner(PATTERNS[name], level)
    for _ in range(150):
        some = draw.choices([*kinds, (0x10000, 0x11000), (0x20, 0x80)], k=draw.randint(1, 6))
        letters = [chr(draw.randrange(*draw.choice(some))) for _ in range(draw.randint(1, 300))]
        text = "".join(letters)
        assert windows.cut(text) == pieces(compiled, text)


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("size", [*range(60, 70), *range(1020, 1030), *range(2044, 2052)])
def test_texts_around_a_block_or_chunk(level, size):
    compiled, windows = scanner(PATTERNS["cl100k"], level)
    for unit in ("a", " ", "a ", "\n ", "é", "中", "。a", "1"):
        for end in ("", " ", "b", "  c"):
            text = (unit * size)[:size] + end
            assert windows.cut(text) == pieces(compiled, text)


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("name", ["cl100k", "gpt2", "a space before"])
def test_runs_of_spaces_end_by_what_follows(name, level):
    """Several runs in a block of 64, of all lengths, that end differently, some beyond it."""
    compiled, windows = scanner(PATTERNS[name], level)
    after = ("a", "1", ".", "\n", "é", "中", "\t", "'s")
    for first in range(1, 68):
        text = " " * first
        for i, what in enumerate(after):
            text += what + " " * ((first * (i + 2)) % 11)
        assert windows.cut(text) == pieces(compiled, text)


OUTSIDE = 15
UNKNOWN = 2
tables_of = st.lists(st.integers(0, 15), min_size=256, max_size=256).map(bytes)
few_states = st.lists(st.integers(0, 1), min_size=256, max_size=256).map(bytes)
few_verdicts = st.lists(st.sampled_from([0] * 6 + [1, 2]), min_size=256, max_size=256).map(bytes)


def told(groups, space, ends, second, third, right, verdicts):
    """What the tables say of each place of a text, given as the groups of its characters."""
    around = [OUTSIDE] * 3 + groups + [OUTSIDE]
    said = []
    for at in range(3, len(around) - 1):
        state = third[second[around[at - 3] << 4 | around[at - 2]] << 4 | around[at - 1]]
        behind = next_ = around[at + 1]
        run = at + 1
        while next_ == space:
            run += 1
            next_ = around[run]
        if behind == space:
            behind = ends[next_] or space
        said.append(verdicts[state << 4 | right[around[at] << 4 | behind]])
    return said


@pytest.mark.parametrize("level", levels())
@settings(max_examples=25, deadline=None)
@given(
    second=few_states | tables_of,
    third=few_states | tables_of,
    right=few_states | tables_of,
    verdicts=few_verdicts,
    ends=st.lists(st.sampled_from([0, 11, 12, 13]), min_size=16, max_size=16),
    parts=st.lists(st.sampled_from([*PIECES, " " * 64]), max_size=40),
)
def test_any_tables_are_read_as_they_are(level, second, third, right, verdicts, ends, parts):
    """Even where so few surroundings are alike that a version can't tell all of them apart.

    A run of spaces that goes on beyond a block may be taken for one whose end is not known.
    """
    compiled = compile_pattern(PATTERNS["cl100k"], "oniguruma")
    groups, space = compiled.windows.groups, compiled.windows.space
    text = "".join(parts)
    ends[space] = 0
    tables = (second, third, right, verdicts)
    windows = WindowScanner(
        compiled.automaton, groups, space, bytes(ends), *tables, b"", b"", b"", level
    )
    read = [groups[compiled.tables.symbol(ord(char))] for char in text]
    said = told(read, space, bytes(ends), *tables)
    endless = told(read, space, bytes(16), *tables)
    found = windows.verdicts(text)
    assert len(found) == len(said)
    assert all(x in (y, z, UNKNOWN) for x, y, z in zip(found, said, endless, strict=True))


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("name", PATTERNS)
@settings(max_examples=25, deadline=None)
@given(text=texts)
def test_no_version_knows_less(name, level, text):
    """Of a text of one block all that the tables say is known."""
    compiled, windows = scanner(PATTERNS[name], level)
    made = compiled.windows
    text = text[:60]
    groups = [made.groups[compiled.tables.symbol(ord(char))] for char in text]
    expected = told(
        groups, made.space, made.ends, made.second, made.third, made.right, made.verdicts
    )
    assert windows.verdicts(text) == expected


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k"])
def test_prose_is_nearly_all_decided(name):
    compiled = compile_pattern(PATTERNS[name], "oniguruma")
    made, windows = compiled.tables, compiled.windows
    text = (
        "   It is the rule (not a guess): every word is known; größer, 人人生而自由，等。 All!\n"
        * 2
    )
    groups = [windows.groups[made.symbol(ord(char))] for char in text]
    unknown = 0
    for at in range(3, len(text) - 1):
        left = windows.second[groups[at - 3] << 4 | groups[at - 2]]
        left = windows.third[left << 4 | groups[at - 1]]
        right = windows.right[groups[at] << 4 | groups[at + 1]]
        unknown += windows.verdicts[left << 4 | right] == 2
    assert unknown < len(text) / 40


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cl100k", "In 1995 (or 20010911), 123456789012345678901234567 of them; x4096"),
        ("o200k", "In 1995 (or 20010911), 123456789012345678901234567 of them; 4096x"),
        ("deepseek", "Die Unterst\u00fctzung der gro\u00dfen, Abh\u00e4ngigkeiten sind da"),
    ],
)
def test_what_stands_before_a_run_decides(name, text, level):
    """Which three characters alone don't: their verdicts leave some places open."""
    _, windows = scanner(PATTERNS[name], level)
    assert UNKNOWN in windows.verdicts(text)[1:]
    assert UNKNOWN not in windows.verdicts(text, back=True)[1:]


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("name", PATTERNS)
@settings(max_examples=40, deadline=None)
@given(text=st.lists(st.sampled_from(PIECES), max_size=300).map("".join) | long_texts)
def test_what_is_said_of_places_behind_runs_is_true(name, level, text):
    compiled, windows = scanner(PATTERNS[name], level)
    ends = {0, *compiled.automaton.find_cuts(text)}
    said = windows.verdicts(text, back=True)
    assert all(verdict in (UNKNOWN, at in ends) for at, verdict in enumerate(said) if at)


def test_a_table_that_comes_back_to_its_start_has_none():
    assert find_windows([[0, 1]], lambda code: 0) is None


@pytest.mark.parametrize("level", [-1, 3])
def test_an_unknown_level_is_refused(level):
    with pytest.raises(ValueError, match="can't run here"):
        scanner(PATTERNS["gpt2"], level)


def wrong_tables(**wrong):
    compiled = compile_pattern(PATTERNS["cl100k"], "oniguruma")
    return WindowScanner(compiled.automaton, **{**vars(compiled.windows), **wrong}, level=0)


@pytest.mark.parametrize("name", ["second", "third", "right", "verdicts"])
def test_wrong_tables_are_refused(name):
    for table in (b"", bytes(255), b"\x10" * 256):
        with pytest.raises(ValueError, match="256 values below 16"):
            wrong_tables(**{name: table})


@pytest.mark.parametrize(
    ("ends", "space"), [(bytes(15), 1), (b"\x0f" * 16, 1), (bytes(16), 15), (b"\2" * 16, 1)]
)
def test_wrong_runs_of_spaces_are_refused(ends, space):
    with pytest.raises(ValueError, match="runs of spaces"):
        wrong_tables(ends=ends, space=space)


def test_groups_for_other_symbols_are_refused():
    symbols = bytes(compile_pattern(PATTERNS["cl100k"], "oniguruma").automaton.size[1])
    for groups in (symbols[1:], symbols[1:] + b"\x0f"):
        with pytest.raises(ValueError, match="each symbol has a group below 15"):
            wrong_tables(groups=groups, space=0, ends=bytes(16))


@pytest.mark.parametrize(
    "wrong",
    [
        {"lengths": bytes(31)},
        {"lengths": b"\x10" * 32},
        {"row_of": bytes(4095)},
        {"row_of": b"\xff" * 4096},
        {"rows": bytes(63)},
        {"rows": b"\xff" * 64 * 255},
    ],
)
def test_wrong_tables_for_runs_of_a_group_are_refused(wrong):
    with pytest.raises(ValueError, match="runs of a group"):
        wrong_tables(**wrong)
