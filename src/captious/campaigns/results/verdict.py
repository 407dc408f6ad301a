"""A campaign's verdict, in words first: can it finish, do raters agree, who is stuck, what it costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from captious.campaigns.quality import control
from captious.campaigns.records import Campaign
from captious.campaigns.results import analysis, differences, separation
from captious.campaigns.results.analysis import Overview
from captious.campaigns.results.outlook import BEING_WORKED_OUT, Money, Outlook, Stuck, not_yet, outlook
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Snapshot
from captious.tables import Number, Table

Tone = Literal["good", "plain", "look", "bad"]
Kind = Literal["found", "finish", "time", "flags", "stuck", "agreement", "separation", "money"]
NAMED = 5  # raters in a sentence; more are counted


@dataclass(frozen=True)
class Line:
    """One sentence. `tone`: whether all is well, or someone should look."""

    kind: Kind
    tone: Tone
    text: str


@dataclass(frozen=True)
class Agreed:
    """Agreement on one aspect, by a coefficient that corrects for chance, with its interval."""

    aspect: str
    coefficient: str
    value: float
    low: float
    high: float
    n: int


class Kept(NamedTuple):
    """Figures that need every response, as they were worked out last."""

    agreement: Snapshot
    quality: Snapshot
    separation: Snapshot
    outlook: Snapshot | None = None
    found: Snapshot | None = None


@dataclass(frozen=True)
class Verdict:
    """Sentences, the most pressing first, and the values behind them; `pending`: some are coming."""

    lines: tuple[Line, ...]
    outlook: Outlook
    agreement: tuple[Agreed, ...]
    separation: dict[str, Any]
    open_flags: int
    pending: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; what is not known is null."""
        return {
            "lines": [asdict(line) for line in self.lines],
            **self.outlook.to_dict(),
            "agreement": [
                {name: _known(value) for name, value in asdict(one).items()} for one in self.agreement
            ],
            "separation": self.separation,
            "open_flags": self.open_flags,
            "pending": self.pending,
        }


def worked_out(db: Database, campaign: Campaign, *, fresh_within: float = 0.0) -> Kept:
    """The figures of now, for those who can wait for them."""
    over = is_over(campaign, analysis.overview(db, campaign))
    return Kept(
        analysis.agreement(db, campaign, fresh_within=fresh_within),
        control.quality_snapshot(db, campaign, fresh_within=fresh_within),
        separation.separation(db, campaign, fresh_within=fresh_within),
        found=differences.found(db, campaign, fresh_within=fresh_within) if over else None,
    )


def is_over(campaign: Campaign, view: Overview) -> bool:
    """Whether no more answers are to come, so that what was found can be said."""
    return view.responses > 0 and (
        campaign.state == "closed" or (view.done >= view.target and not view.to_come)
    )


class Coming(NamedTuple):
    """Places at crowd providers that nobody has taken yet, and the answers that they will give."""

    places: int = 0
    answers: int = 0


NONE_COMING = Coming()


def verdict(
    db: Database, campaign: Campaign, kept: Kept, view: Overview | None = None, coming: Coming = NONE_COMING
) -> Verdict:
    """The verdict on a campaign as it stands, from kept figures; `view` are its counts."""
    counts = view or analysis.overview(db, campaign)
    found = _outlook(db, campaign, kept, counts)
    agreed = agreement_by_aspect(kept.agreement.tables())
    content = {name: kept.separation.content.get(name) for name in ("level", "aspects", "words")}
    said = found_lines(kept.found)
    lines = [
        *said,
        finish_line(campaign, counts, found, coming),
        *time_line(campaign, counts, found),
        flag_line(counts.open_flags, checked=kept.quality.time is not None, responses=counts.responses),
        *stuck_lines(found.stuck),
        *agreement_lines(agreed, kept.agreement, counts.responses),
        *([] if said else separation_lines(content, finished=_finished(counts, found))),
        *money_lines(found.money),
    ]
    pending = any(one is not None and one.pending for one in kept)
    return Verdict(tuple(lines), found, tuple(agreed), content, counts.open_flags, pending)


def _outlook(db: Database, campaign: Campaign, kept: Kept, counts: Overview) -> Outlook:
    if kept.outlook is None:
        return outlook(db, campaign, counts)
    known = kept.outlook.content
    return Outlook.from_dict(known) if known else not_yet(db, campaign)


def found_lines(kept: Snapshot | None) -> list[Line]:
    """What the study found, once all answers are in."""
    return [Line("found", "good", words) for words in differences.lines_of(kept.content)] if kept else []


