"""Figures, charts and tables that pages show: computed beside the pages, kept in the database."""

from __future__ import annotations

from captious.web.admin.figures.charts_page import router

__all__ = ["router"]
