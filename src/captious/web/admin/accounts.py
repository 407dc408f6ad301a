"""Accounts: signing in, who may do what, and the log of what they did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from captious.campaigns.people import accounts
from captious.campaigns.records import Account, Campaign, Role, SignInRefused, TooManyTries
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import log
from captious.campaigns.store.database import Database
from captious.errors import InputError
from captious.protocols import Problem
from captious.web import pages
from captious.web.admin.access import (
    HIGHEST_ID,
    PAGE,
    TWIN,
    WRITE,
    Db,
    Owner,
    RowId,
    Seen,
    Viewer,
    Written,
    page,
    show,
    words,
)
from captious.web.admin.form_fields import problem_of, texts_of
from captious.web.admin.models import CampaignHead
from captious.web.guard import devices, security
from captious.web.openapi import form_body
from captious.web.refusals import Refusal

router = APIRouter()

HOME = "/admin"


@router.get("/admin/sign-in", **PAGE)
def sign_in_page(request: Request, next: Annotated[str, Query(max_length=500)] = HOME) -> Response:
    """The form; someone who is signed in already goes straight on."""
    if security.load_session(request) is not None:
        return pages.redirect(request, _inside(next))
    return show(request, "sign_in.html", None, name="", next=_inside(next))


@router.post(
    "/admin/sign-in",
    **WRITE,
    openapi_extra=form_body(
        {"name": "Who", "password": "The password", "next": "Where to go on"},
        required=["csrf", "name", "password"],
    ),
)
def sign_in(request: Request, db: Db, form: Written) -> Response:
    """Begin a session, or say again what is wrong without saying which."""
    given = texts_of(form)
    name, following = given.get("name", ""), _inside(given.get("next", HOME))
    try:
        account = _checked(request, db, name, given.get("password", ""))
    except SignInRefused:
        return _again(request, name, following, "admin.sign_in.refused", 401)
    except TooManyTries as error:
        minutes = max(1, round(error.wait_seconds / 60))
        again = _again(request, name, following, "admin.sign_in.wait", 429, count=minutes)
        again.headers["Retry-After"] = str(max(1, round(error.wait_seconds)))
        return again
    return _enter(request, db, account, following)


def _enter(request: Request, db: Database, account: Account, address: str, flash: str = "") -> Response:
    """A session for the account, and on to a page."""
    hours = security.settings_of(request).account_hours
    token, _ = accounts.start_session(db, account, hours=hours)
    response = pages.redirect(request, address, flash=flash)
    security.set_session(request, response, token, hours=hours)
    devices.remember(request, response, account.name)
    return response


def _checked(request: Request, db: Database, name: str, password: str) -> Account:
    """The account that name and password open; a known device has tries of its own."""
    source = request.client.host if request.client else ""
    device = devices.known(request, accounts.account_name(name))
    return accounts.sign_in(db, name, password, source=source, device=device)


@router.post("/admin/sign-out", **WRITE, openapi_extra=form_body({}, required=["csrf"]))
def sign_out(request: Request, _: Viewer, form: Written) -> Response:
    """End the session here and on the server."""
    response = pages.redirect(request, "/admin/sign-in", flash="admin.flash.signed_out")
    security.end_session(request, response)
    return response


@router.get("/admin/account", **PAGE)
def account_page(request: Request, account: Viewer) -> Response:
    """One's own account."""
    return show(request, "account.html", account)


@router.post(
    "/admin/account",
    **WRITE,
    openapi_extra=form_body(
        {"password": "The present password", "new_password": "The new one"},
        required=["csrf", "password", "new_password"],
    ),
)
def change_password(request: Request, account: Viewer, db: Db, form: Written) -> Response:
    """Change one's own password; the present one is asked for, and tries are counted."""
    given = texts_of(form)
    try:
        _checked(request, db, account.name, given.get("password", ""))
    except SignInRefused:
        wrong = Problem("password", words(request)("admin.account.wrong"))
        return show(request, "account.html", account, problems=[wrong])
    try:
        accounts.change_password(db, account, given.get("new_password", ""), actor=account.name)
    except InputError as error:
        wrong = Problem("new_password", str(error))
        return show(request, "account.html", account, problems=[wrong])
    # The change ended every session, this one too.
    return _enter(request, db, account, "/admin/account", "admin.flash.password")


def _again(request: Request, name: str, following: str, key: str, status: int, **values: int) -> Response:
    wrong = [Problem("", words(request)(key, **values))]
    return show(request, "sign_in.html", None, problems=wrong, status_code=status, name=name, next=following)


def _inside(address: str) -> str:
    """Only admin pages are gone on to.

    >>> _inside("/admin/c/birds"), _inside("//elsewhere.example"), _inside("/admin/sign-in")
    ('/admin/c/birds', '/admin', '/admin')
    """
    fine = pages.local(address) == address and address.startswith(HOME)
    return address if fine and not address.startswith("/admin/sign") else HOME


ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True)
class AccountsPage:
    """Everyone who may sign in."""

    accounts: list[Account]


