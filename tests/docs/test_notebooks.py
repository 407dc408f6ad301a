"""The notebooks of the site run, without a network, and say what the site shows."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
OFFLINE = {"HF_HUB_OFFLINE": "1", "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}


def test_there_are_notebooks_with_outputs() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["compare", "learn", "meta"]
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        assert {len(cell["outputs"]) for cell in cells if cell["cell_type"] == "code"} == {1}, path
        assert all(len(found) > 0 for found in _said(json.loads(path.read_text("utf-8"))["cells"])), path


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.long] * (path.stem != "compare")) for path in NOTEBOOKS],
    ids=lambda path: path.stem,
)
def test_a_notebook_says_what_the_site_shows(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("nbclient", "ipykernel", "pandas", "sqlalchemy", "sklearn"):
        pytest.importorskip(package)
    for name, value in OFFLINE.items():
        monkeypatch.setenv(name, value)
    now = runpy.run_path(str(ROOT / "scripts" / "docs" / "notebooks.py"))["run"](path, tmp_path)
    assert list(_said(now.cells)) == list(_said(json.loads(path.read_text("utf-8"))["cells"]))


def _said(cells: list[dict[str, Any]]) -> Iterator[str]:
    """What each code cell prints and shows, markup and the last digits left out."""
    for cell in cells:
        if cell["cell_type"] == "code":
            shown = [
                "".join(one.get("data", {}).get("text/plain") or one.get("text") or "")
                for one in cell["outputs"]
            ]
            yield re.sub(r"(\d\.\d{3})\d+", r"\1", "\n".join(shown))
