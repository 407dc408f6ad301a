"""Admin pages and their JSON twins: making campaigns, running them, taking their data home."""

from __future__ import annotations

from fastapi import APIRouter

from captious.web.admin import (
    actions,
    audit_log,
    campaign_list,
    charts_page,
    crowd_page,
    disagreements_page,
    dry_run,
    exports,
    gold_page,
    more_files,
    new_campaign,
    notes_page,
    people,
    previews,
    quality_page,
    question_builder,
    raters_page,
    settings_page,
    sign_in,
    tables_page,
    training_page,
)

router = APIRouter()
for part in (
    sign_in,
    people,
    audit_log,
    campaign_list,
    charts_page,
    crowd_page,
    actions,
    raters_page,
    tables_page,
    quality_page,
    training_page,
    gold_page,
    disagreements_page,
    notes_page,
    exports,
    settings_page,
    more_files,
    question_builder,
    new_campaign,
    previews,
    dry_run,
):
    router.include_router(part.router)

__all__ = ["router"]
