"""A page that did not know of an answer: the rater is asked which of the two is to stand."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import NamedTuple

from fastapi import Request
from starlette.responses import Response

from captious.campaigns.records import Task
from captious.campaigns.work import assignment
from captious.campaigns.work.responses import Seen
from captious.protocols import Field
from captious.protocols.questions.base import plain
from captious.web import forms, pages
from captious.web.guard import security
from captious.web.pages import Texts, texts, wants_json
from captious.web.refusals import Refusal


class Compared(NamedTuple):
    """One question with what is stored and what was just sent, in words."""

    question: str
    stored: str
    sent: str


def ask_first(request: Request, slug: str, task: str, answers: Mapping[str, object], seen: Seen) -> Response:
    """Nothing was stored: show both answers, and let the rater keep the one or store the other."""
    if wants_json(request):
        raise Refusal(409, "work.answered_already")
    at = security.current_rater(request, slug)
    db = security.db_of(request)
    found = assignment.task(db, at.rater, task)
    t = texts(at.campaign.settings.language)
    return pages.render(
        request,
        "rater/answered_already.html",
        status_code=409,
        texts_of=t,
        at=at,
        slug=slug,
        task=found,
        may_change=assignment.may_change(db, at.rater, found),
        compared=compared(found, answers, t),
        pairs=_pairs(found, answers),
        untouched=sorted(seen.untouched),
        key=secrets.token_urlsafe(16),
    )


def compared(task: Task, sent: Mapping[str, object], t: Texts) -> list[Compared]:
    """The questions that the two answer differently."""
    cleaned = task.item.form.check(sent, dict(task.item.captions))
    now = {} if isinstance(cleaned, list) else cleaned
    before = task.answered or {}
    found = []
    for field in task.item.form.fields:
        one, other = before.get(field.name), now.get(field.name)
        if one != other:
            words = [forms.described(field, answer, t) for answer in (one, other)]
            found.append(Compared(_question(field, t), *words))
    return found


def _question(field: Field, t: Texts) -> str:
    label = t.say(field.label)
    return f"{t('work.caption', key=field.caption)}: {label}" if field.caption else label


def _pairs(task: Task, sent: Mapping[str, object]) -> list[tuple[str, str]]:
    """The answers as the fields of a page, as `Form.read` understands them."""
    found: list[tuple[str, str]] = []
    for field in task.item.form.fields:
        answer = sent.get(field.name)
        if isinstance(answer, Mapping):
            found += [(field.name, str(value)) for value in answer]
            amounts = {value: amount for value, amount in answer.items() if amount is not None}
            found += [(f"{field.name}.{value}", str(amount)) for value, amount in amounts.items()]
        elif answer is not None:
            found.append((field.name, plain(answer)))
    return found
