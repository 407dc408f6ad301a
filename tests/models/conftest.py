"""Real weights, where they are installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from captious.errors import MissingDependencyError
from captious.models import locate
from captious.models.encoders import sentence as encoder


@pytest.fixture(scope="session")
def minilm() -> Path:
    """Folder of all-MiniLM-L6-v2."""
    try:
        encoder.ready(locate.MINILM, "onnx")
        return locate.carried(locate.MINILM)
    except MissingDependencyError as error:
        pytest.skip(str(error))
