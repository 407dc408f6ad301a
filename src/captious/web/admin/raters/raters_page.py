"""Raters: who they are, their links, who was removed and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import Response

from captious.campaigns.people import erasure, links, raters
from captious.campaigns.people.pasted import read_pasted
from captious.campaigns.records import Account, Campaign, Rater
from captious.campaigns.store import log
from captious.campaigns.store.database import Database
from captious.errors import InputError
from captious.protocols import Problem
from captious.web import pages
from captious.web.admin.access import (
    PAGE,
    TWIN,
    WRITE,
    Db,
    Manager,
    RowId,
    Run,
    Seen,
    Viewer,
    Written,
    head,
    rights,
    show,
    words,
)
from captious.web.admin.form_fields import texts_of
from captious.web.admin.formatting import Offset, links_around
from captious.web.admin.models import CampaignHead
from captious.web.guard import security
from captious.web.openapi import form_body
from captious.web.refusals import Refusal

router = APIRouter()
ROWS = 200
_TOKEN = form_body({}, required=["csrf"])
_LINKS = {200: {"description": "The links, shown this once.", "content": {"text/html": {}}}}


class ShownLink(NamedTuple):
    """A link on the one page that shows it."""

    pseudonym: str
    name: str
    address: str


@dataclass(frozen=True)
class RaterRow:
    """A rater. Name and address are for those who run the campaign; a viewer gets null."""

    id: int
    pseudonym: str
    name: str | None
    email: str | None
    native: bool
    state: Literal["active", "removed", "withdrawn"]
    reason: str
    answered: int
    seconds: float
    seconds_each: float | None
    created: float
    last_seen: float | None
    erased: float | None


@dataclass(frozen=True)
class RatersPage:
    """Raters of a campaign, a page of them."""

    campaign: CampaignHead
    total: int
    offset: int
    raters: list[RaterRow]


@router.get("/api/admin/c/{slug}/raters", **TWIN)
def raters_page(account: Viewer, campaign: Seen, db: Db, offset: Offset = 0) -> RatersPage:
    """The raters of a campaign, a page of them; names are for those who run campaigns."""
    everyone = raters.listed(db, campaign)
    named = rights(account).manage
    rows = [_row(rater, named) for rater in everyone[offset : offset + ROWS]]
    return RatersPage(campaign=head(campaign), total=len(everyone), offset=offset, raters=rows)


def _row(rater: Rater, named: bool) -> RaterRow:
    return RaterRow(
        id=rater.id,
        pseudonym=rater.pseudonym,
        name=rater.name if named else None,
        email=rater.email if named else None,
        native=rater.native,
        state=rater.state,
        reason=rater.reason,
        answered=rater.answered,
        seconds=rater.seconds,
        seconds_each=rater.seconds / rater.answered if rater.answered else None,
        created=rater.created,
        last_seen=rater.last_seen,
        erased=rater.erased,
    )


@router.get("/admin/c/{slug}/raters", **PAGE)
def raters_list(request: Request, account: Viewer, campaign: Seen, db: Db, offset: Offset = 0) -> Response:
    """The raters of a campaign, and the form to add more."""
    return _page(request, account, campaign, db, offset, {"links": "yes"})


@router.post(
    "/admin/c/{slug}/raters",
    **{**WRITE, "responses": {**WRITE["responses"], **_LINKS}},
    openapi_extra=form_body(
        {
            "lines": "A rater a line: name, address, native or a language, in any usual form",
            "native": "yes: all are native speakers",
            "links": "yes: make a link for each",
        },
        required=["csrf", "lines"],
    ),
)
def add_raters(request: Request, account: Manager, campaign: Run, db: Db, form: Written) -> Response:
    """Add raters from pasted lines, and show their links where asked."""
    given = texts_of(form)
    try:
        new = read_pasted(given.get("lines", ""), all_native=given.get("native") == "yes")
        added = raters.add(db, campaign, new, actor=account.name)
    except InputError as error:
        return _page(request, account, campaign, db, 0, given, Problem("lines", str(error)))
    if given.get("links") == "yes":
        return _links(request, account, campaign, db, added)
    return _back(request, campaign, "raters_added")


@router.post(
    "/admin/c/{slug}/raters/{rater_id}/link",
    **{**WRITE, "status_code": 200, "responses": {**WRITE["responses"], **_LINKS}},
    openapi_extra=_TOKEN,
)
def make_link(
    request: Request, account: Manager, campaign: Run, db: Db, rater_id: RowId, form: Written
) -> Response:
    """Make a link and show it, this once."""
    rater = _rater(db, campaign, rater_id)
    return _links(request, account, campaign, db, [rater])


@router.post("/admin/c/{slug}/raters/{rater_id}/revoke", **WRITE, openapi_extra=_TOKEN)
def revoke(
    request: Request, account: Manager, campaign: Run, db: Db, rater_id: RowId, form: Written
) -> Response:
    """End every link of a rater and their sessions."""
    links.revoke(db, _rater(db, campaign, rater_id), actor=account.name)
    return _back(request, campaign, "revoked")


@router.get("/admin/c/{slug}/raters/{rater_id}/remove", **PAGE)
def remove_page(request: Request, account: Manager, campaign: Run, db: Db, rater_id: RowId) -> Response:
    """What removing means, and why it is done."""
    rater = _rater(db, campaign, rater_id)
    return _remove_page(request, account, campaign, rater, "")


@router.post(
    "/admin/c/{slug}/raters/{rater_id}/remove",
    **WRITE,
    openapi_extra=form_body({"reason": "Why, for the log"}, required=["csrf", "reason"]),
)
def remove(
    request: Request, account: Manager, campaign: Run, db: Db, rater_id: RowId, form: Written
) -> Response:
    """Leave a rater's responses out from now on; they stay stored."""
    rater = _rater(db, campaign, rater_id)
    reason = " ".join(texts_of(form).get("reason", "").split())
    if not reason or len(reason) > 500:
        wrong = Problem("reason", words(request)("admin.remove.no_reason"))
        return _remove_page(request, account, campaign, rater, reason, wrong)
    raters.remove(db, rater, reason=reason, actor=account.name)
    return _back(request, campaign, "removed")


