"""The shipped weights against golden parses of captions kept from their training."""

from __future__ import annotations

from pathlib import Path

import pytest
from reference.agreement import parser_agreement
from reference.division import Division
from reference.golden import GoldenParse, read_parses

from captious.text.parser import caption_parser


@pytest.fixture(scope="module")
def kept(data: Path, golden: Path) -> list[GoldenParse]:
    division = Division(data, benchmarks_held_out=False)
    return [row for row in read_parses(golden) if division.part(row.caption) == "kept"]


@pytest.mark.long
def test_agrees_with_golden_parses_of_kept_images(kept: list[GoldenParse]) -> None:
    found = parser_agreement(caption_parser(), kept)["all"]
    assert found.captions == 15_466
    assert found.tags >= 0.98
    assert found.las >= 0.94
    assert found.tuple_f1 >= 0.92


@pytest.mark.long
def test_no_set_is_read_much_worse_than_the_others(kept: list[GoldenParse]) -> None:
    by_set = parser_agreement(caption_parser(), kept)
    for name in ("thumb", "karpathy", "flickr8k", "nebula", "pascal50s"):
        assert by_set[name].las >= 0.925, name
