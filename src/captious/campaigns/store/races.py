"""What is raised where two transactions wanted the same."""

from __future__ import annotations


class LostRaceError(Exception):
    """Someone else was faster: the transaction is rolled back and run again."""
