"""Pictures and recordings by digest: for a rater of the campaign or an account, and for nobody else."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import FileResponse
from starlette.responses import Response

from captious.campaigns.people import members
from captious.campaigns.records import Campaign
from captious.campaigns.store import images, recordings
from captious.errors import InputError
from captious.web.errors import documented_pages
from captious.web.guard import security
from captious.web.refusals import Refusal

router = APIRouter(tags=["rater pages"])
DIGEST = r"^[0-9a-f]{64}$"
RECORDING = r"^[0-9a-f]{64}\.[a-z0-9]{3,4}$"
# The address names the content, so a copy stays right for ever; it is the visitor's own.
KEPT = "private, max-age=31536000, immutable"


@router.get(
    "/images/{slug}/{digest}",
    response_class=FileResponse,
    responses={
        200: {"description": "The picture.", "content": {"image/*": {}}},
        304: {"description": "The copy at hand is right."},
        **documented_pages(401),
    },
)
def picture(
    request: Request, slug: str, digest: Annotated[str, Path(pattern=DIGEST)], w: int = 0
) -> Response:
    """One picture of a campaign; `w`: a copy of about that width, where the picture is wider."""
    campaign = _seen(request, slug)
    headers = {"Cache-Control": KEPT, "ETag": f'"{digest}{f"-{w}" if w else ""}"'}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    try:
        path, kind = images.image_file(security.db_of(request), campaign, digest, w)
    except (InputError, FileNotFoundError):
        raise Refusal(404, "error.404") from None
    return FileResponse(path, media_type=kind, headers=headers)


@router.get(
    "/recordings/{slug}/{name}",
    response_class=FileResponse,
    responses={200: {"description": "The recording.", "content": {"audio/*": {}}}, **documented_pages(401)},
)
def recording(request: Request, slug: str, name: Annotated[str, Path(pattern=RECORDING)]) -> Response:
    """One recording of a campaign."""
    campaign = _seen(request, slug)
    try:
        path, kind = recordings.recording_file(security.db_of(request), campaign, name)
    except InputError:
        raise Refusal(404, "error.404") from None
    return FileResponse(path, media_type=kind, headers={"Cache-Control": KEPT})


def _seen(request: Request, slug: str) -> Campaign:
    """The campaign, for one of its raters or an account."""
    own = security.load_session(request, slug) or security.load_session(request)
    if own is None:
        raise Refusal(401, "error.no_session")
    if own.account is not None and members.in_campaign(security.db_of(request), own.account, slug) is None:
        raise Refusal(401, "error.no_session")
    campaign = security.find_campaign(request, slug)
    if own.rater is not None and own.rater.campaign_id != campaign.id:
        raise Refusal(401, "error.no_session")
    return campaign
