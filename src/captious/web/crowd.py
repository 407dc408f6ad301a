"""Participants whom a provider sends: their first and last page, and what the provider reports."""

from __future__ import annotations

import base64
import logging
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from captious.campaigns.records import Campaign, EntryNeeded, Rater, is_name
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import images
from captious.campaigns.work import reading
from captious.crowd import arrivals, studies, visits
from captious.crowd.arrivals import TurnedAway
from captious.crowd.base import ProviderError
from captious.crowd.money import shown
from captious.crowd.reconcile import reconcile
from captious.crowd.studies import Stored
from captious.crowd.values import Arrival, Outcome, Refused
from captious.crowd.visits import Visit
from captious.errors import CaptiousError, InputError
from captious.web import forms, pages
from captious.web.entrance import begin_work
from captious.web.errors import Responses, documented_pages
from captious.web.guard import security
from captious.web.guard.security import framers
from captious.web.openapi import form_body
from captious.web.pages import texts
from captious.web.refusals import Refusal

# Participants of a crowd arrive by a shared address, and leave with a code: `/go/{study}`.
# The ids in the address are checked at the provider each time. Looking takes no place: the button
# does. No page here needs JavaScript.


router = APIRouter(tags=["entrance"])
Sent = Annotated[FormData, Depends(security.submitted)]
LONGEST_NAME = 100
# Turned away here, and yet with a place at the provider that someone else may want.
HELD = ("repeat", "blocked", "closed", "paused", "full")
# What a visitor can do nothing about is not their fault: the page is found, and there is no place.
STATUSES = {"forged": 403, "missing": 400, "unreachable": 503, "preview": 200}
_ON: Responses = {
    303: {"description": "Come in."},
    200: {"description": "The last page: a code, and where to go.", "content": {"text/html": {}}},
    503: {"description": "The provider does not answer.", "content": {"text/html": {}}},
}


def last_page(stored: Stored) -> str:
    """Where a participant's work ends."""
    return f"/go/{stored.study.key}/done"


def study_of(request: Request, rater: Rater) -> Stored | None:
    """The study that a rater came from, None for one who came by another way."""
    db = security.db_of(request)
    visit = visits.of_rater(db, rater.id)
    return None if visit is None else studies.by_id(db, visit.study_id)


@router.get("/go/{key}", response_class=HTMLResponse, responses={**_ON, **documented_pages(403, 410)})
def arrive(request: Request, key: str) -> Response:
    """What the participant is invited to, with the questions that come before the work."""
    stored, campaign = _study(request, key)
    found = _verified(request, stored)
    if isinstance(found, TurnedAway):
        if found.reason == "missing" and stored.provider().signs_up:
            return _page(request, stored, campaign)
        if found.reason == "preview":
            return _page(request, stored, campaign, preview=True)
        return _turned_away(request, stored, campaign, found)
    db, secret = security.db_of(request), security.settings_of(request).secret
    visit = arrivals.look(db, stored, campaign, found, secret=secret)
    if isinstance(visit, TurnedAway):
        return _ended_or_turned_away(request, stored, campaign, found, visit)
    return _page(request, stored, campaign, visit=visit)


@router.post(
    "/go/{key}",
    status_code=303,
    response_class=Response,
    responses={**_ON, **documented_pages(403, 410, 415)},
    openapi_extra=form_body(
        {"consent": "Version of the consent text agreed to.", "name": "A name, on a sign-up page."},
        required=["csrf"],
        open_ended=True,
    ),
)
def begin(request: Request, key: str, form: Sent) -> Response:
    """Take a place: the answers to the questions decide whether the work begins."""
    stored, campaign = _study(request, key)
    if framers(request) and not request.cookies.get(security.VISITOR):
        return _in_a_tab(request, stored, campaign)
    security.require_csrf(request, security.text_field(form, security.CSRF_FIELD))
    return _let_in(request, stored, campaign, form)


def _let_in(request: Request, stored: Stored, campaign: Campaign, form: FormData) -> Response:
    signing_up = stored.provider().signs_up
    found = _signed_up(form) if signing_up else _verified(request, stored)
    if isinstance(found, TurnedAway):
        if signing_up:
            return _page(request, stored, campaign, problem="arrive.name_missing")
        return _turned_away(request, stored, campaign, found)
    problem = _unanswered(stored, campaign, form)
    db, secret = security.db_of(request), security.settings_of(request).secret
    known = arrivals.look(db, stored, campaign, found, secret=secret)
    working = isinstance(known, Visit) and known.rater_id is not None
    if problem and not working:
        seen = known if isinstance(known, Visit) else None
        return _page(request, stored, campaign, visit=seen, problem=problem, form=form)
    visit = arrivals.begin(db, stored, campaign, found, secret=secret, fresh=signing_up)
    if isinstance(visit, TurnedAway):
        return _ended_or_turned_away(request, stored, campaign, found, visit)
    if visit.rater_id is None:
        sent_away = _questions(request, stored, campaign, visit, form)
        if sent_away is not None:
            return sent_away
    consent = campaign.settings.consent_version
    rater = arrivals.admit(db, stored, campaign, visit, consent=consent)
    return begin_work(request, campaign, rater)


