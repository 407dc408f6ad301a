"""Packages that other people might write; they are found on a path, and pytest imports none of them."""

from __future__ import annotations

collect_ignore_glob = ["good/*", "broken/*", "wrong/*"]
