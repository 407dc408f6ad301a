"""The course of a campaign: what is forecast, and that agreement is followed to the end."""

from __future__ import annotations

import numpy as np
import pytest

from captious.campaigns.results.course import forecast, progress_table


def test_an_even_pace_goes_on_as_it_was() -> None:
    # One response every 60 s for an hour, 60 of 120: the other 60 take another hour.
    times = [60.0 * at for at in range(61)]
    ahead = forecast(times, 3600.0, 121)
    assert ahead[0].expected == 61
    assert ahead[-1].time == pytest.approx(7200, rel=0.05)
    assert ahead[-1].expected == 121


def test_the_interval_holds_what_comes_in_nineteen_of_twenty() -> None:
    """Poisson arrivals: 200 in 100 hours, then as many as came in the next 40 hours."""
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(400):
        times = np.sort(rng.uniform(0, 100, 200))
        later = rng.poisson(2.0 * 40)
        at = forecast(times.tolist(), 100.0, 10_000)
        fewest = np.interp(140, [one.time for one in at], [one.fewest for one in at])
        most = np.interp(140, [one.time for one in at], [one.most for one in at])
        inside += fewest <= 200 + later <= most
    # 0.95 for normal sums; with 12 spans and interpolated ends a little less.
    assert 0.88 <= inside / 400 <= 0.99


def test_no_forecast_where_nothing_came_lately_or_nothing_is_left() -> None:
    times = [float(at) for at in range(20)]
    assert forecast(times, 10_000.0, 100) == []
    assert forecast(times, 20.0, 20) == []
    (table,) = progress_table(times, 10_000.0, 100)
    assert "no responses" in table.note
    assert {row[4] for row in table.rows} == {"so far"}


def test_the_table_ends_with_what_stands_and_what_is_wanted() -> None:
    times = [60.0 * at for at in range(61)]
    (table,) = progress_table(times, 3600.0, 121)
    so_far = [row for row in table.rows if row[4] == "so far"]
    assert so_far[-1][1] == 61
    assert table.rows[-1][1] == 121
    # The latest 12 spans of 150 s hold 31 responses; 60 more take 60 / (31 / 12) * 150 s = 58 min 4 s.
    assert table.note == (
        "at this pace all 121 responses arrive about 1970-01-01 01:58 UTC, if there are enough raters"
    )
    assert table.chart is not None
    assert table.chart.goal == 121
    assert table.chart.y_scale is not None
    assert table.chart.y_scale[0] == 0
