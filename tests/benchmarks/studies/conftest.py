from __future__ import annotations

from pathlib import Path

import pytest

from captious.benchmarks.studies.reproduce import Reproduction, reproduce


@pytest.fixture(scope="session")
def thumb_study(data: Path, golden: Path) -> Reproduction:
    return reproduce("thumb", data)
