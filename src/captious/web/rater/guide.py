"""The rating guide on a page of its own, and the photographs of the sample that it shows."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi import Path as InAddress
from fastapi.responses import FileResponse, HTMLResponse
from starlette.responses import Response

from captious.data import demo_files
from captious.web import pages
from captious.web.errors import documented_pages
from captious.web.guard import security
from captious.web.pages import texts
from captious.web.refusals import Refusal

router = APIRouter(tags=["rater pages"])
STAGE_LENGTH = 60
NAME = r"^[a-z]{1,40}\.jpg$"
KEPT = "public, max-age=86400"


@router.get("/guide/{slug}", response_class=HTMLResponse, responses=documented_pages(401))
def guide(
    request: Request, slug: str, stage: Annotated[str, Query(max_length=STAGE_LENGTH)] = "first"
) -> Response:
    """The rating guide on a page of its own."""
    at = security.current_rater(request, slug)
    return pages.render(
        request,
        "rater/guide.html",
        texts_of=texts(at.campaign.settings.language),
        campaign=at.campaign,
        guide=at.campaign.rules().guide(stage),
    )


@lru_cache(maxsize=1)
def _known() -> dict[str, Path]:
    return {path.name: path for path in demo_files().images.glob("*.jpg")}


@router.get(
    "/guide-pictures/{name}",
    response_class=FileResponse,
    responses={200: {"description": "The picture.", "content": {"image/jpeg": {}}}, **documented_pages()},
)
def picture(name: Annotated[str, InAddress(pattern=NAME)]) -> Response:
    """A photograph that a guide shows: free to show, and the same for everyone."""
    path = _known().get(name)
    if path is None:
        raise Refusal(404, "error.404")
    return FileResponse(path, media_type="image/jpeg", headers={"Cache-Control": KEPT})
