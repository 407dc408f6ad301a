"""The course of a campaign: agreement as responses came in, and how far the work was at each time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
from sqlalchemy import select

from captious.campaigns.records import Campaign
from captious.campaigns.results import analysis
from captious.campaigns.store import schema, snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Content, Snapshot
from captious.campaigns.work.reading import ACTIVE
from captious.protocols import HumanProtocol, Item, Response
from captious.protocols.agreement import INTERVALS, ends
from captious.tables import Cell, Chart, Table
from captious.tables.values import to_dict

PROGRESS = "progress"


def standing_times(db: Database, campaign: Campaign) -> list[float]:
    """When the responses that stand came in, in order: what `overview` counts as done."""
    response, slot, item, rater = schema.response, schema.assignment, schema.item, schema.rater
    wanted = (
        select(response.c.time)
        .select_from(
            slot.join(response, response.c.id == slot.c.response_id)
            .join(item, item.c.id == slot.c.item_id)
            .join(rater, rater.c.id == slot.c.rater_id)
        )
        .where(
            slot.c.campaign_id == campaign.id,
            rater.c.state == ACTIVE,
            item.c.is_check.is_(False),
            item.c.closed.is_(False),
        )
    )
    with db.read() as connection:
        return sorted(float(time) for time in connection.execute(wanted).scalars())


def progress(db: Database, campaign: Campaign, *, fresh_within: float = 10.0, wait: bool = True) -> Snapshot:
    """The course of the work as a table with a chart, kept with its time."""

    def compute() -> Content:
        view = analysis.overview(db, campaign)
        times = standing_times(db, campaign)
        now = db.now() if campaign.state == "open" else (times[-1] if times else db.now())
        tables = progress_table(times, now, view.target)
        return {"tables": [to_dict(table) for table in tables], "responses": len(times)}

    return snapshots.current(db, campaign, PROGRESS, compute, fresh_within=fresh_within, wait=wait)


AGREEMENT_TITLE = "Agreement as responses came in"
PROGRESS_TITLE = "Responses over time"
SO_FAR, FORECAST = "so far", "forecast"
# The course has this many points; each costs as much as the agreement itself, with fewer resamples.
POINTS, RESAMPLES = 8, 200
# Fewer responses than this at a point tell nothing.
FEWEST = 8
# The time so far is parted into this many equal spans; the latest half of them make the forecast.
SPANS = 24
# The forecast is drawn for at most this many times the time so far.
FARTHEST = 2.0
NORMAL_95 = 1.96
DASHED = (
    "Dashed: the forecast if responses keep arriving as in the second half of the time so far, nights and "
    "breaks included. Shaded: its 95% prediction interval."
)


def agreement_course(
    rules: HumanProtocol, items: Sequence[Item], responses: Sequence[Response], wanted: int
) -> list[Table]:
    """Each aspect's coefficient after the first eighth of the responses, the second, and so on."""
    ordered = sorted(responses, key=lambda one: -math.inf if math.isnan(one.time) else one.time)
    counts = [round(len(ordered) * at / POINTS) for at in range(1, POINTS + 1)]
    measured = [
        (count, one)
        for count in counts
        if count >= FEWEST
        for one in rules.agreement_by_aspect(items, ordered[:count], resamples=RESAMPLES)
    ]
    known = [(count, one) for count, one in measured if not math.isnan(one.found.value)]
    if len({count for count, _ in known}) < 2:
        return []
    aspects = list(dict.fromkeys(one.aspect for _, one in known))
    rows = tuple(
        (one.aspect, count, *ends(one.found))
        for aspect in aspects
        for count, one in known
        if one.aspect == aspect
    )
    lowest = min(min(one.found.value, one.found.low) for _, one in known)
    chart = Chart(
        "lines",
        "responses",
        "agreement",
        panel="aspect",
        x_scale=(0.0, float(max(wanted, len(ordered)))),
        y_scale=(0.0 if lowest >= 0 else -1.0, 1.0),
        how="Each point uses all responses up to then; shaded bands are 95% intervals over images. The "
        "horizontal axis ends at the responses wanted. 1 is perfect agreement, 0 is what chance gives.",
    )
    columns = ("aspect", "responses", "agreement", "low", "high")
    names = ", ".join(dict.fromkeys(one.coefficient for _, one in known))
    note = f"{names}; {INTERVALS}"
    return [Table(AGREEMENT_TITLE, columns, rows, note, chart=chart)]


