"""Signing in and out, and one's own password."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from captious.campaigns.people import accounts
from captious.campaigns.records import Account, SignInRefused, TooManyTries
from captious.campaigns.store.database import Database
from captious.errors import InputError
from captious.protocols import Problem
from captious.web import pages
from captious.web.admin.access import PAGE, WRITE, Db, Viewer, Written, show, words
from captious.web.admin.form_fields import texts_of
from captious.web.guard import devices, security
from captious.web.openapi import form_body

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
