"""Who may see and run a campaign, what it stores of whom, and its deletion."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from sqlalchemy import func, select
from starlette.responses import Response

from captious.campaigns.people import accounts, members
from captious.campaigns.people.members import Member
from captious.campaigns.records import Account, Campaign
from captious.campaigns.setup.deletion import delete_campaign
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.errors import InputError
from captious.protocols import Problem
from captious.web import pages
from captious.web.admin.access import PAGE, TWIN, WRITE, Db, Owner, Seen, Viewer, Written, head, show
from captious.web.admin.form_fields import problem_of, texts_of
from captious.web.admin.models import CampaignHead
from captious.web.openapi import form_body

router = APIRouter()
# What is stored of raters, and whether it stays when one is erased.
STORED = (
    ("names", schema.rater, False),
    ("links", schema.link_use, False),
    ("sessions", schema.session, False),
    ("surveys", schema.survey_answer, False),
    ("training", schema.training_answer, False),
    ("recordings", schema.recording, False),
    ("notes", schema.note, False),
    ("flags", schema.flag, False),
    ("answers", schema.response, True),
)


@dataclass(frozen=True)
class Kept:
    """One kind of data, how many rows of it there are, and whether it stays when a rater is erased."""

    what: str
    count: int
    stays: bool


@dataclass(frozen=True)
class AccessPage:
    """The members of a campaign, and what is stored of its raters."""

    campaign: CampaignHead
    members: list[Member]
    stored: list[Kept]
    erased: int
    retention_days: int


@router.get("/api/admin/c/{slug}/access", **TWIN)
def access_page(campaign: Seen, db: Db) -> AccessPage:
    """Who may do what here, and what is stored of whom."""
    rater = schema.rater
    mine = select(rater.c.id).where(rater.c.campaign_id == campaign.id)
    stored = []
    with db.read() as connection:
        erased = connection.execute(
            select(func.count()).select_from(rater).where(rater.c.id.in_(mine), rater.c.erased.is_not(None))
        ).scalar_one()
        for what, table, stays in STORED:
            own = (
                table.c.campaign_id == campaign.id if "campaign_id" in table.c else table.c.rater_id.in_(mine)
            )
            count = connection.execute(select(func.count()).select_from(table).where(own)).scalar_one()
            stored.append(Kept(what, count - erased if what == "names" else count, stays))
    return AccessPage(
        head(campaign), members.listed(db, campaign), stored, erased, campaign.settings.retention_days
    )


@router.get("/admin/c/{slug}/access", **PAGE)
def access_view(request: Request, account: Viewer, campaign: Seen, db: Db) -> Response:
    """Who may do what here, and what is stored of whom."""
    return _page(request, account, campaign, db, {})


@router.post(
    "/admin/c/{slug}/access",
    **WRITE,
    openapi_extra=form_body(
        {"account": "Whose role", "role": "viewer, manager or owner; empty: none"},
        required=["csrf", "account"],
    ),
)
def change_role(request: Request, account: Owner, campaign: Seen, db: Db, form: Written) -> Response:
    """Give an account a role in this campaign, or take it away."""
    given = texts_of(form)
    try:
        name = accounts.account_name(given.get("account", ""))
        members.set_role(db, campaign, name, given.get("role", ""), actor=account.name)
    except InputError as error:
        return _page(request, account, campaign, db, given, problem_of(error, "account"))
    return pages.redirect(request, f"/admin/c/{campaign.slug}/access", flash="admin.flash.role")


@router.post(
    "/admin/c/{slug}/delete",
    **WRITE,
    openapi_extra=form_body({"name": "The campaign's name, typed"}, required=["csrf", "name"]),
)
def delete(request: Request, account: Owner, campaign: Seen, db: Db, form: Written) -> Response:
    """Delete the campaign with all that it holds."""
    given = texts_of(form)
    try:
        delete_campaign(db, campaign, typed=given.get("name", ""), actor=account.name)
    except InputError as error:
        return _page(request, account, campaign, db, given, problem_of(error, "name"))
    return pages.redirect(request, "/admin", flash="admin.flash.deleted")


def _page(
    request: Request,
    account: Account,
    campaign: Campaign,
    db: Database,
    form: dict[str, str],
    *problems: Problem,
) -> Response:
    return show(
        request,
        "access.html",
        account,
        problems=problems,
        campaign=head(campaign),
        here="access",
        page=access_page(campaign, db),
        form={"account": "", "role": "viewer", "name": ""} | form,
    )
