"""What a campaign shows while it runs: progress from counters, agreement and results from a cache.

`overview` reads counters only. `agreement` and `result_tables` read every response, so they are
kept in the database with the last response that they saw; a page asks for them with `wait=False`
and shows what is kept, with its time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import case, func, select

from captious.campaigns.quality.adjudication import decisions
from captious.campaigns.quality.control import RaterQuality, rater_quality
from captious.campaigns.records import Campaign
from captious.campaigns.results.course import agreement_course
from captious.campaigns.results.forecast import per_hour
from captious.campaigns.results.labels import label_tables
from captious.campaigns.store import schema, snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Content, Snapshot
from captious.campaigns.work import reading, responses
from captious.errors import UnknownNameError
from captious.protocols import Item, Response
from captious.protocols.agreement import distribution_table
from captious.protocols.base import ADJUDICATION, HumanProtocol, as_judgments, counted_rows, split_adjudicated
from captious.protocols.findings import asks_for_places, marked_items
from captious.protocols.item import is_first
from captious.tables import Cell, Number, Table
from captious.tables.values import to_dict

# Fewer than these cannot carry a conclusion: their interval spans most of the scale.
FEW = 10
COUNTS = ("comparisons", "captions", "images", "questions", "judgments")
COEFFICIENTS = ("alpha", "kappa")
NAMED = 5


def noted(tables: Sequence[Table]) -> list[Table]:
    """The tables, each with a line for rows that rest on little or agree less than by chance.

    >>> table = Table("T", ["system", "mean", "comparisons"], [["m1", 0.5, 2], ["m2", 0.1, 40]])
    >>> noted([table])[0].note
    'based on few comparisons (fewer than 10): m1 2'
    """
    return [
        replace(table, note="\n".join([*table.notes, *lines])) if (lines := _lines(table)) else table
        for table in tables
    ]


def _lines(table: Table) -> list[str]:
    lines = []
    columns = list(table.columns)
    count = next((name for name in COUNTS if name in columns), None)
    if count is not None:
        at = columns.index(count)
        few = [f"{_name(table, row)} {_number(row[at]):.0f}" for row in table.rows if _number(row[at]) < FEW]
        if few:
            lines.append(f"based on few {count} (fewer than {FEW}): {_listed(few)}")
    poor = [_name(table, row) for row in table.rows if _chance_corrected(columns, row) < 0]
    if poor:
        lines.append(
            f"below 0, less agreement than by chance: {_listed(poor)}; raters interpret these differently"
        )
    return lines


def _chance_corrected(columns: Sequence[str], row: Sequence[Cell]) -> float:
    """The row's alpha or kappa; NaN where it has none."""
    cells = dict(zip(columns, row, strict=True))
    if str(cells.get("coefficient", "")).lower().startswith(COEFFICIENTS) and "value" in cells:
        return _number(cells["value"])
    name = next((name for name in COEFFICIENTS if name in cells), None)
    return math.nan if name is None else _number(cells[name])


def _name(table: Table, row: Sequence[Cell]) -> str:
    """A row by its texts: a system, an aspect and its coefficient."""
    return " ".join(cell for cell in row[:2] if isinstance(cell, str) and cell) or str(row[0])


def _number(cell: Cell) -> float:
    value = cell.value if isinstance(cell, Number) else cell
    return float(value) if isinstance(value, int | float) else math.nan


def _listed(names: Sequence[str]) -> str:
    shown = list(dict.fromkeys(names))
    more = f" and {len(shown) - NAMED} more" if len(shown) > NAMED else ""
    return ", ".join(shown[:NAMED]) + more


__all__ = [
    "Overview",
    "RaterQuality",
    "StageCount",
    "agreement",
    "counting",
    "overview",
    "per_hour",
    "rater_quality",
    "result_tables",
    "results",
]

