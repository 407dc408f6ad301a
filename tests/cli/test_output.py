"""Progress for a log file says no rate that it cannot know."""

from __future__ import annotations

import io

from captious.cli.output import LogLines


def said(times: list[float], reports: list[tuple[str, int]]) -> list[str]:
    clock, log = iter([0.0, *times]), io.StringIO()
    lines = LogLines(clock=lambda: next(clock), file=log)
    for what, done in reports:
        lines(what, done, 400)
    return log.getvalue().splitlines()


def test_work_first_heard_of_in_its_middle_has_no_rate_yet() -> None:
    assert said([70.0, 140.0], [("epochs", 200), ("epochs", 270)]) == [
        "epochs: 200 of 400",
        "epochs: 270 of 400, 1.0/s, about 2 min left",  # 70 epochs in 70 s, 130 are left
    ]


def test_the_next_seed_begins_anew() -> None:
    reports = [("epochs", 0), ("epochs", 395), ("epochs", 0), ("epochs", 30)]
    assert said([0.0, 50.0, 60.0, 120.0], reports) == [
        "epochs: 0 of 400",
        "epochs: 30 of 400, 0.5/s, about 12 min left",  # 30 epochs in 60 s, 370 are left
    ]
