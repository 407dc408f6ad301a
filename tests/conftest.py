"""Where the real benchmark data are, and what this machine has."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent


# Scripts that write stored figures want oracles that a test run does not.
collect_ignore_glob = ["*/make_*.py"]
# No test asserts how fast a busy machine is.
settings.register_profile("captious", deadline=None)
settings.load_profile("captious")


def _folder(variable: str, name: str) -> Path:
    folder = Path(os.environ.get(variable, ROOT.parent / "shared" / name))
    if not folder.is_dir():
        pytest.skip(f"no benchmark data: set ${variable} to the folder that holds them")
    return folder


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of the benchmark data."""
    return _folder("CAPTIOUS_DATA", "data")


@pytest.fixture(scope="session")
def golden() -> Path:
    """Folder of what reference implementations say of the benchmark data."""
    return _folder("CAPTIOUS_GOLDEN", "golden")


@pytest.fixture(scope="session")
def java() -> str:
    """The Java that the reference implementations run on."""
    found = shutil.which("java")
    if not found:
        pytest.skip("no Java here; stored figures of the oracle are tested instead")
    if find_spec("pycocoevalcap") is None:
        pytest.skip("pycocoevalcap is not installed; stored figures are tested instead")
    return found