def finish_line(campaign: Campaign, view: Overview, found: Outlook, coming: Coming = NONE_COMING) -> Line:
    """Whether the raters there are can give all that is wanted."""
    reach, left = found.reach, view.target - view.done
    if found.unknown == BEING_WORKED_OUT:
        return Line("finish", "plain", f"{left:,} of {view.target:,} responses are missing.")
    if _finished(view, found):
        return Line("finish", "good", f"Finished: all {view.target:,} responses are in.")
    if campaign.state == "closed":
        return Line("finish", "plain", f"Closed with {view.done:,} of {view.target:,} responses.")
    rest = f"{left:,} of {view.target:,} responses are missing"
    if reach.more_raters:
        return _awaited(left, view, coming) if coming.places else _too_few(view, found)
    if reach.orphaned:
        gone = _count(reach.orphaned, "response")
        return Line(
            "finish", "bad", f"Cannot finish: only raters who are gone could give {gone}. {_capital(rest)}."
        )
    who = _count(found.able, "rater") if found.able != 1 else "1 rater"
    state = {"draft": " Raters can start once it is open.", "paused": " It is paused."}
    words = f"Can finish with the current raters: {rest}, and {who} can give them."
    return Line("finish", "good", words + state.get(campaign.state, ""))


def _finished(view: Overview, found: Outlook) -> bool:
    """Whether nothing is left to answer, now or in a later stage."""
    if found.unknown == BEING_WORKED_OUT:
        return False
    return view.target == view.done or (not found.reach.missing and view.to_come <= 0)


def _awaited(left: int, view: Overview, coming: Coming) -> Line:
    """What published places will give, where the raters who are there cannot."""
    places = (
        f"{_count(coming.places, 'published place')} {'is' if coming.places == 1 else 'are'} not taken yet"
    )
    words = f"Waiting for participants: {left:,} of {view.target:,} responses are missing; {places}"
    if coming.answers < left:
        return Line("finish", "look", f"{words} and will give {coming.answers:,}. Publish more places.")
    return Line("finish", "plain", f"{words}.")


def _too_few(view: Overview, found: Outlook) -> Line:
    """How many raters are missing; before anybody was added that is no cause for alarm."""
    reach, left = found.reach, view.target - view.done
    if not view.raters:
        words = f"There are no raters yet: add at least {_count(reach.more_raters, 'rater')}."
        return Line("finish", "look", f"{words} {left:,} responses are needed.")
    reachable = f"{reach.reachable:,}" if reach.reachable and found.able else "none"
    can = f"the current raters can give {reachable} of them"
    words = (
        f"Cannot finish with the current raters: needs at least {_count(reach.more_raters, 'more rater')}."
    )
    return Line("finish", "bad", f"{words} {left:,} of {view.target:,} responses are missing; {can}.")


def time_line(campaign: Campaign, view: Overview, found: Outlook) -> list[Line]:
    """How long the rest takes; unknown with the reason."""
    if view.done >= view.target or campaign.state == "closed":
        return []
    if found.hours_left is None:
        return [Line("time", "plain", f"Unknown: {found.unknown}.")]
    words = f"About {in_time(found.hours_left)} of work left, at the pace of the raters who can continue"
    if found.waits_until is not None:
        words += f"; the next stage begins on {day(found.waits_until)}"
    return [Line("time", "plain", f"{words}.")]


def flag_line(open_flags: int, *, checked: bool, responses: int) -> Line:
    """What waits for a decision."""
    if open_flags:
        return Line("flags", "look", f"{_count(open_flags, 'open flag')}.")
    if not responses:
        return Line("flags", "plain", "Nobody has answered yet.")
    if not checked:
        return Line("flags", "plain", "The quality rules are checking the answers for the first time.")
    return Line("flags", "good", "No open flags.")


def stuck_lines(stuck: Sequence[Stuck]) -> list[Line]:
    """Who cannot be counted on now, and why."""
    told = {
        "never came": "invited more than a day ago, but never came",
        "idle": "not seen for more than a day, with work left",
        "out of work": "have no items left that they may rate",
        "waits": "waiting for their next stage",
        "quota reached": "have given all the responses asked of them",
    }
    lines = []
    for why, words in told.items():
        own = [one for one in stuck if one.why == why]
        if own:
            held = sum(one.held for one in own)
            holding = f"; {_count(held, 'task')} reserved for them" if held else ""
            until = max((one.until for one in own if one.until), default=None)
            when = f" until {day(until)}" if until is not None and (held or why == "waits") else ""
            tone: Tone = "look" if why in ("never came", "idle") else "plain"
            text = f"{_names([one.rater for one in own])}: {words}{holding}{when}."
            lines.append(Line("stuck", tone, text))
    return lines


