"""Ways in and out: a rater's link, the first owner's set-up, the demo's sign-in, leaving.

Opening a link only shows a page; the button on it uses the link. Programs that look at links in
mails before people do must not burn them.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse
from starlette.datastructures import FormData
from starlette.responses import Response

from captious.campaigns.people import accounts, links
from captious.campaigns.records import Campaign, ConsentNeeded, LinkRefused, Rater
from captious.campaigns.setup import lifecycle
from captious.errors import InputError
from captious.web import pages
from captious.web.errors import Responses, documented_pages
from captious.web.guard import devices, security, tickets
from captious.web.openapi import form_body
from captious.web.pages import texts
from captious.web.refusals import Refusal

router = APIRouter(tags=["entrance"])
SETUP, DEMO = "setup", "demo"

Sent = Annotated[FormData, Depends(security.submitted)]
_ON: Responses = {303: {"description": "Come in."}}


@router.get("/join/{token}", response_class=HTMLResponse, responses=documented_pages(403, 410))
def invitation(request: Request, token: str) -> Response:
    """What the rater is invited to, and the button that begins it."""
    return _invitation(request, token)


def _invitation(request: Request, token: str, *, unticked: bool = False) -> Response:
    own = _own_work(request, token)
    if own is not None:
        return own
    try:
        rater = links.peek_link(security.db_of(request), token, secret=_secret(request))
    except LinkRefused as error:
        return _refused(request, token, error)
    campaign = lifecycle.by_id(security.db_of(request), rater.campaign_id)
    return pages.render(
        request,
        "rater/join.html",
        status_code=422 if unticked else 200,
        unticked=unticked,
        texts_of=texts(campaign.settings.language),
        campaign=campaign,
        rater=rater,
        token=token,
        guide=campaign.rules().guide("first"),
    )


@router.post(
    "/join/{token}",
    status_code=303,
    response_class=Response,
    responses={**_ON, **documented_pages(403, 410, 415)},
    openapi_extra=form_body({"consent": "Version of the consent text agreed to."}, required=["csrf"]),
)
def join(request: Request, token: str, form: Sent) -> Response:
    """Use the link: it becomes a session of this browser."""
    security.require_csrf(request, security.text_field(form, security.CSRF_FIELD))
    db = security.db_of(request)
    try:
        consent = security.text_field(form, "consent")
        rater = links.open_link(db, token, secret=_secret(request), consent=consent)
    except ConsentNeeded:
        return _invitation(request, token, unticked=True)
    except LinkRefused as error:
        return _own_work(request, token) or _refused(request, token, error)
    campaign = lifecycle.by_id(db, rater.campaign_id)
    return begin_work(request, campaign, rater)


def begin_work(request: Request, campaign: Campaign, rater: Rater) -> Response:
    """A session for the rater, for as long as a link would have lived, and on to the work."""
    hours = campaign.settings.link_days * 24.0
    token, _ = accounts.start_session(security.db_of(request), rater, hours=hours)
    response = pages.redirect(request, f"/work/{campaign.slug}")
    security.set_session(request, response, token, hours=hours, slug=campaign.slug)
    return response


def _own_work(request: Request, token: str) -> Response | None:
    """Straight on to the work, where this browser holds the session of the rater whose link it is."""
    found = links.named_in(security.db_of(request), token, secret=_secret(request))
    if found is None:
        return None
    campaign, rater_id = found
    session = security.load_session(request, campaign.slug, keep=False)
    if session is None or session.rater is None or session.rater.id != rater_id:
        return None
    wanted = campaign.settings.consent_version
    if wanted and session.rater.consent_version != wanted:
        return None
    return pages.redirect(request, f"/work/{campaign.slug}")


def _refused(request: Request, token: str, error: LinkRefused) -> Response:
    """Say why the link opens nothing; work that this browser already holds is one click away."""
    found = links.named_in(security.db_of(request), token, secret=_secret(request))
    return pages.render(
        request,
        "rater/link_refused.html",
        status_code=403 if error.reason == "forged" else 410,
        reason=error.reason,
        contact=found[0].settings.contact if found else "",
        work=held_work(request),
    )


def held_work(request: Request) -> list[Campaign]:
    """The campaigns that this browser holds a rater's session for."""
    prefix = security.cookie_name() + "_"
    found = []
    for name in [name for name in request.cookies if name.startswith(prefix)][:20]:
        session = security.load_session(request, name.removeprefix(prefix), keep=False)
        if session is not None and session.rater is not None:
            found.append(lifecycle.by_id(security.db_of(request), session.rater.campaign_id))
    return found


