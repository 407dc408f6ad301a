"""METEOR's tables, compiled once for all tests."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from captious.metrics.meteor.tables import Tables, load_tables


@pytest.fixture(scope="session")
def tables() -> Tables:
    """The compiled tables; skips where their source is not installed."""
    if find_spec("pycocoevalcap") is None:
        pytest.skip("pycocoevalcap is not installed: METEOR has no word lists")
    return load_tables()
