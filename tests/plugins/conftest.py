"""Packages of others, installed by a folder on the path: no pip at test time."""

from __future__ import annotations

collect_ignore = ["site"]
