"""Numbers say what they rest on where they stand: in tables, and so on pages, in JSON and on the terminal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from captious.campaigns.quality.adjudication import adjudicate
from captious.campaigns.results import analysis, caveats
from captious.campaigns.store.database import Database
from captious.campaigns.work.assignment import next_tasks
from captious.campaigns.work.responses import respond
from captious.protocols.simulation import SimulatedRater, Someone
from captious.tables import Table


def test_a_coefficient_below_chance_is_named_with_its_aspect() -> None:
    columns = ("aspect", "coefficient", "value", "low", "high", "questions")
    rows = [("a", "per cent agreement", -1.0, 0, 0, 40), ("b", "alpha, nominal", -0.2, -0.4, 0.1, 40)]
    (table,) = caveats.noted([Table("Agreement", columns, rows, "intervals")])
    assert table.notes == [
        "intervals",
        "below 0, less agreement than by chance: b alpha, nominal; raters interpret these differently",
    ]
    sound = Table("Agreement", columns, [("b", "alpha, nominal", 0.7, 0.6, 0.8, 40)], "intervals")
    assert caveats.noted([sound]) == [sound]


def test_a_second_reader_who_changes_nothing_has_a_kappa_of_one_and_a_caveat(
    db: Database, make_campaign: Any, clock: Any
) -> None:
    campaign, (ada, boris) = make_campaign("thumb", images=4)
    opinion = {(f"i{image}", f"m{at}"): (image + at) / 5 for image in range(4) for at in (1, 2)}
    someone = Someone(SimulatedRater("Ada", opinion), np.random.default_rng(1))
    for _ in range(4):
        (task,) = next_tasks(db, campaign, ada)
        clock.move(60)
        given = campaign.rules().simulated(task.item, someone)
        respond(db, ada, task.token, given, key=task.token, seconds=60)
    for _ in range(4):
        (task,) = next_tasks(db, campaign, boris)
        done = respond(db, boris, task.token, dict(task.item.prior), key=task.token, seconds=0.8)
        assert not isinstance(done, list), done
    table = next(one for one in analysis.agreement(db, campaign).tables() if "Kappa" in one.title)
    row = dict(zip(table.columns, next(row for row in table.rows if row[0] == "precision"), strict=True))
    assert (row["kappa"], row["changed"], row["median seconds"], row["captions"]) == (1.0, 0.0, 0.8, 8)
    assert any("no score was changed" in note for note in table.notes)
    assert any("based on few captions (fewer than 10)" in note for note in table.notes)


@pytest.mark.parametrize("protocol", ["humanr", "generic"])
def test_an_adjudicated_item_weighs_as_much_as_any_other(
    db: Database, make_campaign: Any, protocol: str
) -> None:
    options = {"target": 2, "baseline": False} if protocol == "humanr" else {}
    campaign, people = make_campaign(protocol, images=8, people=6, **options)
    worst = {}
    for person in people:
        while tasks := next_tasks(db, campaign, person):
            for task in tasks:
                (field, *_) = task.item.form.fields
                middle = (field.low + field.high) / 2
                if task.item.check:
                    middle = field.low if task.item.check == "right" else field.high
                elif not worst:
                    worst = {"key": task.item.key, "field": field.name, "high": field.high}
                respond(db, person, task.token, {field.name: middle}, key=task.token, seconds=5.0)
    before = analysis.tables_of(campaign, *analysis.counting(db, campaign))[0]
    adjudicate(db, campaign, worst["key"], {worst["field"]: worst["high"]}, actor="lea", key="d")
    tables = analysis.tables_of(campaign, *analysis.counting(db, campaign))
    after = next(one for one in tables if one.title.endswith(", after adjudication"))
    value = list(after.columns).index("humanr" if protocol == "humanr" else "mean")
    moved = [abs(b[value] - a[value]) for a, b in zip(before.rows, after.rows, strict=True)]
    # All said the middle of the scale. One of a system's 8 items goes to an end: by 1 of -1 to 1, or by 2
    # of 1 to 5. An eighth of that is the mean's way; a decision that counted for one of 16 answers would
    # move it by half as much, of 15 answers by 1/15.
    assert max(moved) == pytest.approx((1 if protocol == "humanr" else 2) / 8)