AGREEMENT, RESULTS = "agreement", "results"
MOST_MARKED = 10_000  # items; nobody reads more on a page
# The pace is that of the latest responses, as many as this.
RECENT = 200


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
    """Counts of a campaign. `hours_left` is None where no pace can be told.

    `to_come` of the `target` responses belong to later stages whose items are made as answers
    come in: what was promised before the campaign began is what it counts from the first day.
    """

    stages: tuple[StageCount, ...]
    done: int
    target: int
    to_come: int
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
                func.sum(case((item.c.from_response.is_not(None), item.c.target), else_=0)),
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
        # A lead's decision is no rater's response.
        recent = connection.execute(
            select(response.c.time, response.c.kind)
            .where(response.c.campaign_id == campaign.id, response.c.kind != "adjudication")
            .order_by(response.c.id.desc())
            .limit(RECENT)
        ).all()
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
    counts = tuple(StageCount(stage, *(int(n) for n in numbers[:-1])) for stage, *numbers in stages)
    first = sum(one.target for one in counts if is_first(one.stage))
    to_come = _later(campaign, first) - sum(int(row[-1]) for row in stages)
    by_state = {state: number for state, number, _, _ in people}
    answered = sum(int(row[2] or 0) for row in people)
    seconds = sum(float(row[3] or 0) for row in people)
    left = sum(max(0, one.target - one.done) for one in counts) + max(0, to_come)
    # A correction does not bring the work forward.
    pace = per_hour(sorted(time for time, kind in recent if kind == "answer"))
    return Overview(
        stages=counts,
        done=sum(one.done for one in counts),
        target=sum(one.target for one in counts) + to_come,
        to_come=to_come,
        held=held,
        responses=answered,
        raters=sum(by_state.values()),
        raters_active=by_state.get("active", 0),
        raters_removed=by_state.get("removed", 0),
        per_hour=pace,
        hours_left=left / pace if pace else None,
        mean_seconds=seconds / answered if answered and seconds else None,
        last_activity=max((time for time, _ in recent), default=None),
        open_flags=open_flags,
    )


def _later(campaign: Campaign, first: int) -> int:
    """The responses of later stages that come with so many of the first."""
    try:
        return campaign.rules().asked(first).later
    except UnknownNameError:  # the package with its protocol is gone: it is listed all the same
        return 0


def counting(db: Database, campaign: Campaign) -> tuple[list[Item], list[Response]]:
    """The items and the responses that count, as `protocol.tables` and `judgments` take them.

    Adjudicators' decisions come last, under the rater `adjudicator`. Raters who failed a check are
    handed over too where the protocol leaves them out itself and tells who they are; where the
    failure has been dismissed, the check is left out instead.
    """
    rules = campaign.rules()
    items = responses.items(db, campaign)
    every = list(reading.latest(db, campaign))
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
        own = [one for one in said if one.rater not in removed]
        wanted = overview(db, campaign).target
        course = agreement_course(rules, items, own, wanted)
        return _content(noted(rules.agreement(items, own)), course, len(found))

    return snapshots.current(db, campaign, AGREEMENT, compute, fresh_within=fresh_within, wait=wait)


def results(db: Database, campaign: Campaign, *, fresh_within: float = 10.0, wait: bool = True) -> Snapshot:
    """The tables of the protocol's own analysis, kept with their time."""

    def compute() -> Content:
        items, found = counting(db, campaign)
        tables = noted(tables_of(campaign, items, found))
        rules = campaign.rules()
        scores = distribution_table(rules.final_rows(items, found), rules.possible_scores())
        said, _ = split_adjudicated(items, found)
        judged = as_judgments(counted_rows(rules, items, said))
        labels = label_tables(judged, list(rules.possible_scores()))
        marked = {"marked": marked_items(items, said)[:MOST_MARKED]} if asks_for_places(items) else {}
        return {**_content(tables, scores + labels, len(found)), **marked}

    return snapshots.current(db, campaign, RESULTS, compute, fresh_within=fresh_within, wait=wait)


def _content(tables: list[Table], more: list[Table], responses: int) -> Content:
    """What a snapshot keeps; `more` are tables beside those of the protocol."""
    kept = {"tables": [to_dict(one) for one in tables], "more": [to_dict(one) for one in more]}
    return {**kept, "responses": responses}


def tables_of(campaign: Campaign, items: list[Item], found: list[Response]) -> list[Table]:
    """The protocol's tables, with what an adjudicator decided where it has a rule for that.

    Else the raters' answers come first, then the main table once more with the decisions
    in place of the answers that they settled.
    """
    rules = campaign.rules()
    if type(rules).final_rows is not HumanProtocol.final_rows:  # a rule of its own
        return rules.tables(items, found)
    said, final = split_adjudicated(items, found)
    tables = rules.tables(items, said)
    if final is not said:
        after = rules.tables(items, weighed(items, said, final))[:1]
        tables += [replace(one, title=f"{one.title}, after adjudication", chart=None) for one in after]
    return tables


def weighed(items: list[Item], said: list[Response], final: list[Response]) -> list[Response]:
    """What stands, each decision as often as there were answers that it settled.

    A mean over answers would else count an item that was settled for less than one that was not.
    """
    by_key = {item.key: item for item in items}
    settled = Counter((by_key[one.item].image, by_key[one.item].captions) for one in said)
    found = []
    for one in final:
        item = by_key[one.item]
        times = settled[item.image, item.captions] if item.stage == ADJUDICATION else 1
        found += [replace(one, rater=f"{one.rater} {at}" if at else one.rater) for at in range(max(1, times))]
    return found


def result_tables(
    db: Database, campaign: Campaign, *, fresh_within: float = 10.0, wait: bool = True
) -> list[Table]:
    """The tables of `results`."""
    return results(db, campaign, fresh_within=fresh_within, wait=wait).tables()
