"""Uploads as a multipart parser hands them over."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest


def uploaded(name: str, content: bytes) -> Any:
    return SimpleNamespace(filename=name, file=BytesIO(content))


def stored_in(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


@pytest.fixture
def upload() -> Callable[[str, bytes], Any]:
    """An upload of a name and a content."""
    return uploaded


@pytest.fixture
def stored() -> Callable[[Path], list[str]]:
    """The files in a folder and below."""
    return stored_in
