"""The commands of the quickstart and of the guides run as they stand, in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
QUICK = ("index.md", "guides/production.md")
LONG = ("guides/judge.md", "guides/score.md", "guides/meta.md", "guides/learn.md")
BASH = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", [*QUICK, *(pytest.param(page, marks=pytest.mark.long) for page in LONG)])
def test_the_commands_of_a_page_run_one_after_another(page: str, tmp_path: Path) -> None:
    for package in ("sqlalchemy", "sklearn", "altair"):
        pytest.importorskip(package)
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "captious").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m captious "$@"\n')
    (commands / "captious").chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAPTIOUS_")}
    blocks = BASH.findall((DOCS / page).read_text("utf-8"))
    assert blocks
    (tmp_path / "here").mkdir()
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(blocks)],
        cwd=tmp_path / "here",
        env=kept | {"PATH": f"{commands}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_every_guide_is_run() -> None:
    pages = {f"guides/{path.name}" for path in (DOCS / "guides").glob("*.md")} | {"index.md"}
    assert pages == {*QUICK, *LONG}
