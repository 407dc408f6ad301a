"""A kept statistic is computed anew when something has changed, and not before."""

from __future__ import annotations

from typing import Any

from captious.campaigns.store import snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.work import responses
from captious.campaigns.work.assignment import next_tasks


def test_it_is_computed_once_for_what_has_not_changed(
    db: Database, make_campaign: Any, answers: Any, clock: Any
) -> None:
    campaign, (ada, _) = make_campaign("generic", images=2)
    computed: list[int] = []

    def compute() -> dict[str, Any]:
        computed.append(len(computed) + 1)
        return {"number": computed[-1]}

    def now() -> Any:
        return snapshots.current(db, campaign, "kind", compute).content["number"]

    assert now() == 1
    clock.move(1000)
    assert now() == 1
    (task,) = next_tasks(db, campaign, ada)
    responses.respond(db, ada, task.token, answers(task.item), key="k")
    # It is 1000 seconds old, and a response has come in.
    assert now() == 2
    (task,) = next_tasks(db, campaign, ada)
    responses.respond(db, ada, task.token, answers(task.item), key="l")
    clock.move(9)
    assert now() == 2
    clock.move(1)
    assert now() == 3
