"""Tables of `captious campaign`: what it prints of campaigns, raters, flags and results."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from captious.tables import Cell, Number, Table, moment, number

if TYPE_CHECKING:
    from captious.campaigns.entry.training import Trained
    from captious.campaigns.quality.adjudication import Disagreement
    from captious.campaigns.quality.control import RaterQuality
    from captious.campaigns.quality.flags import Flag
    from captious.campaigns.quality.gold import GoldItem
    from captious.campaigns.records import Campaign, Rater, Training
    from captious.campaigns.results.analysis import Overview
    from captious.campaigns.results.verdict import Verdict
    from captious.campaigns.setup.cost import Estimate, Precision


READABLE = 88  # characters of a sentence in a line


def campaigns(found: Sequence[tuple[Campaign, Overview]]) -> Table:
    """One line a campaign."""
    rows: list[list[Cell]] = [
        [
            one.slug,
            one.protocol,
            one.state,
            view.done,
            view.target,
            Number(view.share, f"{view.share:.0%}"),
            view.raters,
            view.open_flags,
            moment(view.last_activity),
        ]
        for one, view in found
    ]
    header = ["campaign", "protocol", "state", "done", "of", "share", "raters", "flags", "last"]
    return Table("", header, rows)


def status(
    campaign: Campaign, view: Overview, found: Verdict, cost: Estimate, *, width: int = 0
) -> list[Table]:
    """The verdict, how far each stage is, and what is left; sentences wrapped to a `width` of text."""
    stages: list[list[Cell]] = [
        [one.stage, one.items, one.finished, one.done, one.target] for one in view.stages
    ]
    facts: list[list[Cell]] = [
        ["state", campaign.state],
        ["raters", f"{view.raters_active} active, {view.raters_removed} removed"],
        ["in progress", view.held],
        ["responses per hour of work", number(view.per_hour, 0)],
        ["hours of work left", number(found.outlook.hours_left, 1)],
        ["seconds per response", number(view.mean_seconds, 1)],
        ["last response", moment(view.last_activity)],
        ["undecided flags", view.open_flags],
    ]
    title = f"{campaign.title} ({campaign.slug}): {view.done:,} of {view.target:,} responses"
    note = f"{view.to_come:,} more responses follow in later stages" if view.to_come > 0 else ""
    return [
        said(title, found, width=width),
        Table("", ["stage", "items", "finished", "responses", "wanted"], stages, note),
        Table("", ["campaign", ""], facts),
        cost_table(cost),
    ]


def said(title: str, found: Verdict, *, width: int = 0) -> Table:
    """The sentences of a verdict, wrapped to a `width` of text."""
    rows: list[list[Cell]] = []
    for line in found.lines:
        parts = textwrap.wrap(line.text, width) if width else [line.text]
        rows += [[line.kind if at == 0 else "", part] for at, part in enumerate(parts)]
    return Table(title, ["verdict", ""], rows)


def precision_table(found: Sequence[Precision]) -> list[Table]:
    """How narrow the intervals will be, and which difference will be found."""
    rows: list[list[Cell]] = [
        [one.aspect, one.low, one.high, one.images, one.answers, one.half_width, one.detectable]
        for one in found
    ]
    header = ["difference in", "scale from", "to", "images", "answers each", "half-width", "detectable"]
    means = "half-width: of the 95% interval of the difference; detectable: found with 80% power"
    return [Table("", header, rows, f"{means}\n{found[0].basis}")] if found else []


def cost_table(cost: Estimate) -> Table:
    """What the work comes to."""
    money = f" {cost.currency}" if cost.currency else ""
    rows: list[list[Cell]] = [
        ["total responses", cost.responses],
        ["hours of work", number(cost.hours, 1)],
        [f"pay{money}", number(cost.pay, 2)],
        [f"hourly wage{money}", number(cost.wage, 2)],
    ]
    return Table("", ["estimate", ""], rows, cost.basis)


def overview_payload(campaign: Campaign, view: Overview, cost: Estimate) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "campaign": campaign.slug,
        "title": campaign.title,
        "protocol": campaign.protocol,
        "state": campaign.state,
        **asdict(view),
        "cost": cost.to_dict(),
    }


def raters(found: Sequence[Rater]) -> Table:
    """One line a rater; names are for those who run the campaign."""
    rows: list[list[Cell]] = [
        [
            one.pseudonym,
            one.name,
            one.email,
            "yes" if one.native else "",
            one.state,
            one.answered,
            moment(one.last_seen),
            one.reason,
        ]
        for one in found
    ]
    header = ["rater", "name", "email", "native", "state", "answered", "last seen", "reason"]
    return Table("", header, rows)


def quality(found: Sequence[RaterQuality], flags: Sequence[Flag]) -> list[Table]:
    """Each rater's work in numbers, and what the rules point at."""
    rows: list[list[Cell]] = [
        [
            one.rater,
            one.state,
            one.answered,
            number(one.median_seconds, 1),
            _share(one.fast_share),
            f"{one.checks - one.checks_failed}/{one.checks}",
            f"{one.gold_right}/{one.gold}",
            one.longest_run,
            number(one.agreement, 2),
            one.shared,
        ]
        for one in found
    ]
    header = ["rater", "state", "answers", "median s", "fast", "checks", "gold", "run", "r", "of"]
    notes = [
        "fast: share of answers below the minimum time; run: longest run of the same answer; "
        "r: correlation with the mean of the others; of: answers in that correlation"
    ]
    if not flags:
        notes.append("no flags")
        return [Table("raters", header, rows, "\n".join(notes))]
    return [Table("raters", header, rows, "\n".join(notes)), flag_table(flags)]


