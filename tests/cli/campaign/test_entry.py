"""Training, surveys and gold items from the command line, as the documentation has them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="campaigns need captious[campaigns]")

from captious.data import demo_files
from captious.protocols import protocol
from captious.protocols.training import read_examples

PAGE = Path(__file__).resolve().parents[3] / "docs" / "training.md"
SURVEY = 'questions: [{aspect: english, ask: "How well do you read English?", low: 1, high: 5}]'


@pytest.fixture
def create(run: Any, tmp_path: Path) -> Any:
    """`captious campaign create` on the sample, with more options."""
    sample = demo_files()

    def made(*more: str, name: str = "tagging") -> Any:
        files = ["-c", str(sample.systems[0]), "-r", str(sample.references), "--images", str(sample.images)]
        place = ["--title", "Alt text", "--database", str(tmp_path / "c.db")]
        return run("campaign", "create", name, *files, *place, *more)

    return made


def test_a_campaign_with_a_training_and_who_passed_it(run: Any, create: Any, tmp_path: Path) -> None:
    before = tmp_path / "before.yaml"
    before.write_text(SURVEY)
    options = ("--training", "sample", "--pass-mark", "0.9", "--tries", "3", "--after-failing", "again")
    made = create(*options, "--survey-before", str(before))
    assert made.code == 0
    assert "coffee.jpg" in made.out
    database = str(tmp_path / "c.db")
    shown = json.loads(
        run("campaign", "training", "alt-text", "--database", database, "--format", "json").out
    )
    assert (shown["examples"], shown["pass_mark"], shown["tries"], shown["after_failing"]) == (
        6,
        0.9,
        3,
        "again",
    )
    assert shown["raters"] == []
    gone = run("campaign", "training", "alt-text", "--none", "--tries", "1", "--database", database)
    assert gone.code == 0
    shown = json.loads(
        run("campaign", "training", "alt-text", "--database", database, "--format", "json").out
    )
    assert (shown["examples"], shown["tries"]) == (0, 1)


def test_known_answers_are_added_and_taken_away(run: Any, create: Any, tmp_path: Path) -> None:
    assert create().code == 0
    database, known = str(tmp_path / "c.db"), tmp_path / "known.json"
    caption = json.loads(demo_files().systems[0].read_text())[0]["caption"]
    known.write_text(json.dumps([{"image": "1", "caption": caption, "answers": {"verdict": "complete"}}]))
    asked = ("campaign", "gold", "alt-text", "--database", database, "--format", "json")
    found = json.loads(run(*asked[:3], str(known), *asked[3:]).out)["gold"]
    ((key, answers),) = found.items()
    assert answers == {"verdict": "complete"}
    assert json.loads(run(*asked, "--clear", key).out)["gold"] == {}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--training", "nowhere.yaml"), "nowhere.yaml: there is no such file. Check the path."),
        (("--training", "sample", "--after-failing", "cry"), '--after-failing "cry"'),
        (("--survey-before", "nowhere.yaml"), "nowhere.yaml: there is no such file. Check the path."),
    ],
)
def test_what_is_wrong_is_one_line(create: Any, options: tuple[str, ...], said: str) -> None:
    made = create(*options)
    assert made.code == 2
    assert said in made.err
    assert len(made.err.strip().splitlines()) == 1


def test_the_training_of_the_documentation_is_one() -> None:
    text = PAGE.read_text(encoding="utf-8")
    (block,) = [one for one in re.findall(r"```yaml\n(.*?)```", text, re.S) if "examples:" in one]
    first, second = read_examples(block, protocol("thumb"))
    assert (first.file, len(second.item.captions)) == ("otters.jpg", 2)
