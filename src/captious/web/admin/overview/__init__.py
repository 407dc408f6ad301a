"""All campaigns, the overview of one, and the steps from draft to closed."""

from __future__ import annotations

from fastapi import APIRouter

from captious.web.admin.overview import actions, overview_page

router = APIRouter()
for part in (overview_page, actions):
    router.include_router(part.router)

__all__ = ["router"]
