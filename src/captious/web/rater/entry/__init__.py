"""Pages before and after a rater's work: consent, surveys, training. None of them needs a script."""

from __future__ import annotations

from fastapi import APIRouter

from captious.web.rater.entry import consent_page, survey_page, training_page

router = APIRouter(tags=["rater pages"])
for part in (consent_page, survey_page, training_page):
    router.include_router(part.router)

__all__ = ["router"]
