"""What every admin page needs: who may, the campaign, a form that was meant, and its JSON twin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import HTMLResponse
from starlette.datastructures import FormData
from starlette.responses import Response

from captious.campaigns.records import Account, Campaign
from captious.campaigns.store.database import Database
from captious.protocols import Problem
from captious.web import pages
from captious.web.admin import formatting
from captious.web.admin.models import CampaignHead
from captious.web.errors import documented, documented_pages
from captious.web.guard import security
from captious.web.pages import Texts, stage_words, texts

Model = TypeVar("Model", bound=Callable[..., Any])


def nothing() -> dict[str, Any]:
    """No values beside the model."""
    return {}


def page(
    router: APIRouter,
    address: str,
    template: str,
    *,
    twin: str = "",
    beside: Callable[..., Mapping[str, Any]] = nothing,
) -> Callable[[Model], Model]:
    """Register a function that returns a dataclass as a page at `address` and as JSON at `/api` + `address`.

    Its parameters are those of a route. The template gets the dataclass as `page`, its campaign, the
    tab it is under (`here`), and what `beside` returns, which is for people only: charts, words.
    """

    more_of = Depends(beside)

    def register(model: Model) -> Model:
        model_of = Depends(model)
        router.add_api_route(twin or f"/api{address}", model, **TWIN)

        def view(request: Request, account: Viewer, page: Any = model_of, more: Any = more_of) -> Response:
            own = {"here": here_of(address), "page": page, **more}
            if (campaign := getattr(page, "campaign", None)) is not None:
                own["campaign"] = campaign
            return show(request, template, account, **own)

        view.__doc__ = model.__doc__
        router.add_api_route(address, view, name=f"{model.__name__}_view", **PAGE)
        return model

    return register


def here_of(address: str) -> str:
    """The tab that an address belongs to.

    >>> here_of("/admin/c/{slug}"), here_of("/admin/c/{slug}/notes")
    ('overview', 'notes')
    """
    last = address.rpartition("/")[2]
    return "overview" if last == "{slug}" else last


PAGE: dict[str, Any] = {
    "response_class": HTMLResponse,
    "responses": {303: {"description": "To the sign-in page."}, **documented_pages(401, 403)},
    "tags": ["admin pages"],
}
WRITE: dict[str, Any] = {
    "response_class": Response,
    "status_code": 303,
    "responses": {
        303: {"description": "Done; on to the page that shows it."},
        **documented_pages(401, 403, 409, 415, 429),
    },
    "tags": ["admin pages"],
}
TWIN: dict[str, Any] = {"responses": documented(401, 403), "tags": ["admin"]}

# The highest that a database's integer holds.
HIGHEST_ID = 2**31 - 1
RowId = Annotated[int, Path(ge=1, le=HIGHEST_ID)]

Viewer = Annotated[Account, Depends(security.current_account("viewer"))]
Manager = Annotated[Account, Depends(security.current_account("manager"))]
Owner = Annotated[Account, Depends(security.current_account("owner"))]
Db = Annotated[Database, Depends(security.db_of)]


def campaign_of(
    request: Request, _: Viewer, slug: Annotated[str, Path(description="The campaign.")]
) -> Campaign:
    """The campaign of the address, for someone who may see it."""
    return security.find_campaign(request, slug)


def campaign_to_run(
    request: Request, _: Manager, slug: Annotated[str, Path(description="The campaign.")]
) -> Campaign:
    """The campaign of the address, for someone who may run it."""
    return security.find_campaign(request, slug)


async def written(request: Request) -> FormData:
    """The fields of a form whose CSRF token is right."""
    await security.check_csrf(request)
    return await security.submitted(request)


Seen = Annotated[Campaign, Depends(campaign_of)]
Run = Annotated[Campaign, Depends(campaign_to_run)]
Written = Annotated[FormData, Depends(written)]


def words(request: Request) -> Texts:
    """The texts of the application's language."""
    return texts(security.settings_of(request).language)


def rights(account: Account | None, site_role: str = "") -> SimpleNamespace:
    """What an account may do, for templates.

    `may.manage` and `may.own` are of the campaign that the page is about, `may.create` and `may.administer`
    of the site.
    """
    role = account.role if account is not None else ""
    site = site_role or role
    return SimpleNamespace(
        manage=role in ("manager", "owner"),
        own=role == "owner",
        create=site in ("manager", "owner"),
        administer=site == "owner",
    )


def show(
    request: Request,
    template: str,
    account: Account | None,
    *,
    problems: Sequence[Problem] = (),
    status_code: int = 0,
    **values: Any,
) -> HTMLResponse:
    """An admin page; with problems it is an answer to a form that was not right (422)."""
    t = words(request)
    return pages.render(
        request,
        f"admin/{template}",
        status_code=status_code or (422 if problems else 200),
        f=formatting,
        may=rights(account, getattr(request.state, "site_role", "")),
        stage_name=lambda stage: stage_words(t, _protocol(values), stage),
        problems=list(problems),
        **values,
    )


def _protocol(values: Mapping[str, Any]) -> str:
    """The protocol that a page is about, "" where it is about none."""
    about = values.get("campaign") or values.get("plan")
    return str(getattr(about, "protocol", ""))


def head(campaign: Campaign) -> CampaignHead:
    """The campaign as every page and twin names it."""
    return CampaignHead.of(campaign)
