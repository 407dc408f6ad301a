"""What a campaign shows while it runs: progress from counters, agreement and results from a cache.

`overview` reads counters only. `agreement` and `result_tables` read every response, so they are
kept in the database with the last response that they saw; a page asks for them with `wait=False`
and shows what is kept, with its time.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from sqlalchemy import case, func, select

from captious.campaigns.quality.adjudication import decisions
from captious.campaigns.quality.control import RaterQuality, rater_quality
from captious.campaigns.records import Campaign
from captious.campaigns.store import schema, snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Content, Snapshot
from captious.campaigns.work import counted, responses
from captious.protocols import Item, Response
from captious.protocols.base import split_adjudicated
from captious.protocols.item import is_first
from captious.tables import Table
from captious.tables.values import to_dict

__all__ = [
    "Overview",
    "RaterQuality",
    "StageCount",
    "agreement",
    "counting",
    "overview",
    "rater_quality",
    "result_tables",
    "results",
]

AGREEMENT, RESULTS = "agreement", "results"
# The pace is that of the latest responses, as many as this.
RECENT = 200
# A gap of this many seconds between responses is a night or a break, not work.
BREAK = 3600.0


@dataclass(frozen=True)
class StageCount:
    """How far a stage is: `done` of `target` responses, `finished` of `items` items."""

    stage: str
    items: int
    finished: int
    done: int
    target: int


@dataclass(frozen=True)
class Overview:
    """A campaign at a glance. `hours_left` is None where no pace can be told."""

    stages: tuple[StageCount, ...]
    done: int
    target: int
    held: int
    responses: int
    raters: int
    raters_active: int
    raters_removed: int
    per_hour: float | None
    hours_left: float | None
    mean_seconds: float | None
    last_activity: float | None
    open_flags: int

    @property
    def first_target(self) -> int:
        """The responses that are wanted in the first stage."""
        return sum(one.target for one in self.stages if is_first(one.stage))

    @property
    def share(self) -> float:
        """Done of target, 0 to 1."""
        return self.done / self.target if self.target else 0.0


def overview(db: Database, campaign: Campaign) -> Overview:
    """Counts by stage, raters, pace and an estimate of the time left; no response is read."""
    item, response, rater = schema.item, schema.response, schema.rater
    with db.read() as connection:
        stages = connection.execute(
            select(
                item.c.stage,
                func.count(),
                func.sum(case((item.c.done >= item.c.target, 1), else_=0)),
                func.sum(item.c.done),
                func.sum(item.c.target),
            )
            .where(item.c.campaign_id == campaign.id, item.c.is_check.is_(False), item.c.closed.is_(False))
            .group_by(item.c.stage)
            .order_by(func.min(item.c.id))
        ).all()
        people = connection.execute(
            select(rater.c.state, func.count(), func.sum(rater.c.answered), func.sum(rater.c.seconds))
            .where(rater.c.campaign_id == campaign.id)
            .group_by(rater.c.state)
        ).all()
        recent = (
            connection.execute(
                select(response.c.time)
                .where(response.c.campaign_id == campaign.id)
                .order_by(response.c.id.desc())
                .limit(RECENT)
            )
            .scalars()
            .all()
        )
        held = connection.execute(
            select(func.count())
            .select_from(schema.assignment)
            .where(
                schema.assignment.c.campaign_id == campaign.id,
                schema.assignment.c.state == "held",
                schema.assignment.c.held_until > db.now(),
            )
        ).scalar_one()
        open_flags = connection.execute(
            select(func.count())
            .select_from(schema.flag)
            .where(schema.flag.c.campaign_id == campaign.id, schema.flag.c.decision == "")
        ).scalar_one()
    counts = tuple(StageCount(stage, *(int(n) for n in numbers)) for stage, *numbers in stages)
    by_state = {state: number for state, number, _, _ in people}
    answered = sum(int(row[2] or 0) for row in people)
    seconds = sum(float(row[3] or 0) for row in people)
    left = sum(max(0, one.target - one.done) for one in counts)
    pace = per_hour(sorted(recent))
    return Overview(
        stages=counts,
        done=sum(one.done for one in counts),
        target=sum(one.target for one in counts),
        held=held,
        responses=answered,
        raters=sum(by_state.values()),
        raters_active=by_state.get("active", 0),
        raters_removed=by_state.get("removed", 0),
        per_hour=pace,
        hours_left=left / pace if pace else None,
        mean_seconds=seconds / answered if answered and seconds else None,
        last_activity=max(recent, default=None),
        open_flags=open_flags,
    )


def per_hour(times: list[float]) -> float | None:
    """Responses an hour of work, breaks left out; None where too few tell.

    >>> per_hour([0.0, 60.0, 120.0, 90000.0, 90060.0])
    60.0
    """
    gaps = [after - before for before, after in pairwise(times)]
    worked = [gap for gap in gaps if gap <= BREAK]
    if len(worked) < 2 or not sum(worked):
        return None
    return 3600 * len(worked) / sum(worked)


def counting(db: Database, campaign: Campaign) -> tuple[list[Item], list[Response]]:
    """The items and the responses that count, as `protocol.tables` and `judgments` take them.

    Adjudicators' decisions come last, under the rater `adjudicator`. Raters who failed a check are
    handed over too where the protocol leaves them out itself and tells who they are; where the
    failure has been dismissed, the check is left out instead.
    """
    rules = campaign.rules()
    items = responses.items(db, campaign)
    every = list(counted.latest(db, campaign))
    failed = rules.removed_raters(items, (one.response for one in every))
    checks = {item.key for item in items if item.check}
    practice = {item.key for item in items if item.practice}
    found = [
        one
        for one, active in every
        if one.item not in practice
        and (
            (one.rater in failed and not (active and one.item in checks))
            or (active and one.rater not in failed)
        )
    ]
    return items, found + decisions(db, campaign)


def agreement(db: Database, campaign: Campaign, *, fresh_within: float = 10.0, wait: bool = True) -> Snapshot:
    """Agreement with intervals; `.tables()` and `.time` of the snapshot are for showing."""

    def compute() -> Content:
        items, found = counting(db, campaign)
        said, _ = split_adjudicated(items, found)
        rules = campaign.rules()
        removed = rules.removed_raters(items, said)
        tables = rules.agreement(items, [one for one in said if one.rater not in removed])
        return {"tables": [to_dict(table) for table in tables], "responses": len(found)}

    return snapshots.current(db, campaign, AGREEMENT, compute, fresh_within=fresh_within, wait=wait)


def results(db: Database, campaign: Campaign, *, fresh_within: float = 10.0, wait: bool = True) -> Snapshot:
    """The tables of the protocol's own analysis, kept with their time."""

    def compute() -> Content:
        items, found = counting(db, campaign)
        tables = tables_of(campaign, items, found)
        return {"tables": [to_dict(table) for table in tables], "responses": len(found)}

    return snapshots.current(db, campaign, RESULTS, compute, fresh_within=fresh_within, wait=wait)


def tables_of(campaign: Campaign, items: list[Item], found: list[Response]) -> list[Table]:
    """The protocol's tables, with what an adjudicator decided where it has a rule for that.

    Else the raters' answers come first, then the main table once more with the decisions
    in place of the answers that they settled.
    """
    rules = campaign.rules()
    if rules.takes_decisions:
        return rules.tables(items, found)
    said, final = split_adjudicated(items, found)
    tables = rules.tables(items, said)
    if final is not said:
        after = rules.tables(items, final)[:1]
        tables += [
            Table(f"{one.title}, after adjudication", one.columns, one.rows, one.note) for one in after
        ]
    return tables


def result_tables(
    db: Database, campaign: Campaign, *, fresh_within: float = 10.0, wait: bool = True
) -> list[Table]:
    """The tables of `results`."""
    return results(db, campaign, fresh_within=fresh_within, wait=wait).tables()
