import zlib

from hypothesis import given
from hypothesis import strategies as st

from textcore.unicode import store

CUTS = st.sets(st.integers(0, 0x10FFFF), max_size=40).map(sorted)
RANGES = CUTS.map(lambda cuts: tuple(zip(cuts[::2], cuts[1::2], strict=False)))


@given(ranges=RANGES)
def test_ranges_survive(ranges):
    assert store.decode_ranges(store.encode_ranges(ranges)) == ranges


@given(numbers=st.lists(st.integers(0, 2**40)))
def test_varints_survive(numbers):
    assert store.read_varints(b"".join(map(store.write_varint, numbers))) == numbers


@given(tables=st.dictionaries(st.text("abc[]\\=", min_size=1), RANGES, max_size=8))
def test_files_survive(tables, tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "tables.bin"
    path.write_bytes(zlib.compress(store.pack({"unicode": "16.0"}, tables)))
    read = store.Store(path)
    assert read.facts == {"unicode": "16.0"}
    assert read.names == frozenset(tables)
    assert {name: read.ranges(name) for name in read.names} == tables


def test_equal_tables_are_stored_once():
    one = store.pack({}, {"a": ((1, 9),)})
    assert len(store.pack({}, {"a": ((1, 9),), "b": ((1, 9),)})) == len(one) + len(" b")
