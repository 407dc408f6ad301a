from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from captious.charts.drawn import figure_of
from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import Item, Progress, Response
from captious.protocols.humanr.analysis import (
    half_pools,
    humanr_scores,
    humanr_tables,
    spread_by_images,
    study_cost,
)
from captious.protocols.humanr.rules import BASELINE, RIGHT, Comparison, Humanr, comparisons

PREFERENCE = {"m": -0.5, "n": 0.25, BASELINE: 0.0, "check": -1.0}


def answered(item: Item, score: float, rater: str) -> Response:
    turn = 1 if item.sources[RIGHT] != ("reference",) else -1
    return Response(item.key, {"preference": 5.0 + 4 * score * turn}, rater)


def simulated(corpus: Corpus, bad: str) -> tuple[Humanr, list[Item], list[Response]]:
    """Raters with known preferences work through all groups; `bad` takes every candidate."""
    humanr = Humanr()
    items = humanr.items(corpus, seed=9)
    log: list[Response] = []
    for n in range(40):
        rater = f"r{n}"
        removed = frozenset({bad})
        progress = Progress.of(items, log, removed=removed)
        for item in humanr.next_items(items, progress, rater, now=0, seed=9):
            score = 1.0 if rater == bad else PREFERENCE[item.balance]
            log.append(answered(item, score, rater))
    return humanr, items, log


def test_known_preferences_come_out(made_up: Callable[..., Corpus]) -> None:
    humanr, items, log = simulated(made_up(30), bad="r0")
    found = comparisons(items, log)
    # All 30 images x (2 systems + baseline), though r0's ten answers were thrown away.
    assert len(found) == 90
    rows = {row.system: row for row in humanr_scores(found, trials=2000)}
    assert list(rows) == [BASELINE, "m", "n"]
    for system in rows:
        estimate = rows[system].humanr
        # Everyone agrees, so the interval has no width.
        assert estimate[:3] == pytest.approx((PREFERENCE[system],) * 3)
    assert rows["m"].difference == pytest.approx(-0.5)
    assert rows["m"].shared_images == 30
    # All 30 differences have one sign: only 2 of 2^30 swaps are as extreme, so p = 1/2001.
    assert rows["m"].p_value == pytest.approx(1 / 2001)
    # Two systems are tested: Holm doubles the smaller p.
    assert rows["m"].p_holm == pytest.approx(2 / 2001)
    tables = humanr.tables(items, log)
    assert tables[0].rows[1][:2] == ("m", pytest.approx(-0.5))
    assert tables[-1].rows == (("r0",),)


def test_a_score_is_the_mean_and_its_interval_draws_images() -> None:
    found = [Comparison("1", "m", "r", -1.0, 0.0), Comparison("2", "m", "s", 0.0, 0.0)]
    (row,) = humanr_scores(found)
    # Of two images, a quarter of the draws has the first twice and a quarter the second.
    assert row.humanr[:3] == (-0.5, -1.0, 0.0)
    assert row.p_value != row.p_value


def test_halves_of_the_raters() -> None:
    found = [Comparison(str(n), "m", "ab"[n % 2], float(n % 2), 0.0) for n in range(10)]
    half = half_pools(found, "m", splits=200)
    # Half of two raters is one of them: 0 or 1.
    assert set(half.scores.tolist()) == {0.0, 1.0}
    assert half.sd == pytest.approx(0.5, abs=0.01)


def test_spread_falls_with_the_root_of_the_number_of_images() -> None:
    found = [Comparison(str(n), "m", "r", 1.0 if n % 2 else -1.0, 0.0) for n in range(100)]
    spread = spread_by_images(found, "m", [4, 100], draws=4000)
    # Scores of -1 and 1 have SD 1, so the mean of n has 1 / sqrt(n).
    assert [one.sd for one in spread] == pytest.approx([0.5, 0.1], rel=0.05)


