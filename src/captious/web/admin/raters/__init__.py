"""The raters of a campaign: who they are, what they learn first, and studies at crowd providers."""

from __future__ import annotations

from fastapi import APIRouter

from captious.web.admin.raters import crowd_page, raters_page, training_page

router = APIRouter()
for part in (raters_page, training_page, crowd_page):
    router.include_router(part.router)

__all__ = ["router"]