@router.get("/go/{key}/done", response_class=HTMLResponse, responses={**_ON, **documented_pages(401)})
def done(request: Request, key: str) -> Response:
    """The code and the way back to the provider, once there is nothing left to do."""
    stored, campaign = _study(request, key)
    rater, _ = security.rater_session(request, campaign.slug)
    visit = visits.of_rater(security.db_of(request), rater.id)
    if visit is None or visit.study_id != stored.id:
        raise Refusal(401, "error.no_session")
    try:
        outcome = arrivals.finish(security.db_of(request), stored, campaign, visit)
    except EntryNeeded:
        outcome = None
    if outcome is None:
        return pages.redirect(request, f"/work/{campaign.slug}")
    return _completed(request, stored, campaign, visit, outcome)


def _study(request: Request, key: str) -> tuple[Stored, Campaign]:
    db = security.db_of(request)
    try:
        stored = studies.by_key(db, key)
    except InputError:
        raise Refusal(404, "error.404") from None
    return stored, lifecycle.by_id(db, stored.campaign_id)


def _verified(request: Request, stored: Stored) -> Arrival | TurnedAway:
    """Who came, as the provider confirms it."""
    if stored.remote is None:
        return TurnedAway("draft")
    try:
        found = stored.provider().verify(stored.study, stored.remote, dict(request.query_params))
    except (ProviderError, CaptiousError):
        return TurnedAway("unreachable")
    return TurnedAway(found.reason) if isinstance(found, Refused) else found


def _signed_up(form: FormData) -> Arrival | TurnedAway:
    name = " ".join(security.text_field(form, "name").split())
    if not is_name(name) or len(name) > LONGEST_NAME:
        return TurnedAway("missing")
    return Arrival(name, name.casefold())


def _unanswered(stored: Stored, campaign: Campaign, form: FormData) -> str:
    """The key of what is missing in the form, "" where nothing is."""
    wanted = campaign.settings.consent_version
    if wanted and security.text_field(form, "consent") != wanted:
        return "join.consent_missing"
    study = stored.study
    asked = [("s", study.screening), ("c", study.comprehension)]
    for letter, questions in asked:
        for at, question in enumerate(questions):
            if security.text_field(form, f"{letter}{at}") not in question.choices:
                return "arrive.unanswered"
    return ""


def _questions(
    request: Request, stored: Stored, campaign: Campaign, visit: Visit, form: FormData
) -> Response | None:
    """The page for someone whose answers do not let them begin; None where they do."""
    db, study = security.db_of(request), stored.study
    screening = [security.text_field(form, f"s{at}") for at in range(len(study.screening))]
    if arrivals.wrong(study.screening, screening):
        arrivals.end(db, stored, visit, "screened_out")
        return _completed(request, stored, campaign, visit, "screened_out")
    understood = [security.text_field(form, f"c{at}") for at in range(len(study.comprehension))]
    if not arrivals.wrong(study.comprehension, understood):
        return None
    left = arrivals.fail_once(db, stored, visit)
    if not left:
        return _completed(request, stored, campaign, visit, "failed")
    return _page(
        request, stored, campaign, visit=visit, problem="arrive.not_understood", left=left, form=form
    )


def _page(
    request: Request,
    stored: Stored,
    campaign: Campaign,
    *,
    visit: Visit | None = None,
    preview: bool = False,
    problem: str = "",
    left: int = 0,
    form: FormData | None = None,
) -> Response:
    study, provider = stored.study, stored.provider()
    return pages.render(
        request,
        "rater/arrive.html",
        status_code=422 if problem else 200,
        texts_of=texts(campaign.settings.language),
        campaign=campaign,
        study=study,
        reward=shown(study.reward, study.currency) if study.reward else "",
        action=_own_address(request, stored),
        signs_up=provider.signs_up,
        preview=preview,
        sample=sample_task(request, campaign) if preview else None,
        returning=visit is not None and visit.rater_id is not None,
        problem=problem,
        left=left,
        given={name: value for name, value in (form or {}).items() if isinstance(value, str)},
        guide=campaign.rules().guide("first"),
    )