def test_what_the_papers_study_cost() -> None:
    # About 3,500 images x (3 models + baseline) = 14,000 comparisons, 9 in a group with its check:
    # 1,556 groups at 0.25 dollars = 389 dollars; a minute a group is 15 dollars an hour. The last
    # group holds 14,000 - 1,555 * 9 = 5 comparisons and a check, so that the wage is a little more:
    # 14,000 + 1,556 = 15,556 responses of 6 s are 25.927 hours.
    found = study_cost(3500, 3)
    assert found[:3] == (14_000, 1_556, 389.0)
    assert found.wage == pytest.approx(389 / (15_556 * 6 / 3600))
    assert found.wage == pytest.approx(15.0, rel=1e-3)
    assert study_cost(3500, 3, seconds_per_comparison=12).wage == pytest.approx(7.5, rel=1e-3)


@pytest.mark.parametrize(
    "options", [{"images": 0}, {"target": 0}, {"group_size": 1}, {"seconds_per_comparison": 0}]
)
def test_impossible_studies(options: dict[str, float]) -> None:
    name = next(iter(options))
    with pytest.raises(InputError, match=f"^{name}: "):
        study_cost(**({"images": 10, "systems": 1} | options))  # type: ignore[arg-type]


def test_nothing_answered_yet(made_up: Callable[..., Corpus]) -> None:
    items = Humanr().items(made_up(3), seed=1)
    assert [table.title for table in humanr_tables(items, [])] == ["Raters removed"]
    assert humanr_scores([]) == []
    with pytest.raises(InputError, match='no comparison of "m"'):
        half_pools([], "m")


def test_figure_4_is_in_the_tables_and_drawn(made_up: Callable[..., Corpus]) -> None:
    _, items, responses = simulated(made_up(40), bad="nobody")
    tables = {table.title: table for table in humanr_tables(items, responses)}
    left = tables["HUMANr of random halves of the raters"]
    for _, mean, _, low, high in left.rows:
        assert low <= mean <= high
    right = tables["SD of HUMANr by number of images"]
    found = comparisons(items, responses)
    systems = sorted({one.system for one in found})
    assert [row[:2] for row in right.rows[:2]] == [(systems[0], 10), (systems[0], 20)]
    sds = {(name, size): sd for name, size, sd in right.rows}
    (known,) = spread_by_images(found, systems[0], [10])
    assert sds[systems[0], 10] == known.sd
    # The deviation of a mean falls with the square root of the number: 500 images against 20, a fifth.
    for name in systems:
        if sds[name, 20]:
            assert sds[name, 500] / sds[name, 20] == pytest.approx(0.2, rel=0.15)
    for table in (left, right):
        figure = figure_of(table)
        assert figure.alternative


def test_the_released_toolkit_drops_the_assignment_and_equal_fails(made_up: Callable[..., Corpus]) -> None:
    toolkit = Humanr(attention="assignment")
    items = toolkit.items(made_up(60), seed=9)
    log: list[Response] = []

    def work(rater: str, check_score: list[float]) -> None:
        for score in check_score:
            group = toolkit.next_items(items, Progress.of(items, log), rater, now=0.0, seed=1)
            for item in group:
                given = score if item.check else PREFERENCE[item.balance]
                log.append(replace(answered(item, given, rater), time=float(len(log))))

    work("careful", [-1.0, -1.0])
    work("even", [-1.0, 0.0])  # 5, "equal", on the second check
    work("wrong", [1.0, -1.0])
    assert toolkit.removed_raters(items, log) == frozenset()
    counted = dict.fromkeys(("careful", "even", "wrong"), 0)
    for one in toolkit.comparisons(items, log):
        counted[one.rater] += 1
    # Groups of ten hold nine comparisons and a check: two, one and one of two assignments count.
    assert counted == {"careful": 18, "even": 9, "wrong": 9}
    dropped = toolkit.tables(items, log)[-1]
    assert (dropped.title, dropped.rows) == ("Assignments dropped", (("even", 10), ("wrong", 10)))
    # The paper's rule, on the same answers: who preferred the planted caption is out, equal is no failure.
    paper = Humanr()
    assert paper.removed_raters(items, log) == {"wrong"}
    assert {one.rater for one in paper.comparisons(items, log)} == {"careful", "even"}
