"""Training before the work: examples on the form of the work, and after each what was expected and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.datastructures import FormData
from starlette.responses import Response

from captious.campaigns.entry import training
from captious.campaigns.entry.training import KeptExample
from captious.campaigns.store import images
from captious.protocols import Field, Problem
from captious.protocols.known import best_answer
from captious.protocols.training import WHOLE, Marked, Standing, mark
from captious.web import forms, pages
from captious.web.errors import documented_pages
from captious.web.forms import answers_to
from captious.web.guard import security
from captious.web.guard.security import AtWork
from captious.web.openapi import form_body
from captious.web.pages import Texts, texts, wants_json
from captious.web.rater.entry.consent_page import ON
from captious.web.rater.task_page import Links, task_values
from captious.web.refusals import Refusal

router = APIRouter()
Sent = Annotated[FormData, Depends(security.submitted)]
Number = Annotated[int, Path(ge=1, le=100_000)]


class Line(NamedTuple):
    """What a page says of one answer: the caption and the question, and whether it was right."""

    caption: str
    question: str
    given: str
    expected: str
    right: bool
    why: str


@router.get("/begin/{slug}/training", response_class=HTMLResponse, responses={**ON, **documented_pages(401)})
def overview(request: Request, slug: str) -> Response:
    """What the training is, or what became of it."""
    at = security.current_rater(request, slug)
    if not at.campaign.settings.training:
        return pages.redirect(request, f"/begin/{slug}")
    now = training.standing_of(security.db_of(request), at.campaign, at.rater)
    if now.phase == "answering" and now.place > 1:
        return pages.redirect(request, _address(slug, now.attempt, now.place))
    t = texts(at.campaign.settings.language)
    settings = at.campaign.settings
    return pages.render(
        request,
        "rater/entry/training.html",
        texts_of=t,
        campaign=at.campaign,
        state=_state(at, now),
        count=len(training.examples(security.db_of(request), at.campaign)),
        needed=f"{settings.training_pass:.0%}",
        reached=f"{now.last:.0%}" if now.finished else "",
        tries=settings.training_tries,
        tries_left=max(0, settings.training_tries - now.finished),
        unlimited=settings.after_failing == "again",
        start=_address(slug, now.attempt, now.place),
        guide=at.campaign.rules().guide(),
    )


def _state(at: AtWork, now: Standing) -> str:
    """Which of the texts holds: intro, again, passed, stopped or uncounted."""
    if now.phase == "answering":
        return "again" if now.finished else "intro"
    if now.phase == "failed":
        if at.rater.state == "active":  # taken back by those who run the campaign
            return "passed"
        return "uncounted" if at.rater.works else "stopped"
    return "passed"


@router.get(
    "/begin/{slug}/training/{attempt}/{place}",
    response_class=HTMLResponse,
    responses={**ON, **documented_pages(401)},
)
def example(request: Request, slug: str, attempt: Number, place: Number) -> Response:
    """An example to answer; once it is answered, what was expected and why."""
    at = security.current_rater(request, slug)
    db = security.db_of(request)
    kept = _kept(request, at, place)
    if kept is None:
        return pages.redirect(request, f"/begin/{slug}/training")
    given = training.given(db, at.campaign, at.rater, attempt, place)
    if given is not None:
        return _marked(request, at, kept, attempt, mark(kept.example, given))
    if not _is_next(request, at, attempt, place):
        return pages.redirect(request, f"/begin/{slug}/training")
    return _form(request, at, kept, attempt)


@router.post(
    "/begin/{slug}/training/{attempt}/{place}",
    status_code=303,
    response_class=Response,
    responses={**ON, **documented_pages(401, 403, 415)},
    openapi_extra=form_body({}, required=["csrf"], open_ended=True),
)
def answer(request: Request, slug: str, attempt: Number, place: Number, form: Sent) -> Response:
    """Store the answers; the page that follows says what was expected."""
    at = security.current_rater(request, slug)
    token = request.headers.get(security.CSRF_HEADER) or security.text_field(form, security.CSRF_FIELD)
    security.require_csrf(request, token)
    kept = _kept(request, at, place)
    if kept is not None and _is_next(request, at, attempt, place):
        said = answers_to(kept.example.item, form)
        found = training.answer(security.db_of(request), at.campaign, at.rater, kept, attempt, said)
        wrong = [one for one in found if isinstance(one, Problem)]
        if wrong and wants_json(request):
            raise Refusal(422, "form.check", problems=wrong)
        if wrong:
            return _form(request, at, kept, attempt, said, wrong)
    address = _address(slug, attempt, place)
    return JSONResponse({"next": address}) if wants_json(request) else pages.redirect(request, address)


def _address(slug: str, attempt: int, place: int) -> str:
    return f"/begin/{slug}/training/{attempt}/{place}"


def _kept(request: Request, at: AtWork, place: int) -> KeptExample | None:
    found = training.examples(security.db_of(request), at.campaign)
    return found[place - 1] if place <= len(found) else None


def _is_next(request: Request, at: AtWork, attempt: int, place: int) -> bool:
    now = training.standing_of(security.db_of(request), at.campaign, at.rater)
    return now.phase == "answering" and at.rater.works and (attempt, place) == (now.attempt, now.place)


def _picture(request: Request, at: AtWork, kept: KeptExample) -> str:
    digest = images.digest_of(security.db_of(request), at.campaign, kept.example.item.image)
    return f"/images/{at.campaign.slug}/{digest}" if digest else ""


def _form(
    request: Request,
    at: AtWork,
    kept: KeptExample,
    attempt: int,
    answers: Mapping[str, object] | None = None,
    problems: Sequence[Problem] = (),
) -> Response:
    slug, t = at.campaign.slug, texts(at.campaign.settings.language)
    count = len(training.examples(security.db_of(request), at.campaign))
    links = Links(
        submit=_address(slug, attempt, kept.place),
        guide=f"/guide/{slug}",
        work=f"/begin/{slug}",
        image=_picture(request, at, kept),
    )
    values: dict[str, Any] = task_values(
        kept.example.item,
        at.campaign.rules(),
        t,
        links,
        title=at.campaign.title,
        answers=answers,
        problems=problems,
    )
    values |= {"record_lines": (t("entry.training.place", place=kept.place, count=count),), "wait": 0.0}
    return pages.render(
        request,
        "rater/task.html",
        status_code=422 if problems else 200,
        at=at,
        slug=slug,
        store=f"{slug}.{at.rater.pseudonym}.training",
        **values,
    )


def _marked(
    request: Request, at: AtWork, kept: KeptExample, attempt: int, marked: Sequence[Marked]
) -> Response:
    slug, t = at.campaign.slug, texts(at.campaign.settings.language)
    count = len(training.examples(security.db_of(request), at.campaign))
    last = kept.place == count
    return pages.render(
        request,
        "rater/entry/marked.html",
        texts_of=t,
        campaign=at.campaign,
        image=_picture(request, at, kept),
        captions=kept.example.item.captions,
        lines=[_line(one, t) for one in marked],
        right=sum(one.right for one in marked),
        place=kept.place,
        count=count,
        why=[kept.example.why[key] for key in _abouts(kept) if key in kept.example.why],
        following=f"/begin/{slug}/training" if last else _address(slug, attempt, kept.place + 1),
        last=last,
        guide_address=f"/guide/{slug}",
    )


def _abouts(kept: KeptExample) -> list[str]:
    """What an explanation may be about beside single questions: each caption, and all of it."""
    return [*(caption.key for caption in kept.example.item.captions), WHOLE]


def _line(marked: Marked, t: Texts) -> Line:
    return Line(
        marked.field.caption,
        t.say(marked.field.label),
        forms.described(marked.field, marked.given, t),
        expected_words(marked.field, marked.expected, t),
        marked.right,
        marked.why,
    )


def expected_words(field: Field, wanted: Any, t: Texts) -> str:
    """A known answer in words, with what else would have been right."""
    if isinstance(wanted, (list, tuple)) and not field.rules.lists:
        return t("entry.training.or").join(forms.described(field, one, t) for one in wanted)
    best = forms.described(field, best_answer(wanted, field), t)
    tolerance = wanted.get("tolerance", 0) if isinstance(wanted, dict) and "value" in wanted else 0
    if not tolerance:
        return best
    value = float(wanted["value"])
    low, high = value - tolerance, value + tolerance
    if field.low is not None:
        low = max(low, field.low)
    if field.high is not None:
        high = min(high, field.high)
    return t("entry.training.range", best=best, low=f"{low:g}", high=f"{high:g}")
