"""A new campaign step by step: protocol, files and rules, preview, dry run."""

from __future__ import annotations

from fastapi import APIRouter

from captious.web.admin.setup.wizard import dry_run, new_campaign, previews, question_builder

router = APIRouter()
for part in (question_builder, new_campaign, previews, dry_run):
    router.include_router(part.router)

__all__ = ["router"]
