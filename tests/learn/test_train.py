"""From ratings to a folder that scores, with figures that can be believed."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import captious
from captious.corpus.splits import Split, hashed_split, read_split
from captious.errors import CaptiousWarning, InputError
from captious.learn import RatedSet, Settings, TrainingData, tables, train
from captious.learn.models import GradientBoosting, Mlp, Ridge
from captious.learn.recipes import vcrscore_data, vcrscore_settings
from captious.metrics.document_frequency import DocumentFrequencies
from captious.metrics.learned.folder import read_folder
from captious.stats import spearman

pytest.importorskip("sklearn")
QUICK = Settings("mine", ("bleu1", "bleu2", "rouge_l"), resamples=50, trials=99, curve=(0.5, 1.0))

Rated = Callable[..., RatedSet]


def test_the_folder_scores_as_the_card_says(tmp_path: Path, rated: Rated) -> None:
    data = TrainingData((rated(),))
    trained = train(data, QUICK, tmp_path / "mine")
    card = json.loads((tmp_path / "mine" / "card.json").read_text())
    corpus = data.sets[0].corpus
    values = captious.score(corpus, [str(tmp_path / "mine")])[str(tmp_path / "mine")].values
    test = trained.report.split.test
    ours = next(row for row in card["test"] if row["metric"] == "mine")
    assert ours["spearman"]["value"] == pytest.approx(spearman(values[test], data.target[test]))
    assert ours["spearman"]["value"] > 0.9  # the ratings are made from shared words
    assert 0.8 < ours["spearman"]["low"] < ours["spearman"]["high"] <= 1
    assert (values >= 1).all()
    assert (values <= 5).all()


def test_no_feature_beats_it_or_the_card_says_so(tmp_path: Path, rated: Rated) -> None:
    report = train(TrainingData((rated(),)), QUICK, tmp_path / "mine").report
    text = (tmp_path / "mine" / "card.md").read_text()
    assert report.verdict in text
    beaten = {one.feature: one for one in report.comparisons}
    assert set(beaten) == {"bleu1", "bleu2", "rouge_l"}
    says_no = "does not beat every single feature" in text
    assert says_no == any(
        not (one.learned > one.alone and one.p_permutation < 0.05) for one in report.comparisons
    )


LEARNERS = [GradientBoosting(trees=10), Ridge(), Mlp(epochs=30, batch=16, rate=1e-2)]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: one.name)
def test_every_model_goes_all_the_way(tmp_path: Path, learner: object, rated: Rated) -> None:
    settings = replace(QUICK, learner=learner, folds=2, seeds=2)  # type: ignore[arg-type]
    trained = train(TrainingData((rated(25),)), settings, tmp_path / "mine")
    assert len(trained.report.seeds) == 2
    assert len(trained.report.folds) == 2
    images = {image for image, part in trained.report.data.sets[0].parts.part_of.items() if part == "train"}
    assert [point.images for point in trained.report.curve] == [round(len(images) / 2), len(images)]
    again = captious.score(rated(3, seed=9).corpus, [str(tmp_path / "mine")])
    assert np.isfinite(next(iter(again.metrics.values())).values).all()


def test_the_same_run_gives_the_same_metric(tmp_path: Path, rated: Rated) -> None:
    data = TrainingData((rated(20),))
    for name in ("one", "two"):
        train(data, QUICK, tmp_path / name)
    for file in ("metric.json", "model.npz", "card.json", "card.md"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


class StopHereError(Exception):
    pass


def stopping(at: str) -> Callable[[str, int, int], None]:
    def progress(what: str, done: int, total: int) -> None:
        if what == at:
            raise StopHereError

    return progress


def test_an_interrupted_training_goes_on_and_ends_the_same(tmp_path: Path, rated: Rated) -> None:
    data = TrainingData((rated(20),))
    train(data, QUICK, tmp_path / "whole")
    with pytest.raises(StopHereError):
        train(data, QUICK, tmp_path / "stopped", progress=stopping("fit"))
    assert not (tmp_path / "stopped" / "metric.json").exists()
    said: list[str] = []
    train(data, QUICK, tmp_path / "stopped", note=said.append)
    assert "resuming an interrupted run (steps done: 5)" in said
    for file in ("metric.json", "model.npz", "card.json"):
        assert (tmp_path / "whole" / file).read_bytes() == (tmp_path / "stopped" / file).read_bytes()
    assert not (tmp_path / "stopped" / ".training").exists()


def test_other_settings_begin_anew(tmp_path: Path, rated: Rated) -> None:
    data = TrainingData((rated(20),))
    with pytest.raises(StopHereError):
        train(data, QUICK, tmp_path / "m", progress=stopping("fit"))
    said: list[str] = []
    train(data, replace(QUICK, seed=1), tmp_path / "m", note=said.append)
    assert not any("interrupted" in line for line in said)


def test_cider_weighs_n_grams_as_in_training_whatever_is_scored(tmp_path: Path, rated: Rated) -> None:
    data = TrainingData((rated(),))
    trained = train(data, replace(QUICK, features=("cider", "bleu1")), tmp_path / "mine")
    images = {data.images[row] for row in trained.report.split.train.tolist()}
    assert DocumentFrequencies.load(tmp_path / "mine" / "df.npz").documents <= len(images)
    corpus = data.sets[0].corpus
    name = str(tmp_path / "mine")
    whole = captious.score(corpus, [name])[name].values
    alone = captious.score(corpus.select(np.arange(1)).compact(), [name])[name].values
    assert alone[0] == pytest.approx(whole[0])  # CIDEr by itself refuses a single image


def test_predictions_are_brought_to_the_human_scale(tmp_path: Path, rated: Rated) -> None:
    # Strong shrinking makes predictions too timid; the line puts them right.
    settings = replace(QUICK, learner=Ridge(penalty=500.0))
    data = TrainingData((rated(60),))
    shy = train(data, replace(settings, calibrate=False), tmp_path / "shy").report.calibration
    right = train(data, settings, tmp_path / "right").report
    assert right.line[0] > 1.5
    assert right.calibration.rmse < 0.8 * shy.rmse


def test_importance_falls_on_what_the_ratings_were_made_from(tmp_path: Path, rated: Rated) -> None:
    data = TrainingData((rated(),))
    report = train(data, replace(QUICK, features=("bleu1", "words.caption")), tmp_path / "mine").report
    assert report.importance["bleu1"] > 5 * abs(report.importance["words.caption"])


def test_a_second_training_needs_leave_to_overwrite(tmp_path: Path, rated: Rated) -> None:
    data = TrainingData((rated(20),))
    train(data, QUICK, tmp_path / "mine")
    with pytest.raises(InputError, match="overwrite=True"):
        train(data, QUICK, tmp_path / "mine")
    train(data, replace(QUICK, seed=2), tmp_path / "mine", overwrite=True)


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path, rated: Rated) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match=r"contains other files \(thesis.tex\)"):
        train(TrainingData((rated(20),)), QUICK, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_refitted_metrics_say_so(tmp_path: Path, rated: Rated) -> None:
    data = TrainingData((rated(20),))
    plain = train(data, QUICK, tmp_path / "plain")
    again = train(data, replace(QUICK, refit=True), tmp_path / "again")
    assert "fitted again on all data" in (tmp_path / "again" / "card.md").read_text()
    assert again.report.figures == plain.report.figures
    assert (tmp_path / "again" / "model.npz").read_bytes() != (tmp_path / "plain" / "model.npz").read_bytes()


def test_vcrscore_pools_normalised_sets_with_their_own_splits(tmp_path: Path, rated: Rated) -> None:
    own = replace(rated(30), shares=(0.3, 0.0, 0.7))
    external = replace(rated(40, name="external", seed=4, first=100), shares=(0.7, 0.0, 0.3))
    data = vcrscore_data([own, external])
    settings = replace(vcrscore_settings(data), resamples=20, trials=19, curve=(), beside=("bleu4",))
    report = train(data, settings, tmp_path / "vcrscore").report
    for place, (one, shares) in enumerate(((own, own.shares), (external, external.shares))):
        parts = hashed_split(one.corpus.image_ids, shares)
        assert report.counts(place)["train_images"] == len(parts.images("train")) > 8
        assert report.counts(place)["test_images"] == len(parts.images("test")) > 8
    assert data.scale == (0.0, 1.0)
    shown = {(row.set_name, row.metric) for row in report.figures}
    assert {("made", "vcrscore"), ("external", "vcrscore"), ("external", "bleu4")} <= shown
    # No objects were given: the pool is the references', and the card says so.
    assert "vcr_recall[objects=none]" in report.features
    assert "the pool contains only the references' words" in (tmp_path / "vcrscore" / "card.md").read_text()


def test_the_split_is_stored_and_a_planted_leak_is_refused(tmp_path: Path, rated: Rated) -> None:
    data = TrainingData((rated(40),))
    train(data, QUICK, tmp_path / "first")
    stored = read_split(tmp_path / "first" / "split.csv")
    assert dict(stored.part_of) == dict(data.sets[0].parts.part_of)
    # The same images with training and test exchanged: the first model has seen what the second is tested on.
    other = {image: "test" if part == "train" else "train" for image, part in stored.part_of.items()}
    planted = TrainingData((replace(rated(40), split=Split(other, "exchanged")),))
    beside = replace(QUICK, name="second", beside=(str(tmp_path / "first"),))
    seen = len(stored.images("train"))
    with pytest.raises(InputError, match=f"trained on {seen} of the {seen} test images"):
        train(planted, beside, tmp_path / "second")
    assert not (tmp_path / "second").exists()
    report = train(data, beside, tmp_path / "second").report  # with its own split it stands beside
    assert str(tmp_path / "first") in {row.metric for row in report.figures}


def test_scores_of_images_that_were_trained_on_come_with_a_warning(tmp_path: Path, rated: Rated) -> None:
    data = TrainingData((rated(30),))
    train(data, QUICK, tmp_path / "mine")
    corpus, parts = data.sets[0].corpus, data.sets[0].parts
    name = str(tmp_path / "mine")
    tested = np.flatnonzero([parts.part(image) == "test" for image in data.images])
    seen = len(parts.images("train", "validation"))
    with pytest.warns(CaptiousWarning, match=f"trained on {seen} of the 30 images"):
        captious.score(corpus, [name])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        captious.score(corpus.select(tested), [name])


def test_meta_refuses_images_that_were_trained_on_and_leaves_them_out_if_asked(
    tmp_path: Path, rated: Rated
) -> None:
    one = rated(30)
    train(TrainingData((one,)), QUICK, tmp_path / "mine")
    rows = [
        {
            "image": ex.image_id,
            "caption": ex.caption,
            "references": list(ex.references),
            "rating": float(mean),
        }
        for ex, mean in zip(map(one.corpus.example, range(len(one.corpus))), one.means, strict=True)
    ]
    name = str(tmp_path / "mine")
    with pytest.raises(InputError, match="Set unseen=True"):
        captious.meta(rows, [name, "bleu1"])
    found = captious.meta(rows, [name, "bleu1"], unseen=True, settings=captious.MetaSettings(resamples=0))
    assert found[name].keys() == found["bleu1"].keys()
    assert f"{len(one.parts.images('test'))} images remain" in found.notes[-1]


def test_refitted_on_everything_it_has_seen_everything(tmp_path: Path, rated: Rated) -> None:
    train(TrainingData((rated(20),)), replace(QUICK, refit=True), tmp_path / "all")
    assert read_folder(tmp_path / "all").seen_images() == {str(image) for image in range(20)}


def test_external_sets_are_tested_together_too(tmp_path: Path, rated: Rated) -> None:
    sets = [rated(40, name=name, seed=seed, first=100 * seed) for seed, name in enumerate(("own", "a", "b"))]
    data = vcrscore_data(sets)
    settings = replace(vcrscore_settings(data), resamples=0, trials=19, curve=(), beside=("bleu4",))
    report = train(data, replace(settings, pools=(("EData", ("a", "b")),)), tmp_path / "vcrscore").report
    table = tables.layout_of_table_11(report)
    assert list(table.columns) == ["metric", "own", "a", "b", "EData"]
    rows = np.concatenate([data.rows_of(place, report.split.test) for place in (1, 2)])
    column = captious.score(data.sets[1].corpus, ["bleu4"])["bleu4"].values
    other = captious.score(data.sets[2].corpus, ["bleu4"])["bleu4"].values
    whole = np.concatenate([np.zeros(len(data.sets[0].corpus)), column, other])
    (pooled,) = [one for one in report.figures if (one.set_name, one.metric) == ("EData", "bleu4")]
    assert pooled.n == len(rows)
    assert pooled.values["spearman"].value == pytest.approx(spearman(whole[rows], data.target[rows]))
