"""docs/service.md: its example is answered as printed, and its script checks alt texts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "service.md"
SCRIPT = ROOT / "docs" / "examples" / "check_alt_texts.py"


def test_the_example_is_answered_as_the_page_says(running: Any) -> None:
    asked, answered = re.findall(r"```json\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert running.score(**json.loads(asked)).json() == json.loads(answered)


def check(address: str, running: Any, folder: Path, *rules: str) -> tuple[int, list[str]]:
    environment = os.environ | {"CAPTIOUS_TOKEN": running.token["Authorization"].removeprefix("Bearer ")}
    options = [word for rule in rules for word in ("--rule", rule)]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--server", address, *options, "page.md", "page.html"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout.splitlines()


def test_a_pull_request_with_poor_alt_texts_fails(address: str, running: Any, tmp_path: Path) -> None:
    """The bundled language model has read captions: a file name is far less likely than a sentence."""
    (tmp_path / "page.md").write_text(
        "# Holiday\n\n![A brown dog runs along the beach](dog.jpg)\n\n"
        "![IMG_2041 jpg final v2](beach.jpg) and ![](map.png)\n"
    )
    (tmp_path / "page.html").write_text('<p>\n<img src="logo.svg" alt=""><img src="cat.jpg"></p>')
    code, lines = check(address, running, tmp_path, "lm>=-6")
    assert code == 1
    assert lines[:2] == ["page.md:5: map.png has no alt text", "page.html:2: cat.jpg has no alt text"]
    assert len(lines) == 3
    assert re.fullmatch(r'page\.md:5: "IMG_2041 jpg final v2": lm -\d+\.\d\d, wanted >= -6', lines[2])
    (tmp_path / "page.md").write_text("![A brown dog runs along the beach](dog.jpg)\n")
    (tmp_path / "page.html").write_text('<img src="cat.jpg" alt="A cat sleeps on a sofa">')
    assert check(address, running, tmp_path, "lm>=-6") == (0, ["2 alt texts keep every rule"])


@pytest.mark.parametrize(
    ("rule", "file", "said"),
    [
        ("lm>=-6", "nowhere.md", "nowhere.md: No such file or directory."),
        ("lm>=-6", "photo.jpg", "photo.jpg: is not UTF-8 text. Give Markdown and HTML files only."),
        ("clipscore>=1", "page.md", 'metrics: "clipscore" is not offered here.'),
    ],
)
def test_what_cannot_be_checked_is_one_line(
    address: str, running: Any, tmp_path: Path, rule: str, file: str, said: str
) -> None:
    (tmp_path / "page.md").write_text("![A brown dog runs along the beach](dog.jpg)\n")
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    environment = os.environ | {"CAPTIOUS_TOKEN": running.token["Authorization"].removeprefix("Bearer ")}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--server", address, "--rule", rule, file],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {said}")
    assert done.stderr.count("\n") == 1
