"""What the docs say of the texts that metrics read is what the metrics declare."""

from __future__ import annotations

import runpy
from dataclasses import fields
from pathlib import Path

import pytest

from captious.metrics import known_metrics
from captious.models.encoders.long_texts import LONG

ROOT = Path(__file__).parents[2]
OURS = {name: one for name, one in known_metrics().items() if one.__module__.startswith("captious.")}


def test_the_page_of_metrics_lists_what_they_declare() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "docs" / "metric_texts.py"))
    page = script["PAGE"].read_text(encoding="utf-8")
    assert script["with_table"](page) == page, "run python scripts/docs/metric_texts.py"
    for name, metric in OURS.items():
        longest = str(metric.longest) if metric.longest is not None else "any"
        (row,) = (line for line in script["table"]().splitlines() if f"`{name}`" in line)
        _, reads, _, languages, *_ = (cell.strip() for cell in row.split(" |"))
        assert (reads, languages) == (longest, ", ".join(metric().languages()))


@pytest.mark.parametrize("name", OURS)
def test_a_declaration_agrees_with_the_option(name: str) -> None:
    metric = OURS[name]
    defaults = {field.name: field.default for field in fields(metric)}  # type: ignore[arg-type]
    if metric.longest is None:
        return
    assert metric.longest.default in metric.longest.beyond
    assert set(metric.longest.beyond) <= set(LONG)
    if "long" in defaults:
        assert defaults["long"] == metric.longest.default
        assert metric.longest.beyond == LONG
    else:
        assert metric.longest.beyond == (metric.longest.default,)