def _ended_or_turned_away(
    request: Request, stored: Stored, campaign: Campaign, arrival: Arrival, refusal: TurnedAway
) -> Response:
    """Who has finished sees the code again where they are sure to be the same person."""
    ended = arrivals.ended_visit(security.db_of(request), stored, arrival)
    if ended is not None and ended.outcome and refusal.reason == "over":
        session = security.load_session(request, campaign.slug, keep=False)
        own = session is not None and session.rater is not None and session.rater.id == ended.rater_id
        if own or stored.provider().has_service:
            return _completed(request, stored, campaign, ended, ended.outcome)
    return _turned_away(request, stored, campaign, refusal, arrival)


def _in_a_tab(request: Request, stored: Stored, campaign: Campaign) -> Response:
    """A browser that keeps no cookie of a page in a frame: the work is done in a tab of its own."""
    return pages.render(
        request,
        "rater/framed.html",
        texts_of=texts(campaign.settings.language),
        study=stored.study,
        tab=_own_address(request, stored),
    )


def _own_address(request: Request, stored: Stored) -> str:
    query = f"?{urlencode(request.query_params.multi_items())}" if request.query_params else ""
    return f"/go/{stored.study.key}{query}"


def _turned_away(
    request: Request, stored: Stored, campaign: Campaign, refusal: TurnedAway, arrival: Arrival | None = None
) -> Response:
    if refusal.reason in ("full", "closed") and arrival is not None and stored.remote is not None:
        return _completed(request, stored, campaign, arrival, "full")
    provider = stored.provider()
    return pages.render(
        request,
        "rater/turned_away.html",
        status_code=STATUSES.get(refusal.reason, 410),
        texts_of=texts(campaign.settings.language),
        campaign=campaign,
        reason=refusal.reason,
        give_back=provider.title if provider.has_service and refusal.reason in HELD else "",
    )


def _completed(
    request: Request, stored: Stored, campaign: Campaign, who: Visit | Arrival, outcome: Outcome
) -> Response:
    closed = outcome == "full" and "closed" in (stored.state, campaign.state)
    arrival = who.as_arrival() if isinstance(who, Visit) else who
    provider = stored.provider()
    way = provider.completion(stored.study, stored.published_at(), arrival, outcome)
    named = provider.title if provider.has_service else ""
    values: dict[str, Any] = {"way": way, "outcome": "closed" if closed else outcome, "provider": named}
    return pages.render(
        request,
        "rater/completed.html",
        sends_to=[_origin(way.address)] if way.fields else (),
        texts_of=texts(campaign.settings.language),
        campaign=campaign,
        **values,
    )


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


class SampleTask(NamedTuple):
    """A task's form, and its image within the page: who only looks has no session to fetch it with."""

    form: forms.FormView
    image: str


def sample_task(request: Request, campaign: Campaign) -> SampleTask | None:
    """The first task that is no attention check; None where a campaign has none yet."""
    db = security.db_of(request)
    item = reading.first_item(db, campaign)
    if item is None:
        return None
    digest = images.digest_of(db, campaign, item.image)
    image = ""
    if digest:
        path, kind = images.image_file(db, campaign, digest)
        image = f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"
    return SampleTask(forms.view(item, texts(campaign.settings.language)), image)


# What a provider tells by itself: a place has changed. We then look at the provider, and at nothing else.
# An event is signed by the provider (`Provider.heard`), so it needs no session. It may come twice, late or
# never: reconciling is the same each time, and polling finds what was not told.


log = logging.getLogger("captious.web")
LATER = {"Retry-After": "60"}


@router.post("/go/{key}/events", status_code=204, include_in_schema=False)
async def event(request: Request, key: str) -> Response:
    """An event of the provider that the study with this key is published at."""
    body = await request.body()
    return await run_in_threadpool(_follow, request, key, body)


def _follow(request: Request, key: str, body: bytes) -> Response:
    db = security.db_of(request)
    try:
        stored = studies.by_key(db, key)
    except InputError:
        raise HTTPException(404) from None
    if stored.remote is None:
        raise HTTPException(404)
    try:
        place = stored.provider().heard(stored.study, stored.remote, request.headers, body, db.now())
        if place is None:
            raise HTTPException(403)
        if place:
            reconcile(db, stored)
    except ProviderError as error:
        # Whoever is not answered with success sends the event again.
        log.warning("event of a provider: %s", error)
        return Response(status_code=503, headers=LATER)
    return Response(status_code=204)
