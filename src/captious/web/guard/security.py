"""Who is asking, may they, and did they mean it: sessions, roles and CSRF tokens.

An account's session is the cookie `captious_session`; a rater's is `captious_session_<campaign>`,
so that one browser may hold work for several campaigns beside an account.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import unquote_plus

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from captious.campaigns.people import accounts, members
from captious.campaigns.records import Account, Campaign, Rater, Session
from captious.campaigns.setup import lifecycle
from captious.campaigns.store.database import Database
from captious.crowd import studies
from captious.errors import CaptiousError, UnknownNameError
from captious.web.refusals import Refusal, SignInNeeded
from captious.web.settings import WebSettings

COOKIE = "captious_session"
VISITOR = "captious_visitor"
CSRF_FIELD = "csrf"
CSRF_HEADER = "x-csrf-token"
ROLES = ("viewer", "manager", "owner")
PLAIN_FORM = "application/x-www-form-urlencoded"
FORM_TYPES = (PLAIN_FORM, "multipart/form-data")
MOST_FIELDS = 1000
DOORS = ("/admin/sign-in", "/join/", "/go/", "/setup/", "/demo/")
HOUR = 3600
LONGEST_COOKIE = 200


class AtWork(NamedTuple):
    """A rater with a session, and the campaign that the address names."""

    rater: Rater
    campaign: Campaign
    session: Session


def db_of(request: Request) -> Database:
    """The application's database."""
    db: Database = request.app.state.db
    return db


def settings_of(request: Request) -> WebSettings:
    """The application's settings."""
    settings: WebSettings = request.app.state.settings
    return settings


def is_secure(request: Request) -> bool:
    """Whether cookies may travel over https only."""
    return settings_of(request).secure_cookies or request.scope.get("scheme") == "https"


def cookie_name(slug: str = "") -> str:
    """The cookie of an account's session, or of a rater's in a campaign.

    >>> cookie_name(), cookie_name("birds")
    ('captious_session', 'captious_session_birds')
    """
    return f"{COOKIE}_{slug}" if slug else COOKIE


def load_session(request: Request, slug: str = "", *, keep: bool = True) -> Session | None:
    """The living session of the account (or of the rater of a campaign) that asks.

    With `keep` it becomes the session of this request: the one whose token pages carry.
    """
    token = request.cookies.get(cookie_name(slug), "")
    if not token or len(token) > LONGEST_COOKIE:
        return None
    session = accounts.session(db_of(request), token)
    wanted = "rater" if slug else "account"
    if session is None or session.kind != wanted:
        return None
    if keep:
        request.state.session = session
    return session


def known_session(request: Request) -> Session | None:
    """The session that this request has already been found to have."""
    return getattr(request.state, "session", None)


def session_of(request: Request) -> Session | None:
    """The session that fits the address: a rater's under /work, an account's elsewhere."""
    found = known_session(request)
    if found is not None:
        return found
    path = request.url.path
    slug = request.path_params.get("slug", "")
    for_account = path.startswith(("/admin", "/api/admin"))
    return load_session(request, "" if for_account else slug)


def set_session(request: Request, response: Response, token: str, *, hours: float, slug: str = "") -> None:
    """Give the browser the cookie of a session that has begun."""
    age = int(hours * HOUR)
    give_cookie(request, response, cookie_name(slug), token, secure=is_secure(request), max_age=age)


def end_session(request: Request, response: Response, slug: str = "") -> None:
    """End the session on the server and take the cookie back."""
    name = cookie_name(slug)
    if name in request.cookies:
        accounts.end_session(db_of(request), request.cookies[name])
        take_cookie(request, response, name)


def rater_session(request: Request, slug: str) -> tuple[Rater, Session]:
    """The rater who asks, whose campaign is that of the address.

    A campaign that does not exist looks like one that the visitor has no session for.
    """
    session = load_session(request, slug)
    if session is None or session.rater is None:
        raise Refusal(401, "error.no_session")
    known: dict[str, int] = request.app.state.campaign_ids
    if session.rater.campaign_id != known.get(slug):
        # Whose address it is hardly ever changes: only where a campaign was deleted and made again.
        known[slug] = find_campaign(request, slug).id
    if session.rater.campaign_id != known[slug]:
        raise Refusal(401, "error.no_session")
    return session.rater, session


