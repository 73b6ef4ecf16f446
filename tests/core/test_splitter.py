"""Splitter against a slow twin that cuts the whole text at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textcore.core.matcher import Matcher
from textcore.core.splitter import Splitter


def twin(text: str, tags: list[str], layout: str, skip: bool) -> tuple[str, str, int, int]:
    """The region's text, the formatting before the delimiter, which delimiter, and its end."""
    for end in range(1, len(text) + 1):
        ending = [tag for tag in tags if text[:end].endswith(tag)]
        if ending:
            tag = max(ending, key=len)
            region, which = text[: end - len(tag)], tags.index(tag)
            break
    else:
        return (text.lstrip(layout) if skip and layout else text), "", -1, len(text)
    if skip and layout:
        region = region.lstrip(layout)
        skip = not region
    kept = region.rstrip(layout) if layout else region
    return kept, "" if skip else region[len(kept) :], which, end


def split(
    pieces: list[str], tags: list[str], layout: str, skip: bool
) -> tuple[str, str, int, int]:
    splitter = Splitter(Matcher(tuple(tags)), layout)
    splitter.start(skip)
    out, fed = "", 0
    for piece in pieces:
        out += splitter.feed(piece)
        if splitter.hit >= 0:
            return out, splitter.before, splitter.hit, fed + splitter.position
        assert splitter.position == len(piece)
        fed += len(piece)
    return out + splitter.finish(), "", -1, fed


tag_lists = st.lists(st.text("<a\n>", min_size=1, max_size=4), max_size=3, unique=True)


@given(
    st.lists(st.text("<a\n>b", max_size=6), max_size=6),
    tag_lists,
    st.sampled_from(["", "\n", "\na", "\u3000\n"]),
    st.booleans(),
)
def test_any_chunking_cuts_where_the_definition_says(
    pieces: list[str], tags: list[str], layout: str, skip: bool
) -> None:
    assert split(pieces, tags, layout, skip) == twin("".join(pieces), tags, layout, skip)


@given(st.lists(st.sampled_from(["漢", "\u3000", "<", "漢>", "\ud800"])), st.booleans())
def test_characters_of_every_width(pieces: list[str], skip: bool) -> None:
    tags, layout = ["<漢>", "\ud800漢"], "\u3000"
    assert split(pieces, tags, layout, skip) == twin("".join(pieces), tags, layout, skip)


def test_only_what_may_be_a_tag_or_formatting_is_held() -> None:
    splitter = Splitter(Matcher(("<tag>",)), "\n")
    assert splitter.feed("a\n\n<t") == "a"
    assert splitter.feed("\n<") == "\n\n<t"
    assert splitter.feed("tag>") == ""
    assert (splitter.before, splitter.tag) == ("\n", "<tag>")


def test_no_tags_hold_nothing() -> None:
    splitter = Splitter(Matcher(()))
    assert splitter.feed("<any\n") == "<any\n"
    assert splitter.tag is None


def test_a_position_must_be_in_the_text() -> None:
    splitter = Splitter(Matcher(("x",)))
    assert splitter.feed("axb", 2) == "b"
    with pytest.raises(ValueError, match="outside"):
        splitter.feed("axb", 4)
    with pytest.raises(ValueError, match="outside"):
        splitter.feed("axb", -1)
    with pytest.raises(TypeError):
        splitter.feed(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("patterns", [("",), ("a", "")])
def test_an_empty_pattern_is_an_error(patterns: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="empty"):
        Matcher(patterns)
