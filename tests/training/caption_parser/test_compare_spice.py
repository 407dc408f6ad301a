"""SPICE of THumB from the official tuples, on a slice of the golden parses."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from compare_spice import exact_items
from reference.golden import read_items, read_parses
from reference.items import SETS

HEAD = 3000


def test_scores_from_the_official_tuples_are_exact(data: Path, golden: Path) -> None:
    items = SETS["thumb"](data)
    scored = read_items(golden, "thumb")
    tuples = {one.caption: one.tuples for one in islice(read_parses(golden), HEAD)}
    equal, of = exact_items(items, [scored[key] for key in items.keys], tuples)
    assert equal == of > 500