def current_rater(request: Request, slug: str) -> AtWork:
    """The rater who asks, with their campaign; use as a dependency or call it."""
    rater, session = rater_session(request, slug)
    return AtWork(rater, find_campaign(request, slug), session)


def find_campaign(request: Request, slug: str) -> Campaign:
    """The campaign of the address, or 404."""
    try:
        return lifecycle.find(db_of(request), slug)
    except UnknownNameError:
        raise Refusal(404, "error.no_campaign") from None


def current_account(role: str = "viewer") -> Callable[[Request], Account]:
    """A dependency: the signed-in account, which must have the role or a higher one.

    Where the address names a campaign, its role is the one that it has there; a campaign in which it has
    none looks like one that does not exist.
    """
    needed = ROLES.index(role)

    def dependency(request: Request) -> Account:
        session = load_session(request)
        if session is None or session.account is None:
            raise SignInNeeded
        request.state.site_role = session.account.role
        account: Account | None = session.account
        if slug := request.path_params.get("slug"):
            account = members.in_campaign(db_of(request), session.account, slug)
        if account is None:
            raise Refusal(404, "error.no_campaign")
        if ROLES.index(account.role) < needed:
            raise Refusal(403, "error.role", role=role)
        return account

    return dependency


def csrf_token(request: Request) -> str:
    """The token that forms of this page send back: the session's, or the visitor's."""
    session = None if _before_session(request) else known_session(request)
    if session is not None:
        return session.csrf
    return _visitor_token(request, _visitor(request))


def _before_session(request: Request) -> bool:
    """Whether the address is one where sessions begin: there the visitor's token counts."""
    return bool(request.scope["path"].startswith(DOORS))


def keep_visitor(request: Request, response: Response) -> None:
    """Give a visitor without a session the cookie that goes with the token of the page."""
    fresh = getattr(request.state, "visitor", "")
    if fresh and request.cookies.get(VISITOR) != fresh:
        give_cookie(request, response, VISITOR, fresh, secure=is_secure(request))


def _visitor(request: Request) -> str:
    found: str = getattr(request.state, "visitor", "") or request.cookies.get(VISITOR, "")
    if not found or len(found) > LONGEST_COOKIE:
        found = secrets.token_urlsafe(16)
    request.state.visitor = found
    return found


def _visitor_token(request: Request, visitor: str) -> str:
    secret = settings_of(request).secret
    return hmac.new(secret, b"visitor|" + visitor.encode(), "sha256").hexdigest()


def require_csrf(request: Request, given: str) -> None:
    """Refuse a write whose token is not the one that this visitor's pages carry."""
    session = None if _before_session(request) else session_of(request)
    if session is not None:
        expected = session.csrf
    elif request.cookies.get(VISITOR):
        expected = _visitor_token(request, request.cookies[VISITOR])
    else:
        raise Refusal(403, "error.csrf")
    require_token(expected, given)


def require_token(expected: str, given: str) -> None:
    """Refuse a token that is not the expected one."""
    if not hmac.compare_digest(expected.encode(), given.encode("utf-8", "replace")):
        raise Refusal(403, "error.csrf")


def token_of(request: Request, form: FormData) -> str:
    """The CSRF token that comes with a form: in its header, or among its fields."""
    return request.headers.get(CSRF_HEADER) or text_field(form, CSRF_FIELD)


async def check_csrf(request: Request) -> None:
    """A dependency of every write: the header or the form field must hold the token."""
    given = request.headers.get(CSRF_HEADER, "")
    if not given and form_type(request) in FORM_TYPES:
        field = (await submitted(request)).get(CSRF_FIELD)
        given = field if isinstance(field, str) else ""
    await run_in_threadpool(require_csrf, request, given)


