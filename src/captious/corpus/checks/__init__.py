"""Lint of a corpus: what would make its scores wrong, unfair or impossible."""

from captious.corpus.checks.report import CheckReport, Finding, Place

__all__ = ["CheckReport", "Finding", "Place"]
