"""Figures, charts and tables that pages show: computed beside the pages, kept in the database."""

from __future__ import annotations

from fastapi import APIRouter

from captious.web.admin.figures import charts_page, files, marked_page

router = APIRouter()
router.include_router(charts_page.router)
router.include_router(files.router)
router.include_router(marked_page.router)

__all__ = ["router"]
