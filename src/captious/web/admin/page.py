"""A page and its JSON twin, registered together: both show what one function returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from captious.web.admin.access import PAGE, TWIN, Viewer, show

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
