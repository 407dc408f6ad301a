from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from captious.cli.explain import explain
from captious.errors import CaptiousError

pytest.importorskip("ot")

app = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None)
app.command()(explain)


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two systems, one image with references and objects, and vectors small enough to check."""
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    contents = {
        "good.json": {"7": "A dog and a ball."},
        "poor.json": {"7": "A bus."},
        "references.json": {"7": ["The dog.", "A ball."]},
        "objects.json": {"7": {"gold": ["dog", "ball"], "d80": ["bus"]}},
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(json.dumps(content))
    (tmp_path / "tiny.txt").write_text("dog 1 0 0\nball 0 1 0\nbus 0 0 1\n")
    monkeypatch.chdir(tmp_path)
    return ["--candidates", "good.json", "--candidates", "poor.json", "--objects", "objects.json"]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_table_shows_flows_and_what_stands_alone(arguments: list[str]) -> None:
    shown = run(*arguments, "--metrics", "vifidel[vectors=tiny.txt,objects=gold]", "--id", "7",
                "--system", "poor")  # fmt: skip
    assert "vifidel 0.1353 = exp(-2.0000)" in shown
    assert "unmatched: ball, dog" in shown or "unmatched: dog, ball" in shown
    assert "unsupported: bus" in shown
    assert "vifidel|refs:none|objects:gold|" in shown


def test_json_holds_every_caption_of_the_image(arguments: list[str]) -> None:
    shown = run(*arguments, "--metrics", "vifidel[vectors=tiny.txt,objects=gold]", "--id", "7",
                "--format", "json")  # fmt: skip
    good, poor = json.loads(shown)
    assert (good["system"], good["score"], good["unmatched"]) == ("good", 1.0, [])
    assert poor["unsupported"] == ["bus"]


@pytest.mark.parametrize("form", ["csv", "latex", "markdown"])
def test_other_formats(arguments: list[str], form: str) -> None:
    shown = run(*arguments, "--metrics", "vifidel[vectors=tiny.txt]", "--id", "7", "-f", form)
    assert "dog" in shown and "bus" in shown


def test_wmd_needs_no_objects_and_names_the_reference(arguments: list[str]) -> None:
    shown = run("--candidates", "good.json", "--references", "references.json", "--metrics",
                "wmd[vectors=tiny.txt]", "--id", "7")  # fmt: skip
    assert "reference: " in shown
    assert "word of the reference" in shown


def test_a_picture_and_a_page_are_written(arguments: list[str], tmp_path: Path) -> None:
    common = [*arguments, "--metrics", "vifidel[vectors=tiny.txt]"]
    run(*common, "--id", "7", "--system", "good", "-f", "svg", "--out", "plan.svg")
    assert (tmp_path / "plan.svg").read_text().startswith("<svg ")
    run(*common, "--id", "7", "-f", "html", "--out", "plan.html")
    assert (tmp_path / "plan.html").read_text().count("<svg ") == 2
    with pytest.raises(CaptiousError, match="2 captions are to be explained"):
        run(*common, "--id", "7", "-f", "svg")


def test_help_has_an_example() -> None:
    assert "captious explain --candidates m2.json" in run("--help")
