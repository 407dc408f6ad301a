"""`captious train captious` on the demo sample."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from captious.cli.train.commands import app
from captious.corpus.load import load_corpus
from captious.corpus.splits import hashed_split
from captious.data import demo_path
from captious.errors import InputError, MissingDependencyError
from captious.metrics import Batch, resolve
from captious.metrics.captious_metric import model

SHIPPED = Path(model.__file__).parent / "weights.npz"


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    try:
        resolve("captious").ready()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(demo_path(), tmp_path / "sample"))


def train(sample: Path, *more: str) -> object:
    arguments = ["captious", "--judgments", str(sample / "judgments.jsonl")]
    for system in sorted((sample / "systems").glob("*.json")):
        arguments += ["--candidates", str(system)]
    return CliRunner().invoke(app, [*arguments, "--references", str(sample / "references.json"), *more])


def means(sample: Path, metric: str) -> dict[str, float]:
    corpus = load_corpus(sorted((sample / "systems").glob("*.json")), sample / "references.json")
    values = resolve(metric).score_examples(Batch(corpus), None)
    return {name: float(values[corpus.system_of == i].mean()) for i, name in enumerate(corpus.systems)}


def test_weights_from_judgments_of_ones_own(sample: Path) -> None:
    result = train(
        sample,
        "--start",
        str(SHIPPED),
        "--start",
        str(SHIPPED),
        "--steps",
        "0",
        "--strength",
        "0.5",
        "--out",
        "own.npz",
    )
    assert result.exception is None, result.output  # type: ignore[attr-defined]
    assert not Path(".own.npz.training").exists()  # what an interrupted run goes on from
    # The mean of a model with itself is itself, and half of it was asked for.
    assert model.load_model("own.npz").change.strength == 0.5
    assert 'use it as "captious[model=own.npz]"' in result.output  # type: ignore[attr-defined]
    found = means(sample, "captious[model=own.npz]")
    # The sample's judges put these systems so: docs/demo-sample.md.
    assert found["heron"] > found["magpie"] > found["dodo"]


@pytest.mark.long
def test_the_encoder_is_tuned_too(sample: Path) -> None:
    if find_spec("torch") is None or find_spec("transformers") is None:
        pytest.skip("tuning needs torch and transformers")
    result = train(sample, "--steps", "2", "--out", "own.npz")
    assert result.exception is None, result.output  # type: ignore[attr-defined]
    assert "step 2 of 2: loss" in result.output  # type: ignore[attr-defined]
    assert means(sample, "captious[model=own.npz]")["heron"] > 0
    assert model.load_model("own.npz").change.digest() != model.load_model().change.digest()


def test_no_steps_need_an_encoder_to_keep(sample: Path) -> None:
    result = train(sample, "--steps", "0", "--out", "own.npz")
    assert isinstance(result.exception, InputError)  # type: ignore[attr-defined]
    assert "Give that model with --start" in result.exception.typed  # type: ignore[attr-defined]


def test_an_unknown_aspect_is_named(sample: Path) -> None:
    result = train(sample, "--start", str(SHIPPED), "--steps", "0", "--out", "o.npz", "--aspect", "beauty")
    assert 'no aspect "beauty"' in str(result.exception)  # type: ignore[attr-defined]
    assert not Path("o.npz").exists()


def test_images_for_testing_are_left_out_and_the_model_names_the_others(sample: Path) -> None:
    result = train(sample, "--start", str(SHIPPED), "--steps", "0", "--split", "50/50", "--out", "own.npz")
    assert result.exception is None, result.output  # type: ignore[attr-defined]
    corpus = load_corpus(sorted((sample / "systems").glob("*.json")), sample / "references.json")
    split = hashed_split(corpus.image_ids, (0.5, 0.0, 0.5))
    assert "images are left out for testing (hash 50/0/50)" in result.output  # type: ignore[attr-defined]
    assert resolve("captious[model=own.npz]").seen_images() == split.images("train")


def test_judgments_without_references_are_refused_in_one_line(run, tmp_path) -> None:
    rated = tmp_path / "rated.csv"
    rated.write_text("image,caption,rating\n1,a dog,4\n2,a cat,1\n3,a bus,3\n")
    found = run("train", "captious", "--judgments", rated, "--out", tmp_path / "m.npz")
    assert found.code == 2 and found.err.count("\n") == 1
    assert "rated.csv: 3 of 3 captions have no references" in found.err
