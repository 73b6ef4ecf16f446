"""Bounds on what a schema may cost before it is refused: its depth and the work it takes."""

from __future__ import annotations

from typing import Any, Final

from ...errors import UnsupportedError

DEPTH_LIMIT: Final = 50
"""Deepest nesting of schemas, and of values in ``enum`` and ``const``."""

WORK_LIMIT: Final = 1_000_000
"""Steps that one schema may take: schemas read, merged and compared, patterns run."""


class Work:
    """A budget shared by everything done for one schema."""

    def __init__(self, limit: int = WORK_LIMIT) -> None:
        self.left = limit
        self.depth = 0
        self.meetings: dict[tuple[int, int], tuple[Any, Any, Any]] = {}
        """What two schemas that are read late have in common, by their identities."""

    def spend(self, steps: int, place: str) -> None:
        """Take ``steps`` off; raise UnsupportedError at ``place`` when none are left."""
        self.left -= steps
        if self.left < 0:
            raise UnsupportedError(place, "the schema takes too many steps to be forced")
