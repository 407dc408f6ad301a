"""Surveys before the first task and after the last: asked once, appended, and no judgment."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from sqlalchemy import select

from captious.campaigns.records import Campaign, Rater, Settings, text_version
from captious.campaigns.store import schema
from captious.campaigns.store.columns import unstorable
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import insert_new
from captious.protocols import Answers, Form, Problem
from captious.protocols.questions.file import parse_survey

Moment = Literal["before", "after"]
MOMENTS: tuple[Moment, ...] = ("before", "after")


class SurveyAnswer(NamedTuple):
    """What a rater answered, to which version of the questions, and when."""

    rater: str
    moment: Moment
    version: str
    answers: Answers
    time: float


def text_of(settings: Settings, moment: Moment) -> str:
    """The YAML of a survey, "" where there is none."""
    return settings.survey_before if moment == "before" else settings.survey_after


def form_of(settings: Settings, moment: Moment) -> Form | None:
    """The questions of a survey; None where there is none."""
    text = text_of(settings, moment)
    return _form(text) if text.strip() else None


@lru_cache(maxsize=64)
def _form(text: str) -> Form:
    return parse_survey(text)


def is_open(db: Database, campaign: Campaign, rater: Rater, moment: Moment) -> bool:
    """Whether the rater has yet to answer the survey as it is now."""
    version = text_version(text_of(campaign.settings, moment))
    if not version:
        return False
    table = schema.survey_answer
    own = (table.c.rater_id == rater.id, table.c.moment == moment, table.c.version == version)
    with db.read() as connection:
        return connection.execute(select(table.c.id).where(*own)).first() is None


def answer(
    db: Database, campaign: Campaign, rater: Rater, moment: Moment, given: Mapping[str, object]
) -> list[Problem]:
    """Store a rater's answers, or say what is wrong with them; a second time changes nothing."""
    form = form_of(campaign.settings, moment)
    if form is None:
        return []
    checked = form.check(given)
    if isinstance(checked, list):
        return checked
    wrong = unstorable(checked)
    if wrong:
        return wrong
    row: dict[str, Any] = {
        "campaign_id": campaign.id,
        "rater_id": rater.id,
        "moment": moment,
        "version": text_version(text_of(campaign.settings, moment)),
        "answers": checked,
        "time": db.now(),
    }
    with db.write() as connection:
        insert_new(connection, schema.survey_answer, [row])
    return []


def answers(db: Database, campaign: Campaign) -> list[SurveyAnswer]:
    """Everything that raters answered, oldest first, by pseudonym."""
    table, rater = schema.survey_answer, schema.rater
    wanted = (
        select(rater.c.pseudonym, table.c.moment, table.c.version, table.c.answers, table.c.time)
        .join(rater, rater.c.id == table.c.rater_id)
        .where(table.c.campaign_id == campaign.id)
        .order_by(table.c.id)
    )
    with db.read() as connection:
        return [SurveyAnswer(*row) for row in connection.execute(wanted)]
