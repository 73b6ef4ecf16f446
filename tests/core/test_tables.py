"""Tables of saved models: bytes as memory, and memory as bytes."""

import pytest

from textcore.core.tables import copied


@pytest.mark.parametrize("table", [b"", b"abcdefgh", bytes(4096)])
def test_a_table_is_copied(table):
    assert copied(table, 4) == table


def test_a_part_of_an_entry_is_refused():
    with pytest.raises(ValueError, match="table: 7 bytes; expected 4"):
        copied(b"abcdefg", 4)
