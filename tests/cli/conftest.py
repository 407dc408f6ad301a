from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from captious.cli.main import main


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):  # type: ignore[no-untyped-def]
        return json.loads(self.out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run a command as a user would and see exit code, output and error output."""

    def call(*arguments: object) -> Result:
        code = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Two systems and their references, small enough to read."""
    references = {
        "1": ["A man rides a brown horse.", "A man on a horse in a field."],
        "2": ["Two dogs play with a red ball.", "Dogs chase a ball on the grass."],
        "3": ["A plate of pasta with broccoli.", "Pasta and broccoli on a white plate."],
    }
    good = [
        {"image_id": 1, "caption": "A man riding a horse."},
        {"image_id": 2, "caption": "Two dogs with a ball."},
        {"image_id": 3, "caption": "A plate of pasta."},
    ]
    poor = {"1": "A cat.", "2": "A ball on a table.", "3": "The bus."}
    paths = {name: tmp_path / f"{name}.json" for name in ("references", "good", "poor")}
    for name, content in (("references", references), ("good", good), ("poor", poor)):
        paths[name].write_text(json.dumps(content))
    return paths
