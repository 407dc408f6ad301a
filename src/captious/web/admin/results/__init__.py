"""Agreement and results of a campaign, and its data as files."""

from __future__ import annotations

from fastapi import APIRouter

from captious.web.admin.results import exports, tables_page

router = APIRouter()
for part in (tables_page, exports):
    router.include_router(part.router)

__all__ = ["router"]
