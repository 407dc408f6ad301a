"""Admin pages and their JSON twins: making campaigns, running them, taking their data home."""

from __future__ import annotations

from fastapi import APIRouter

from captious.web.admin import accounts, figures, overview, quality, raters, results, setup

router = APIRouter()
for part in (accounts, overview, figures, raters, results, quality, setup):
    router.include_router(part.router)

__all__ = ["router"]
