"""Photographs of the sample beside the rating guide: free to show, and the same for everyone."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter
from fastapi import Path as InAddress
from fastapi.responses import FileResponse
from starlette.responses import Response

from captious.data import demo_files
from captious.web.errors import documented_pages
from captious.web.refusals import Refusal

router = APIRouter(tags=["rater pages"])
NAME = r"^[a-z]{1,40}\.jpg$"
KEPT = "public, max-age=86400"


@lru_cache(maxsize=1)
def _known() -> dict[str, Path]:
    return {path.name: path for path in demo_files().images.glob("*.jpg")}


@router.get(
    "/guide-pictures/{name}",
    response_class=FileResponse,
    responses={200: {"description": "The picture.", "content": {"image/jpeg": {}}}, **documented_pages()},
)
def picture(name: Annotated[str, InAddress(pattern=NAME)]) -> Response:
    """A photograph that a guide shows."""
    path = _known().get(name)
    if path is None:
        raise Refusal(404, "error.404")
    return FileResponse(path, media_type="image/jpeg", headers={"Cache-Control": KEPT})