@router.post(
    "/leave",
    status_code=303,
    response_class=Response,
    responses={**_ON, **documented_pages(403, 415)},
    openapi_extra=form_body({"slug": "The campaign."}, required=["csrf", "slug"]),
)
def leave(request: Request, form: Sent) -> Response:
    """End the rater's session in this browser."""
    slug = security.text_field(form, "slug")
    if security.load_session(request, slug) is not None:
        security.require_csrf(request, security.text_field(form, security.CSRF_FIELD))
    response = pages.redirect(request, "/", flash="leave.done")
    security.end_session(request, response, slug)
    return response


@router.get("/setup/{ticket}", response_class=HTMLResponse, responses=documented_pages(403))
def setup(request: Request, ticket: str) -> Response:
    """The form that creates the owner of a new installation."""
    _open_setup(request, ticket)
    return pages.render(request, "setup.html", ticket=ticket, name="", problem="")


@router.post(
    "/setup/{ticket}",
    status_code=303,
    response_class=Response,
    responses={**_ON, **documented_pages(403, 415)},
    openapi_extra=form_body(
        {"name": "The owner's name.", "password": "Their password.", "again": "Once more."},
        required=["csrf", "name", "password", "again"],
    ),
)
def create_owner(request: Request, ticket: str, form: Sent) -> Response:
    """Create the owner and sign them in; afterwards the address is dead."""
    security.require_csrf(request, security.text_field(form, security.CSRF_FIELD))
    _open_setup(request, ticket)
    db = security.db_of(request)
    name, password = security.text_field(form, "name"), security.text_field(form, "password")
    try:
        if password != security.text_field(form, "again"):
            raise InputError(texts(security.settings_of(request).language)("setup.differ"))
        account = accounts.create_account(db, name, password, "owner", actor="set-up")
    except InputError as error:
        return pages.render(
            request, "setup.html", status_code=422, ticket=ticket, name=name, problem=str(error)
        )
    return sign_in_as(request, account)


def sign_in_as(request: Request, account: accounts.Account) -> Response:
    """A session for an account, and on to the campaigns."""
    hours = security.settings_of(request).account_hours
    token, _ = accounts.start_session(security.db_of(request), account, hours=hours)
    response = pages.redirect(request, "/admin")
    security.set_session(request, response, token, hours=hours)
    devices.remember(request, response, account.name)
    return response


def _open_setup(request: Request, ticket: str) -> None:
    db = security.db_of(request)
    found = tickets.read(_secret(request), SETUP, ticket, now=db.now())
    if found is None or accounts.accounts(db):
        raise Refusal(403, "setup.closed")


@router.get("/demo/{ticket}", response_class=HTMLResponse, responses=documented_pages(403))
def demo(request: Request, ticket: str) -> Response:
    """The button that enters the demo as its owner."""
    _demo_ticket(request, ticket)
    return pages.render(request, "demo.html", ticket=ticket)


@router.post(
    "/demo/{ticket}",
    status_code=303,
    response_class=Response,
    responses={**_ON, **documented_pages(403, 415)},
    openapi_extra=form_body({}, required=["csrf"]),
)
def enter_demo(request: Request, ticket: str, form: Sent) -> Response:
    """Sign in to the demo; again after signing out, for there is no password."""
    security.require_csrf(request, security.text_field(form, security.CSRF_FIELD))
    found = _demo_ticket(request, ticket)
    own = [one for one in accounts.accounts(security.db_of(request)) if one.name == found.subject]
    if not own:
        raise Refusal(403, "demo.closed")
    return sign_in_as(request, own[0])


def _demo_ticket(request: Request, ticket: str) -> tickets.Ticket:
    now = security.db_of(request).now()
    found = tickets.read(_secret(request), DEMO, ticket, now=now)
    if found is None or not security.settings_of(request).demo:
        raise Refusal(403, "demo.closed")
    return found


def _secret(request: Request) -> bytes:
    return security.settings_of(request).secret
