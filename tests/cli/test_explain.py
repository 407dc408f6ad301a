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
    shown = run(
        *arguments, "--metrics", "vifidel[vectors=tiny.txt,objects=gold]", "--id", "7", "--system", "poor"
    )
    assert "vifidel 0.1353 = exp(-2.0000)" in shown
    assert "unmatched: ball, dog" in shown or "unmatched: dog, ball" in shown
    assert "unsupported: bus" in shown
    assert "vifidel|refs:none|objects:gold|" in shown


def test_json_holds_every_caption_of_the_image(arguments: list[str]) -> None:
    shown = run(
        *arguments, "--metrics", "vifidel[vectors=tiny.txt,objects=gold]", "--id", "7", "--format", "json"
    )
    good, poor = json.loads(shown)
    assert (good["system"], good["score"], good["unmatched"]) == ("good", 1.0, [])
    assert poor["unsupported"] == ["bus"]


@pytest.mark.parametrize("form", ["csv", "latex", "markdown"])
def test_other_formats(arguments: list[str], form: str) -> None:
    shown = run(*arguments, "--metrics", "vifidel[vectors=tiny.txt]", "--id", "7", "-f", form)
    assert "dog" in shown and "bus" in shown


def test_wmd_needs_no_objects_and_names_the_reference(arguments: list[str]) -> None:
    shown = run(
        "--candidates",
        "good.json",
        "--references",
        "references.json",
        "--metrics",
        "wmd[vectors=tiny.txt]",
        "--id",
        "7",
    )
    assert "reference: " in shown
    assert "word of the reference" in shown


def test_a_picture_and_a_page_are_written(arguments: list[str], tmp_path: Path) -> None:
    common = [*arguments, "--metrics", "vifidel[vectors=tiny.txt]"]
    run(*common, "--id", "7", "--system", "good", "-f", "svg", "--out", "plan.svg")
    assert (tmp_path / "plan.svg").read_text().startswith("<svg ")
    run(*common, "--id", "7", "-f", "html", "--out", "plan.html")
    assert (tmp_path / "plan.html").read_text().count("<svg ") == 2
    with pytest.raises(CaptiousError, match="an SVG file shows one caption, but 2 would be explained"):
        run(*common, "--id", "7", "-f", "svg")


@pytest.fixture
def scenes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two systems, one image, and THumB's judgments of them."""
    rows = [
        {"image": "7", "system": system, "caption": caption, "aspect": aspect, "rating": rating}
        for system, caption, aspects in (
            ("good", "A brown dog on a sofa.", {"precision": 5, "recall": 4, "total": 4.5}),
            ("poor", "A bus.", {"precision": 1, "recall": 1, "total": 1}),
        )
        for aspect, rating in aspects.items()
    ]
    (tmp_path / "judged.jsonl").write_text("\n".join(map(json.dumps, rows)))
    captions = {row["system"]: {"7": row["caption"]} for row in rows}
    for system, content in captions.items():
        (tmp_path / f"{system}.json").write_text(json.dumps(content))
    (tmp_path / "references.json").write_text(json.dumps({"7": ["A brown dog.", "A couch."]}))
    monkeypatch.chdir(tmp_path)
    return ["--references", "references.json", "--metrics", "spice", "--id", "7"]


def test_spice_is_told_by_tuple_and_category(scenes: list[str]) -> None:
    shown = run("--candidates", "good.json", *scenes)
    # (dog), (dog, brown), (sofa) and (dog, on, sofa) against (dog), (dog, brown) and (couch).
    assert "spice 0.8571, precision 0.7500, recall 1.0000, good, image 7" in shown
    lines = [line.split() for line in shown.splitlines()]
    assert ["matched", "object", "(sofa)", "(couch)", "synonym"] in lines
    assert ["matched", "attribute", "(dog,", "brown)", "(dog,", "brown)", "lemma"] in lines
    assert ["invented", "relation", "(dog,", "on,", "sofa)", "–", "–"] in lines
    assert ["colour", "1", "0", "0", "1.000", "1.000", "1.000"] in lines
    assert "compared with the judgments" not in shown
    assert "spice|refs:2|tok:ptb|parser:caption:" in shown


def test_judgments_stand_beside_spice_and_may_hold_the_captions(scenes: list[str]) -> None:
    shown = run("--candidates", "good.json", *scenes, "--judgments", "judged.jsonl")
    lines = [line.split() for line in shown.splitlines()]
    assert ["precision", "0.750", "precision", "5.00"] in lines
    assert ["recall", "1.000", "recall", "4.00"] in lines
    assert ["F", "0.857", "total", "4.50"] in lines
    both = run(*scenes, "--judgments", "judged.jsonl", "--format", "json")
    good, poor = json.loads(both)
    assert (good["system"], poor["system"]) == ("good", "poor")
    assert good["judged"] == {"precision": 5.0, "recall": 4.0, "total": 4.5}
    assert poor["score"] == 0.0


@pytest.mark.parametrize("form", ["csv", "latex", "markdown"])
def test_spice_in_other_formats(scenes: list[str], form: str) -> None:
    shown = run("--candidates", "good.json", *scenes, "-f", form)
    assert "(dog, on, sofa)" in shown and "size" in shown


def test_scene_graphs_as_a_picture_and_as_a_page(scenes: list[str], tmp_path: Path) -> None:
    run("--candidates", "good.json", *scenes, "-f", "svg", "--out", "graphs.svg")
    assert "References, 2 merged: 3 of 3 tuples matched" in (tmp_path / "graphs.svg").read_text()
    run(*scenes, "--judgments", "judged.jsonl", "-f", "html", "--out", "graphs.html")
    assert (tmp_path / "graphs.html").read_text().count("<svg ") == 2


def test_without_captions_there_is_one_line(scenes: list[str]) -> None:
    with pytest.raises(CaptiousError) as caught:
        run(*scenes)
    assert "there is nothing to explain. Give --candidates" in caught.value.typed


def test_help_has_an_example() -> None:
    assert "captious explain --candidates m2.json" in run("--help")


def test_without_objects_the_usual_metric_is_spice(arguments: list[str]) -> None:
    found = json.loads(
        run("-c", "good.json", "--references", "references.json", "--id", "7", "--format", "json")
    )
    assert [one["metric"] for one in found] == ["spice"]