def form_type(request: Request) -> str:
    """The type of the body without what comes after it, in small letters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def submitted(request: Request) -> FormData:
    """A dependency: the fields of a submitted form; every text in it can be stored."""
    kind = form_type(request)
    if kind not in FORM_TYPES:
        raise Refusal(415, "error.not_a_form")
    if kind == PLAIN_FORM:
        return fields_of(await request.body())
    form = await request.form()
    for name, value in form.multi_items():
        refuse_unstorable(name)
        if isinstance(value, str):
            refuse_unstorable(value)
    return form


def fields_of(body: bytes) -> FormData:
    """The fields of a form without files; every text in them can be stored.

    >>> fields_of(b"a=1+%C3%A4&b=&&c&a=2").multi_items()
    [('a', '1 ä'), ('b', ''), ('c', ''), ('a', '2')]
    """
    if body.count(b"&") >= MOST_FIELDS:
        raise HTTPException(400)
    split = [pair.partition("=") for pair in body.decode("latin-1").split("&") if pair]
    pairs: list[tuple[str, Any]]
    if b"%" in body or b"+" in body:
        pairs = [(unquote_plus(name), unquote_plus(value)) for name, _, value in split]
    else:
        pairs = [(name, value) for name, _, value in split]
    # What is decoded with replacements has no halves of surrogate pairs.
    if b"%00" in body or b"\0" in body:
        refuse_unstorable(pairs)
    return FormData(pairs)


def refuse_unstorable(value: object) -> None:
    """Refuse text that no database keeps: NUL characters and halves of surrogate pairs."""
    if isinstance(value, str):
        if "\x00" in value or (not value.isascii() and not _encodable(value)):
            raise Refusal(422, "error.unstorable")
    elif isinstance(value, dict):
        for key, inner in value.items():
            refuse_unstorable(key)
            refuse_unstorable(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            refuse_unstorable(inner)


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def text_field(form: FormData, name: str, default: str = "") -> str:
    """A field of a form as text; a file in its place counts as nothing."""
    value = form.get(name)
    return value if isinstance(value, str) else default


# A study's address, and the pages that a rater sees at work.
_PAGES = re.compile(r"/(go|work|guide|results|board)/([^/]+)")


def framers(request: Request) -> tuple[str, ...]:
    """The origins that may show this page in a frame; none for a page that is not asked for in one.

    Only a rater's pages of a campaign that is published at such a provider (Mechanical Turk) may be
    framed, and only by the provider's own origins.
    """
    if request.headers.get("sec-fetch-dest") != "iframe":
        return ()
    found: tuple[str, ...] | None = getattr(request.state, "framers", None)
    if found is None:
        page = _PAGES.match(request.url.path)
        found = _allowed(request.app.state.db, *page.groups()) if page else ()
        request.state.framers = found
    return found


def _allowed(db: Database, kind: str, name: str) -> tuple[str, ...]:
    try:
        own = [studies.by_key(db, name)] if kind == "go" else studies.listed(db, lifecycle.find(db, name))
        return tuple(
            dict.fromkeys(origin for one in own if one.remote for origin in one.provider().framed_by())
        )
    except CaptiousError:
        return ()


def give_cookie(
    request: Request, response: Response, name: str, value: str, *, secure: bool, max_age: int | None = None
) -> None:
    """A cookie that scripts cannot read, and that also a page in a provider's frame gets back.

    In a frame browsers keep no cookie of another site unless it is `SameSite=None`, and soon none that
    is not `Partitioned` (kept for the pair of both sites); it is given only there.
    """
    if not framers(request):
        response.set_cookie(
            name, value, max_age=max_age, path="/", httponly=True, samesite="lax", secure=secure
        )
        return
    age = "" if max_age is None else f"; Max-Age={max_age}"
    # Written out, because Python's own cookies know `Partitioned` from 3.14 on only.
    kept = f"{name}={value}; Path=/; HttpOnly; Secure; SameSite=None; Partitioned{age}"
    response.headers.append("set-cookie", kept)


def take_cookie(request: Request, response: Response, name: str) -> None:
    """Take back a cookie of `give_cookie`."""
    if framers(request):
        give_cookie(request, response, name, "", secure=True, max_age=0)
    else:
        response.delete_cookie(name, path="/")
