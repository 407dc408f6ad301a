"""Which page comes next for a rater who may not begin yet."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from captious.campaigns.entry import surveys, training
from captious.campaigns.records import RaterProgress
from captious.web import pages
from captious.web.guard import security
from captious.web.guard.security import AtWork


def begin_address(slug: str, part: str = "") -> str:
    """Where a rater goes before the work; the page itself knows what is missing.

    >>> begin_address("dogs"), begin_address("dogs", "training")
    ('/begin/dogs', '/begin/dogs/training')
    """
    return f"/begin/{slug}/{part}" if part else f"/begin/{slug}"


def onwards(request: Request, at: AtWork) -> Response:
    """To the next thing before the work, or to the work."""
    fresh = security.current_rater(request, at.campaign.slug)
    step = training.pending(security.db_of(request), fresh.campaign, fresh.rater)
    slug = at.campaign.slug
    return pages.redirect(request, begin_address(slug, step) if step else f"/work/{slug}")


def survey_due(request: Request, at: AtWork, progress: RaterProgress) -> bool:
    """Whether the rater has done all there was and has not answered the survey after it."""
    if not at.campaign.settings.survey_after or not progress.answered or progress.wait_until is not None:
        return False
    if not at.rater.works or at.campaign.state == "paused":
        return False
    return surveys.is_open(security.db_of(request), at.campaign, at.rater, "after")
