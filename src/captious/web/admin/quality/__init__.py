"""The quality of the work: flags, known answers, disagreements and notes from raters."""

from __future__ import annotations

from fastapi import APIRouter

from captious.web.admin.quality import adjudication_page, disagreements_page, gold_page, quality_page

router = APIRouter()
for part in (quality_page, gold_page, adjudication_page, disagreements_page):
    router.include_router(part.router)

__all__ = ["router"]
