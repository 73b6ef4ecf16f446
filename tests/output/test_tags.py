"""TagStreamer against a twin that searches the whole text with str.find."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textcore.output.tags import TagStreamer

Pieces = list[tuple[bool, str]]


def joined(pieces: Pieces) -> Pieces:
    groups = itertools.groupby(pieces, key=lambda piece: piece[0])
    return [(inside, "".join(text for _, text in group)) for inside, group in groups]


def twin(text: str, open_tag: str, close_tag: str, inside: bool) -> Pieces:
    pieces: Pieces = []
    position = 0
    while True:
        tag = close_tag if inside else open_tag
        end = text.find(tag, position)
        part = text[position:] if end < 0 else text[position:end]
        if part:
            pieces.append((inside, part))
        if end < 0:
            return joined(pieces)
        position, inside = end + len(tag), not inside


tag_texts = st.text("<a>", min_size=1, max_size=4)


@given(st.lists(st.text("<a>b", max_size=6)), tag_texts, tag_texts, st.booleans())
def test_any_chunking_gives_the_definition(
    deltas: list[str], open_tag: str, close_tag: str, inside: bool
) -> None:
    streamer = TagStreamer(open_tag, close_tag, inside)
    fed = [streamer.feed(delta) for delta in deltas]
    fed.append(streamer.feed("", final=True))
    for pieces in fed:
        assert joined(pieces) == pieces
        assert all(text for _, text in pieces)
    assert joined([*itertools.chain(*fed)]) == twin("".join(deltas), open_tag, close_tag, inside)


def test_text_comes_as_soon_as_it_is_certain() -> None:
    streamer = TagStreamer("<think>", "</think>")
    assert streamer.feed("a<b <thi") == [(False, "a<b ")]
    assert streamer.feed("nk>c</think") == [(True, "c")]
    assert streamer.feed("ing") == [(True, "</thinking")]
    assert streamer.feed("</think><", final=True) == [(False, "<")]


def test_an_empty_inside_joins_its_neighbours() -> None:
    assert TagStreamer("<t>", "</t>").feed("a<t></t>b", final=True) == [(False, "ab")]


def test_a_tag_that_is_not_looked_for_is_text() -> None:
    streamer = TagStreamer("<t>", "</t>", start_inside=True)
    assert streamer.feed("a<t>b</t>c</t>", final=True) == [(True, "a<t>b"), (False, "c</t>")]


def test_one_tag_can_do_both() -> None:
    assert TagStreamer("`", "`").feed("a`b`c", True) == [(False, "a"), (True, "b"), (False, "c")]


def test_wrong_uses() -> None:
    with pytest.raises(ValueError, match="empty"):
        TagStreamer("", "</t>")
    with pytest.raises(TypeError):
        TagStreamer("<t>", None)  # type: ignore[arg-type]
    streamer = TagStreamer("<t>", "</t>")
    with pytest.raises(TypeError):
        streamer.feed(b"a")  # type: ignore[arg-type]
    streamer.feed("", final=True)
    with pytest.raises(ValueError, match="final"):
        streamer.feed("a")


def test_many_tags_and_much_of_a_tag_are_linear() -> None:
    start = time.perf_counter()
    assert len(TagStreamer("<t>", "</t>").feed("a<t>b</t>" * 100_000, True)) == 200_000
    streamer = TagStreamer("<" * 1000 + "t>", "</t>")
    assert sum(len(text) for _ in range(100_000) for _, text in streamer.feed("<<<<")) == 399_000
    assert time.perf_counter() - start < 10
