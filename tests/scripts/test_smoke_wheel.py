from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"


def test_every_extra_has_something_that_shows_it_works() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    smokes = runpy.run_path(str(SCRIPTS / "smoke_wheel.py"))["SMOKES"]
    assert set(smokes) == {"core", *project["optional-dependencies"]}
    assert [extra for extra, wants in smokes.items() if not any(wants)] == []


def test_the_readme_of_an_index_has_no_link_that_leads_nowhere() -> None:
    shown = runpy.run_path(str(SCRIPTS / "readme_for_index.py"))["readme_for_index"]
    text = (ROOT / "README.md").read_text("utf-8")
    relative = re.findall(r"\]\((?!https?:|#)[^)]+\)", text)
    assert relative  # on a forge and in the source distribution they lead to files
    assert re.findall(r"\]\((?!https?:|#)[^)]+\)", shown(text, "")) == []
    told = shown(text, "https://example.org/captious")
    assert told.count("](https://example.org/captious/") == len(relative)
    assert "captious score" in shown(text, "")


@pytest.mark.long
def test_the_core_works_from_an_installed_wheel_that_twine_accepts() -> None:
    """All extras and both Pythons: `make smoke`."""
    script = [
        sys.executable,
        SCRIPTS / "smoke_wheel.py",
        "--python",
        sys.executable,
        "--extras",
        "core",
        "tables",
    ]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    if "Could not find a version" in done.stderr or "No matching distribution" in done.stderr:
        pytest.skip("no package registry here to build and install from")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("PASSED") == 2
    assert done.stdout.count(": works") == 2
