"""Setting a campaign up: the wizard for a new one, its settings, more files for it."""

from __future__ import annotations

from fastapi import APIRouter

from captious.web.admin.setup import access_page, more_files, settings_page, wizard

router = APIRouter()
for part in (access_page, settings_page, more_files, wizard):
    router.include_router(part.router)

__all__ = ["router"]