def agreement_by_aspect(tables: Sequence[Table]) -> list[Agreed]:
    """Krippendorff's alpha, or kappa between stages, by aspect: from the protocol's own tables."""
    found: dict[tuple[str, str], Agreed] = {}
    for table in tables:
        columns = list(table.columns)
        if columns[:1] != ["aspect"]:
            continue
        for row in table.rows:
            cells = dict(zip(columns, row, strict=True))
            name = str(cells.get("coefficient", "kappa between stages" if "kappa" in cells else ""))
            value = cells.get("value", cells.get("kappa"))
            if value is None or not name.startswith(("alpha", "kappa")):
                continue
            low, high = _number(cells["low"]), _number(cells["high"])
            one = Agreed(str(row[0]), name, _number(value), low, high, int(_number(row[-1])))
            found.setdefault((one.aspect, one.coefficient), one)
    return list(found.values())


def agreement_lines(agreed: Sequence[Agreed], kept: Snapshot, responses: int) -> list[Line]:
    """Agreement in one sentence for each coefficient; by chance or worse is said so."""
    if not agreed:
        waits = kept.time is None and kept.pending and responses
        why = "Being computed" if waits else "No question has been answered by two raters yet"
        return [Line("agreement", "plain", f"{why}.")]
    lines = []
    for name in dict.fromkeys(one.coefficient for one in agreed):
        own = [one for one in agreed if one.coefficient == name]
        said = ", ".join(f"{one.aspect.replace('_', ' ')} {_interval(one)}" for one in own)
        poor = [one.aspect.replace("_", " ") for one in own if one.value < 0]
        words = f"{_capital(name)}: {said}."
        if poor:
            words += (
                f" Below 0 is less agreement than by chance: raters interpret {_names(poor)} differently."
            )
        lines.append(Line("agreement", "look" if poor else "plain", words))
    return lines


def separation_lines(content: Mapping[str, Any], *, finished: bool) -> list[Line]:
    """Which systems differ, and what would separate the others."""
    said = list(content["words"] or ())
    if said and finished and separation.needs_more(content):
        said.append("all responses asked for are in: to collect more, extend the campaign by further images.")
    return [Line("separation", "plain", _capital(words)) for words in said]


def money_lines(money: Money) -> list[Line]:
    """What was earned, and whether it is the wage that was wanted."""
    if money.spent is None:
        return []
    unit = f" {money.currency}" if money.currency else ""
    words = f"{money.spent:,.2f}{unit} earned so far"
    if money.hourly is not None:
        words += f", {money.hourly:,.2f}{unit} per hour of work"
    short = (
        money.hourly is not None
        and money.wanted_hourly is not None
        and money.hourly < money.wanted_hourly - 0.005
    )
    if short:
        words += f"; the target is {money.wanted_hourly:,.2f}"
    return [Line("money", "look" if short else "plain", f"{words}.")]


def in_time(hours: float) -> str:
    """A span as people say it.

    >>> in_time(0.004), in_time(0.7), in_time(30)
    ('a minute', '42 min', '30 h')
    """
    minutes = round(hours * 60)
    if minutes < 2:
        return "a minute"
    return f"{minutes} min" if minutes < 90 else f"{hours:,.0f} h" if hours >= 10 else f"{hours:.1f} h"


def day(time: float) -> str:
    """A moment, to the minute, in UTC."""
    return f"{datetime.fromtimestamp(time, tz=UTC):%Y-%m-%d %H:%M} UTC"


def _interval(one: Agreed) -> str:
    if math.isnan(one.value):
        return "n/a"
    if math.isnan(one.low) or math.isnan(one.high):
        return f"{one.value:.2f}"
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]"


def _count(count: int, name: str) -> str:
    return f"{count:,} {name}" + ("" if count == 1 else "s")


def _names(names: Sequence[str]) -> str:
    shown = list(names[:NAMED])
    if len(names) > NAMED:
        return f"{', '.join(shown)} and {len(names) - NAMED} others"
    return " and ".join(shown) if len(shown) < 3 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _number(cell: object) -> float:
    value = cell.value if isinstance(cell, Number) else cell
    return float(value) if isinstance(value, int | float) else math.nan


def _known(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value