def flag_table(flags: Sequence[Flag]) -> Table:
    """What the rules point at, and what was decided."""
    rows: list[list[Cell]] = [
        [one.id, one.rater, one.rule, one.explanation, one.decision or "open"] for one in flags
    ]
    return Table("flags", ["flag", "rater", "rule", "why", "decision"], rows)


def disagreements(found: Sequence[Disagreement], total: int) -> Table:
    """The widest disagreements."""
    rows: list[list[Cell]] = [
        [
            one.item.key,
            one.item.image,
            number(one.spread, 2),
            one.why,
            "decided" if one.decided is not None else "",
        ]
        for one in found
    ]
    note = f"{len(found)} of {total} shown; spread: largest difference as a share of the scale"
    return Table("", ["item", "image", "spread", "why", ""], rows, note)


def _share(value: float) -> Number:
    return Number(value, "n/a" if math.isnan(value) else f"{value:.0%}")


def training_table(training: Training) -> Table:
    """The examples of a training: picture, captions, how many answers are known."""
    rows: list[list[Cell]] = [
        [place, one.file, " | ".join(caption.text for caption in one.item.captions), len(one.known)]
        for place, one in enumerate(training.examples, start=1)
    ]
    return Table("Training", ["example", "picture", "shown", "known answers"], rows)


def trained_table(trained: Sequence[Trained], pass_mark: float) -> Table:
    """How raters did in the training."""
    rows: list[list[Cell]] = [
        [one.rater, one.phase, one.tries, "" if one.score != one.score else f"{one.score:.0%}"]
        for one in trained
    ]
    note = f"score: share of right answers in the best finished try; {pass_mark:.0%} is needed to pass"
    return Table("Training", ["rater", "status", "tries", "score"], rows, note)


def gold_table(found: Sequence[GoldItem]) -> Table:
    """Items whose answers are known, a line a question."""
    rows: list[list[Cell]] = [
        [one.item.key, one.item.image, name, str(answer)]
        for one in found
        for name, answer in one.known.items()
    ]
    return Table("Known answers", ["item", "image", "question", "answer"], rows)
