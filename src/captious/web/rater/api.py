"""The rater's work as JSON, for scripts and other pages: the same rules, the same session."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.responses import Response

from captious.campaigns.entry.training import pending
from captious.campaigns.records import AnsweredAlready, RaterProgress, Receipt, Task
from captious.campaigns.work import assignment, responses
from captious.web.errors import ErrorBody, documented
from captious.web.guard import security
from captious.web.guard.security import AtWork
from captious.web.pages import texts
from captious.web.rater.task_page import picture
from captious.web.rater.work_pages import KEY
from captious.web.refusals import Refusal

router = APIRouter(prefix="/api/work", tags=["rater"])


class CaptionBody(BaseModel):
    """A caption under its blind key."""

    key: str
    text: str


class ItemBody(BaseModel):
    """What a rater is shown and asked: never who wrote a caption."""

    key: str
    image: str
    captions: list[CaptionBody]
    fields: list[dict[str, Any]]
    prior: dict[str, Any]
    hints: list[str]


class TaskBody(BaseModel):
    """An item that the rater holds until `held_until` (seconds since 1970)."""

    task: str
    item: ItemBody
    image_url: str
    number: int
    group: int
    position: int
    group_size: int
    held_until: float
    draft: dict[str, Any] | None


class WorkBody(BaseModel):
    """The campaign, the tasks in hand in their order, and the token that writes must carry."""

    campaign: str
    title: str
    protocol: str
    state: str
    csrf: str
    tasks: list[TaskBody]
    progress: RaterProgress


class AnswersBody(BaseModel):
    """The answers to a task, by the names of its fields."""

    answers: dict[str, Any] = Field(examples=[{"preference": 4}])
    replaces: int | None = Field(
        None,
        description="The response that these answers correct: the one that stands. Without it only a task "
        "that has no answer yet takes one.",
    )


class ReceiptBody(BaseModel):
    """Stored as `response`. `duplicate`: the key had been used before, and the first answer stands."""

    response: int
    duplicate: bool
    correction: bool
    feedback: list[str] = []


class AnsweredBody(ErrorBody):
    """Nothing was stored. `stands`: the task has this response; send it as `replaces` to correct it."""

    stands: int | None = None


@router.get("/{slug}", responses=documented(401, 409))
def work(request: Request, slug: str) -> WorkBody:
    """The tasks in hand; new ones are handed out when there are none."""
    at = security.current_rater(request, slug)
    step = pending(security.db_of(request), at.campaign, at.rater)
    if step is not None:
        raise Refusal(409, f"entry.needed.{step}")
    tasks = assignment.next_tasks(security.db_of(request), at.campaign, at.rater)
    return WorkBody(
        campaign=at.campaign.slug,
        title=at.campaign.title,
        protocol=at.campaign.protocol,
        state=at.campaign.state,
        csrf=at.session.csrf,
        tasks=[_task(at, task) for task in tasks],
        progress=_progress(request, at),
    )


@router.get("/{slug}/progress", responses=documented(401))
def progress(request: Request, slug: str) -> RaterProgress:
    """How far the rater is."""
    return _progress(request, security.current_rater(request, slug))


@router.post(
    "/{slug}/{task}",
    responses={
        **documented(401, 403, 415),
        409: {
            "model": AnsweredBody,
            "description": "The task has an answer that `replaces` does not name, or takes none any more.",
        },
    },
    response_model=ReceiptBody,
)
def submit(
    request: Request,
    slug: str,
    task: Annotated[str, Path()],
    body: AnswersBody,
    idempotency_key: Annotated[
        str, Header(pattern=f"^{KEY.pattern}$", description="Stored once for each key.")
    ],
    x_csrf_token: Annotated[str, Header(description="The `csrf` of GET /api/work/{slug}.")] = "",
) -> ReceiptBody | Response:
    """Store an answer; the answer is acknowledged only once it is on disk.

    A second answer to a task corrects the first one only where `replaces` names the response that
    stands. The same key again returns the first receipt, whatever the answers.
    """
    rater, _ = security.rater_session(request, slug)
    security.require_csrf(request, x_csrf_token)
    security.refuse_unstorable(body.answers)
    db = security.db_of(request)
    seen = responses.Seen(body.replaces)
    try:
        outcome = responses.respond(
            db, rater, task, body.answers, key=idempotency_key, source="api", seen=seen
        )
    except AnsweredAlready as error:
        message = texts(security.settings_of(request).language)("api.answered_already")
        return JSONResponse(AnsweredBody(error=message, stands=error.stands).model_dump(), status_code=409)
    if not isinstance(outcome, Receipt):
        raise Refusal(422, "form.check", problems=outcome)
    return ReceiptBody(
        response=outcome.response_id,
        duplicate=outcome.duplicate,
        correction=outcome.correction,
        feedback=list(outcome.feedback),
    )


def _progress(request: Request, at: AtWork) -> RaterProgress:
    return assignment.rater_progress(security.db_of(request), at.rater)


def _task(at: AtWork, task: Task) -> TaskBody:
    return TaskBody(
        task=task.token,
        item=ItemBody.model_validate(task.item.public()),
        image_url=picture(at.campaign.slug, task.digest),
        number=task.number,
        group=task.group_no,
        position=task.position,
        group_size=task.group_size,
        held_until=task.held_until,
        draft=task.draft,
    )