@router.get("/admin/c/{slug}/raters/{rater_id}/erase", **PAGE)
def erase_page(request: Request, account: Manager, campaign: Run, db: Db, rater_id: RowId) -> Response:
    """What erasing means, and the button that does it."""
    return _erase_page(request, account, campaign, _rater(db, campaign, rater_id))


@router.post("/admin/c/{slug}/raters/{rater_id}/erase", **WRITE, openapi_extra=_TOKEN)
def erase(
    request: Request, account: Manager, campaign: Run, db: Db, rater_id: RowId, form: Written
) -> Response:
    """Erase who a rater was; their responses stay and count."""
    rater = _rater(db, campaign, rater_id)
    try:
        erasure.erase(db, rater, actor=account.name)
    except InputError as error:
        return _erase_page(request, account, campaign, rater, Problem("", str(error)))
    return _back(request, campaign, "erased")


@router.post("/admin/c/{slug}/raters/{rater_id}/reinstate", **WRITE, openapi_extra=_TOKEN)
def reinstate(
    request: Request, account: Manager, campaign: Run, db: Db, rater_id: RowId, form: Written
) -> Response:
    """Take a removed rater back, with all responses."""
    raters.reinstate(db, _rater(db, campaign, rater_id), actor=account.name)
    return _back(request, campaign, "reinstated")


def _rater(db: Database, campaign: Campaign, rater_id: int) -> Rater:
    try:
        return raters.find(db, campaign, rater_id)
    except InputError:
        raise Refusal(404, "error.404") from None


def _links(
    request: Request, account: Account, campaign: Campaign, db: Database, chosen: list[Rater]
) -> Response:
    settings = security.settings_of(request)
    base = settings.base_url  # and never the Host header, which the visitor writes
    made = [
        ShownLink(
            rater.pseudonym, rater.name, f"{base}/join/{links.make_link(db, rater, secret=settings.secret)}"
        )
        for rater in chosen
    ]
    with db.write() as connection:
        log.record(
            connection,
            account.name,
            "make links",
            time=db.now(),
            campaign_id=campaign.id,
            subject=campaign.slug,
            detail={"raters": [rater.pseudonym for rater in chosen]},
        )
    return show(
        request,
        "links.html",
        account,
        campaign=head(campaign),
        here="raters",
        links=made,
        days=campaign.settings.link_days,
        reusable=campaign.settings.reusable_links,
    )


def _back(request: Request, campaign: Campaign, said: str) -> Response:
    address = f"/admin/c/{campaign.slug}/raters"
    return pages.redirect(request, address, flash=f"admin.flash.{said}")


def _erase_page(
    request: Request, account: Account, campaign: Campaign, rater: Rater, *problems: Problem
) -> Response:
    return show(
        request,
        "erase.html",
        account,
        problems=problems,
        campaign=head(campaign),
        here="raters",
        rater=rater,
        status_code=409 if problems else 0,
    )


def _remove_page(
    request: Request, account: Account, campaign: Campaign, rater: Rater, reason: str, *problems: Problem
) -> Response:
    return show(
        request,
        "remove.html",
        account,
        problems=problems,
        campaign=head(campaign),
        here="raters",
        rater=rater,
        form={"reason": reason},
    )


def _page(
    request: Request,
    account: Account,
    campaign: Campaign,
    db: Database,
    offset: int,
    form: dict[str, str],
    *problems: Problem,
) -> Response:
    page = raters_page(account, campaign, db, offset)
    here = f"/admin/c/{campaign.slug}/raters"
    return show(
        request,
        "raters.html",
        account,
        problems=problems,
        campaign=head(campaign),
        here="raters",
        page=page,
        form={"lines": "", "native": "", "links": ""} | form,
        **links_around(here, offset, ROWS, more=offset + ROWS < page.total),
    )
