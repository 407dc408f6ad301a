"""CONTRIBUTING.md is followed to the letter: its files are written into a copy, and its tests run there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STEP = re.compile(
    r"^(?:`(?P<path>[\w./]+)`\n\n)?```(?P<kind>python|diff|html|markdown)\n(?P<text>.*?)^```$", re.M | re.S
)


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another disk
        shutil.copy2(source, target)


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A copy of the project after every step, and the files of tests that were written."""
    home = tmp_path_factory.mktemp("contributor")
    for name in ("src", "tests"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, home / name, copy_function=_linked, ignore=ignored)
    for name in ("pyproject.toml", "mkdocs.yml"):
        shutil.copy2(ROOT / name, home)
    path, written = "", []
    for step in STEP.finditer((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        path = step["path"] or path
        file = home / path
        if step["kind"] == "diff":
            text = _changed(file.read_text(encoding="utf-8"), step["text"])
            file.unlink()  # it is the same file as ours
        else:
            assert step["path"] and not file.exists(), path
            text = step["text"]
            written.append(path)
            file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return home, [name for name in written if name.startswith("tests/")]


def _changed(text: str, diff: str) -> str:
    """The text after a diff, whose lines before the change stand in it once."""
    before = "".join(line[1:] for line in diff.splitlines(keepends=True) if not line.startswith("+"))
    after = "".join(line[1:] for line in diff.splitlines(keepends=True) if not line.startswith("-"))
    assert text.count(before) == 1, before
    return text.replace(before, after)


def test_every_recipe_ends_with_tests_that_pass(followed: tuple[Path, list[str]]) -> None:
    home, tests = followed
    assert len(tests) >= 4
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rp", "-p", "no:cacheprovider", "-p", "no:xdist", *tests],
        cwd=home,
        env=os.environ | {"PYTHONPATH": str(home / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    passed = set(re.findall(r"^PASSED ([^:]+)::", done.stdout, re.M))
    assert passed == set(tests)


def test_what_the_recipes_say_passes_the_linter(followed: tuple[Path, list[str]]) -> None:
    pytest.importorskip("ruff")
    home, _ = followed
    for command in (["check"], ["format", "--check"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--no-cache", "src"]
        done = subprocess.run(ruff, cwd=home, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