class Ahead(NamedTuple):
    """What is expected at a time to come, and the ends of a 95% prediction interval."""

    time: float
    expected: float
    fewest: float
    most: float


def forecast(times: Sequence[float], now: float, wanted: int) -> list[Ahead]:
    """What comes if responses keep coming as in the latest half of the time so far.

    That half is parted into k spans. With mean m and standard deviation s of their counts, n spans
    later n m more are there, give or take 1.96 s sqrt(n + n^2 / k): the prediction interval of a
    sum of n when the mean is known from k. Empty where nothing is left or nothing came lately.

    >>> ahead = forecast([float(second) for second in range(240)], 240.0, 480)
    >>> round(ahead[-1].time), round(ahead[-1].expected)
    (480, 480)
    """
    done = len(times)
    if done < FEWEST or done >= wanted or now <= times[0]:
        return []
    edges = np.linspace(times[0], now, SPANS + 1)
    counts = np.histogram(times, edges)[0][SPANS // 2 :]
    mean, spread, width = counts.mean(), counts.std(ddof=1), (now - times[0]) / SPANS
    if mean <= 0:
        return []
    spans = min((wanted - done) / mean, FARTHEST * SPANS)
    found = []
    for ahead in np.linspace(0, spans, 9).tolist():
        half = NORMAL_95 * spread * math.sqrt(ahead + ahead**2 / len(counts))
        expected = done + ahead * mean
        found.append(
            Ahead(
                now + ahead * width,
                min(expected, wanted),
                max(done, min(expected - half, wanted)),
                min(expected + half, wanted),
            )
        )
    return found


def progress_table(times: Sequence[float], now: float, wanted: int) -> list[Table]:
    """How many responses stood at each time so far, and the forecast; `times` in order."""
    if len(times) < 2 or times[-1] <= times[0]:
        return []
    ahead = forecast(times, now, wanted)
    until = max(now, times[-1]) if ahead else times[-1]
    edges = np.linspace(times[0], until, SPANS + 1)
    stood = np.searchsorted(np.asarray(times), edges, side="right").tolist()
    rows: list[tuple[Cell, ...]] = [
        (_moment(at), count, math.nan, math.nan, SO_FAR)
        for at, count in zip(edges.tolist(), stood, strict=True)
    ]
    rows += [
        (_moment(one.time), round(one.expected), round(one.fewest), round(one.most), FORECAST)
        for one in ahead
    ]
    chart = Chart(
        "lines",
        "time (UTC)",
        "responses",
        low="fewest",
        high="most",
        series="kind",
        dashed=FORECAST,
        y_scale=(0.0, 1.08 * max(wanted, len(times))),
        goal=float(wanted),
        how=DASHED if ahead else "",
    )
    columns = ("time (UTC)", "responses", "fewest", "most", "kind")
    return [Table(PROGRESS_TITLE, columns, tuple(rows), _outlook(ahead, len(times), wanted), chart=chart)]


def _outlook(ahead: Sequence[Ahead], done: int, wanted: int) -> str:
    if not ahead:
        return "" if done >= wanted else "no forecast: no responses in the second half of the time so far"
    last = ahead[-1]
    if last.expected < wanted:
        return f"at this pace {last.expected:,.0f} of {wanted:,} responses by {_moment(last.time)[:16]} UTC"
    when = f"about {_moment(last.time)[:16]} UTC"
    return f"at this pace all {wanted:,} responses arrive {when}, if there are enough raters"


def _moment(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%S")
