"""Numbers that papers print, from their own data."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from captious.stats import bootstrap_interval, correlate, correlation_interval


def lines(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.fixture(scope="module")
def thumb(data):
    return lines(data / "thumb" / "mscoco_THumB-1.0.jsonl")


@pytest.mark.parametrize(
    ("system", "total", "reach"),
    [
        ("Human", 4.56, 0.03),
        ("VinVL-large", 4.25, 0.04),
        ("VinVL-base", 4.21, 0.04),
        ("Unified-VLP", 4.06, 0.04),
        ("Up-Down", 3.88, 0.05),
    ],
)
def test_thumb_table_2_totals_with_their_90_percent_intervals(thumb, system, total, reach):
    scores = np.array([row["human_score"] for row in thumb if row["SYS"] == system])
    interval = bootstrap_interval(
        np.column_stack([scores, np.ones(scores.size)]), lambda sums: sums[..., 0] / sums[..., 1], level=0.9
    )
    assert interval.value == pytest.approx(total, abs=0.006)
    # Printed to two digits; another draw of resamples moves an end by a few thousandths.
    assert interval.high - interval.value == pytest.approx(reach, abs=0.01)
    assert interval.value - interval.low == pytest.approx(reach, abs=0.01)


def test_thumb_table_4_spice_without_human(thumb, golden):
    spice = {row["id"]: row["f"] for row in lines(golden / "spice" / "thumb.jsonl.gz")}
    rows = [row for row in thumb if row["SYS"] != "Human"]
    metric = [spice[f"{row['SYS']}|{row['seg_id']}"] for row in rows]
    for aspect, printed in (("P", 0.26), ("R", 0.15), ("human_score", 0.30)):
        judged = [row[aspect] for row in rows]
        assert correlate(metric, judged, method="pearson").value == pytest.approx(printed, abs=0.005)


def test_flickr8k_expert_spice_tau_c(data, golden):
    spice = {row["id"]: row["f"] for row in lines(golden / "spice" / "flickr8k_expert.jsonl.gz")}
    metric, rating, image = [], [], []
    for line in (data / "flickr8k" / "ExpertAnnotations.txt").read_text().splitlines():
        photo, caption, *judged = line.split("\t")
        if caption.startswith(photo):
            continue
        metric += [spice[f"{photo}|{caption}"]] * 3
        rating += [float(value) for value in judged]
        image += [photo] * 3
    assert len(rating) == 16_992
    interval = correlation_interval(metric, rating, method="kendall_c", clusters=image)
    assert interval.value == pytest.approx(0.449, abs=0.0005)  # Hessel et al. 2021, Table 1
    assert interval.low < 0.449 < interval.high
    rows = correlation_interval(metric, rating, method="kendall_c", kind="analytic")
    assert interval.high - interval.low > rows.high - rows.low