@router.get("/api/admin/accounts", **TWIN)
def accounts_page(_: Owner, db: Db) -> AccountsPage:
    """All accounts."""
    return AccountsPage(accounts.accounts(db))


@router.get("/admin/accounts", **PAGE)
def accounts_list(request: Request, account: Owner, db: Db) -> Response:
    """All accounts, and the form for another."""
    return _page(request, account, db, {"name": "", "role": "viewer"})


@router.post(
    "/admin/accounts",
    **WRITE,
    openapi_extra=form_body(
        {"name": "Who", "password": "The first password", "role": "viewer, manager or owner"},
        required=["csrf", "name", "password", "role"],
    ),
)
def add_account(request: Request, account: Owner, db: Db, form: Written) -> Response:
    """Create an account."""
    given = {"name": "", "password": "", "role": "viewer"} | texts_of(form)
    role = next((one for one in ROLES if one == given["role"]), None)
    if role is None:
        wrong = Problem("role", words(request)("admin.accounts.no_role"))
        return _page(request, account, db, given, wrong)
    try:
        accounts.create_account(db, given["name"], given["password"], role, actor=account.name)
    except InputError as error:
        return _page(request, account, db, given, problem_of(error))
    return pages.redirect(request, "/admin/accounts", flash="admin.flash.account_added")


@router.post("/admin/accounts/{account_id}/disable", **WRITE, openapi_extra=form_body({}, required=["csrf"]))
def disable(request: Request, account: Owner, db: Db, account_id: RowId, form: Written) -> Response:
    """Close an account and end its sessions; one's own cannot be closed by oneself."""
    found = _found(db, account_id)
    if found.id == account.id:
        wrong = Problem("", words(request)("admin.accounts.not_yourself"))
        return _page(request, account, db, {"name": "", "role": "viewer"}, wrong)
    accounts.disable_account(db, found, actor=account.name)
    return pages.redirect(request, "/admin/accounts", flash="admin.flash.account_disabled")


@router.post("/admin/accounts/{account_id}/enable", **WRITE, openapi_extra=form_body({}, required=["csrf"]))
def enable(request: Request, account: Owner, db: Db, account_id: RowId, form: Written) -> Response:
    """Open a closed account again."""
    accounts.enable_account(db, _found(db, account_id), actor=account.name)
    return pages.redirect(request, "/admin/accounts", flash="admin.flash.account_enabled")


def _found(db: Db, account_id: int) -> Account:
    found = next((one for one in accounts.accounts(db) if one.id == account_id), None)
    if found is None:
        raise Refusal(404, "error.404")
    return found


def _page(request: Request, account: Account, db: Db, form: dict[str, str], *problems: Problem) -> Response:
    page = accounts_page(account, db)
    return show(request, "accounts.html", account, problems=problems, page=page, form=form)


ROWS = 50

Before = Annotated[int | None, Query(ge=1, le=HIGHEST_ID, description="Entries older than this one.")]


@dataclass(frozen=True)
class LogRow:
    """One entry of the audit log."""

    id: int
    time: float
    actor: str
    action: str
    campaign: str | None
    subject: str
    detail: dict[str, Any]


@dataclass(frozen=True)
class LogPage:
    """A page of the audit log, the newest first; `older` is the `before` of the next page."""

    campaign: CampaignHead | None
    entries: list[LogRow]
    older: int | None


def log_page(db: Database, campaign: Campaign | None, before: int | None) -> LogPage:
    """One page of the log, and where the next begins."""
    found = log.entries(db, campaign, limit=ROWS + 1, before=before)
    slugs = {} if campaign is not None else {one.id: one.slug for one in lifecycle.listed(db)}
    if campaign is not None:
        slugs = {campaign.id: campaign.slug}
    rows = [
        LogRow(
            id=entry.id,
            time=entry.time,
            actor=entry.actor,
            action=entry.action,
            campaign=slugs.get(entry.campaign_id) if entry.campaign_id is not None else None,
            subject=entry.subject,
            detail=entry.detail,
        )
        for entry in found[:ROWS]
    ]
    head = None if campaign is None else CampaignHead.of(campaign)
    return LogPage(head, rows, rows[-1].id if len(found) > ROWS else None)


def first(before: Before = None) -> dict[str, Any]:
    """Whether the page shows the newest entries."""
    return {"first": before is None}


@page(router, "/admin/c/{slug}/log", "log.html", beside=first)
def campaign_log(campaign: Seen, db: Db, before: Before = None) -> LogPage:
    """What was done in a campaign."""
    return log_page(db, campaign, before)


@page(router, "/admin/log", "whole_log.html", beside=first)
def whole_log(_: Owner, db: Db, before: Before = None) -> LogPage:
    """What was done anywhere."""
    return log_page(db, None, before)
