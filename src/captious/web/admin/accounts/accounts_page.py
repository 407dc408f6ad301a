"""Accounts: who may see and run campaigns. For owners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from fastapi import APIRouter, Request
from starlette.responses import Response

from captious.campaigns.people import accounts
from captious.campaigns.records import Account, Role
from captious.errors import InputError
from captious.protocols import Problem
from captious.web import pages
from captious.web.admin.access import PAGE, TWIN, WRITE, Db, Owner, RowId, Written, show, words
from captious.web.admin.form_fields import problem_of, texts_of
from captious.web.openapi import form_body
from captious.web.refusals import Refusal

router = APIRouter()
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
