"""Training: examples kept with a campaign, raters' answers to them, and what follows from failing.

Answers are appended to a table of their own. They are no responses: no result can count them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, func, select, update

from captious.campaigns.entry import surveys
from captious.campaigns.records import Campaign, Rater
from captious.campaigns.store import log, schema
from captious.campaigns.store.columns import unstorable
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import insert_new
from captious.campaigns.work.removal import keep_working_uncounted, take_out
from captious.protocols import Answers, Problem
from captious.protocols.training import Answered, Example, Marked, Standing, example_from_dict, mark, standing

BY_TRAINING = "training"


class KeptExample(NamedTuple):
    """An example of a campaign, with its number in the table and its place from 1."""

    id: int
    place: int
    example: Example


class TrainingAnswer(NamedTuple):
    """A row of the table of answers, by pseudonym; `right` of `asked` known answers were given."""

    rater: str
    version: str
    attempt: int
    place: int
    answers: Answers
    right: int
    asked: int
    time: float


class Trained(NamedTuple):
    """How a rater did in the training: finished tries, the best share, and whether it was enough."""

    rater: str
    tries: int
    score: float
    phase: str


def examples(db: Database, campaign: Campaign) -> list[KeptExample]:
    """The examples of the training as it is now, in their order."""
    table = schema.training_example
    wanted = select(table.c.id, table.c.place, table.c.content).where(
        table.c.campaign_id == campaign.id, table.c.version == campaign.settings.training
    )
    with db.read() as connection:
        rows = connection.execute(wanted.order_by(table.c.place))
        return [KeptExample(id_, place, example_from_dict(content)) for id_, place, content in rows]


def standing_of(db: Database, campaign: Campaign, rater: Rater) -> Standing:
    """Where a rater stands in the training as it is now."""
    with db.read() as connection:
        return _standing(connection, campaign, rater)


def _standing(connection: Connection, campaign: Campaign, rater: Rater) -> Standing:
    table = schema.training_example
    own = (table.c.campaign_id == campaign.id, table.c.version == campaign.settings.training)
    count = connection.execute(select(func.count()).where(*own)).scalar_one()
    rows = connection.execute(_answers(campaign).where(schema.training_answer.c.rater_id == rater.id))
    found = [Answered(row.attempt, row.place, row.correct, row.asked) for row in rows]
    return standing(found, count, campaign.settings.training_rules())


def _answers(campaign: Campaign) -> Any:
    """The answers to the training as it is now, oldest first."""
    answer, example, rater = schema.training_answer, schema.training_example, schema.rater
    return (
        select(
            rater.c.pseudonym,
            example.c.version,
            example.c.place,
            answer.c.attempt,
            answer.c.answers,
            answer.c.correct,
            answer.c.asked,
            answer.c.time,
        )
        .join(example, example.c.id == answer.c.training_example_id)
        .join(rater, rater.c.id == answer.c.rater_id)
        .where(answer.c.campaign_id == campaign.id, example.c.version == campaign.settings.training)
        .order_by(answer.c.id)
    )


def given(db: Database, campaign: Campaign, rater: Rater, attempt: int, place: int) -> Answers | None:
    """What the rater answered to an example in a try; None where they have not."""
    answer, example = schema.training_answer.c, schema.training_example.c
    wanted = _answers(campaign).where(
        answer.rater_id == rater.id, answer.attempt == attempt, example.place == place
    )
    with db.read() as connection:
        row = connection.execute(wanted).first()
    return None if row is None else row.answers


def answer(
    db: Database,
    campaign: Campaign,
    rater: Rater,
    kept: KeptExample,
    attempt: int,
    said: Mapping[str, object],
) -> list[Marked] | list[Problem]:
    """Store an answer to an example and mark it, or say what is wrong with it.

    The first answer to an example in a try stands. The last answer of the last try may take the
    rater out, as the settings say.
    """
    checked = campaign.rules().validate(kept.example.item, said, rater=rater.pseudonym, time=db.now())
    if isinstance(checked, list):
        return checked
    wrong = unstorable(checked.answers)
    if wrong:
        return wrong
    marked = mark(kept.example, checked.answers)
    row = {
        "campaign_id": campaign.id,
        "rater_id": rater.id,
        "training_example_id": kept.id,
        "attempt": attempt,
        "answers": checked.answers,
        "correct": sum(one.right for one in marked),
        "asked": len(marked),
        "time": db.now(),
    }

    def work(connection: Connection) -> None:
        if insert_new(connection, schema.training_answer, [row]):
            _conclude(connection, campaign, rater, db.now())

    db.transact(work)
    return marked


def _conclude(connection: Connection, campaign: Campaign, rater: Rater, now: float) -> None:
    """What an answer brings about where it was the last one: passed, or out."""
    found = _standing(connection, campaign, rater)
    if found.phase == "answering":
        return
    detail: dict[str, Any] = {"score": round(found.score, 4), "tries": found.finished}
    if found.phase == "failed":
        reason = f"training: {found.score:.0%} right, {campaign.settings.training_pass:.0%} needed"
        uncounted = campaign.settings.after_failing == "uncounted"
        if uncounted:
            keep_working_uncounted(connection, rater.id, reason)
        else:
            take_out(connection, rater.id, "removed", reason)
        detail |= {"reason": reason, "goes on uncounted": uncounted}
    log.record(
        connection,
        BY_TRAINING,
        f"training {found.phase}",
        time=now,
        campaign_id=campaign.id,
        subject=rater.pseudonym,
        detail=detail,
    )


def answers(db: Database, campaign: Campaign) -> list[TrainingAnswer]:
    """Every answer to the training as it is now, oldest first."""
    with db.read() as connection:
        return [
            TrainingAnswer(
                row.pseudonym,
                row.version,
                row.attempt,
                row.place,
                row.answers,
                row.correct,
                row.asked,
                row.time,
            )
            for row in connection.execute(_answers(campaign))
        ]


def trained(db: Database, campaign: Campaign) -> list[Trained]:
    """How each rater who has begun the training did, by pseudonym."""
    by_rater: dict[str, list[Answered]] = {}
    for one in answers(db, campaign):
        by_rater.setdefault(one.rater, []).append(Answered(one.attempt, one.place, one.right, one.asked))
    count = len(examples(db, campaign))
    found = []
    for name in sorted(by_rater):
        now = standing(by_rater[name], count, campaign.settings.training_rules())
        found.append(Trained(name, now.finished, now.score, now.phase))
    return found


# What a rater still has to do before the first task: asked once, then remembered with the rater.
# A rater's row says which `Settings.entry_version` they have been through. While it is the campaign's,
# nothing is looked up; when the consent text, the survey or the training changes, the missing part is
# asked for again.


Step = Literal["consent", "survey", "training"]


def pending(db: Database, campaign: Campaign, rater: Rater) -> Step | None:
    """The next thing that comes before the work; None where the rater may begin, or has been taken out."""
    version = campaign.settings.entry_version
    if rater.entry == version or not rater.works:
        return None
    step = _missing(db, campaign, rater)
    if step is None:
        table = schema.rater
        with db.write() as connection:
            connection.execute(update(table).where(table.c.id == rater.id).values(entry=version))
    return step


def _missing(db: Database, campaign: Campaign, rater: Rater) -> Step | None:
    wanted = campaign.settings.consent_version
    if wanted and rater.consent_version != wanted:
        return "consent"
    if surveys.is_open(db, campaign, rater, "before"):
        return "survey"
    # Whoever failed and works all the same was let in: by the settings, or by those who run it.
    if campaign.settings.training and standing_of(db, campaign, rater).phase == "answering":
        return "training"
    return None
