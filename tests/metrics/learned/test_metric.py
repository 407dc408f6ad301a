"""A trained metric is scored, compared and resampled like every other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import captious
from captious import Corpus
from captious.errors import InputError, MissingDependencyError
from captious.metrics import resolve

CORPUS = Corpus.from_lists(
    ["a dog runs", "a bus", "two cats sleep"],
    [["a dog runs", "the dog"], ["a red bus on a street"], ["cats sleep on a sofa"]],
    objects={"0": ["dog"], "1": ["bus"], "2": ["cat", "couch"]},
)


def test_the_rating_is_the_model_of_its_features(linear_metric: Callable[..., Path]) -> None:
    folder = str(linear_metric(["bleu1", "rouge_l"]))
    scores = captious.score(CORPUS, ["bleu1", "rouge_l", folder])
    wanted = 1 + 4 * (scores["bleu1"].values + scores["rouge_l"].values) / 2
    np.testing.assert_allclose(scores[folder].values, wanted)
    assert scores[folder].score == pytest.approx(wanted.mean())
    assert not scores[folder].percent  # a scale of 1 to 5 is shown as it is


def test_several_processes_say_the_same(linear_metric: Callable[..., Path]) -> None:
    folder = str(linear_metric(["cider", "rouge_l"]))
    alone = captious.score(CORPUS, [folder])[folder]
    np.testing.assert_allclose(captious.score(CORPUS, [folder], jobs=2)[folder].values, alone.values)


def test_the_signature_names_features_model_and_scale(linear_metric: Callable[..., Path]) -> None:
    folder = str(linear_metric(["bleu1", "rouge_l"]))
    signature = captious.score(CORPUS, [folder])[folder].signature
    assert signature.startswith("plain|refs:1-2|features:bleu1+rouge_l|with:")
    assert "|model:linear:" in signature
    assert "|scale:1-5|" in signature


def test_features_missing_at_scoring_time_are_named(linear_metric: Callable[..., Path]) -> None:
    folder = str(linear_metric(["bleu1", "vcr_precision", "vcr_recall"]))
    bare = Corpus.from_lists(["a dog"], [["a dog"]])
    with pytest.raises(InputError) as caught:
        captious.score(bare, [folder])
    assert str(caught.value) == (
        "plain needs features that are not available: vcr_precision (needs objects: give "
        "objects=FILE); vcr_recall (needs objects: give objects=FILE)."
    )
    assert "give --objects FILE" in caught.value.typed


def test_weights_missing_at_scoring_time_are_named(
    linear_metric: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(linear_metric(["bleu1", "sentsim.mean"]))
    metric = resolve(folder)
    # As on a machine without the package that carries MiniLM.
    monkeypatch.setattr("captious.models.locate.find_spec", lambda name: None)
    with pytest.raises(
        MissingDependencyError, match=r"plain needs features that are not available"
    ) as caught:
        captious.score(CORPUS, [metric])
    assert "sentsim.mean (" in str(caught.value)
    assert "bleu1 (" not in str(caught.value)


def test_paper_metrics_want_to_be_trained_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingDependencyError, match="Train it with: captious train rating"):
        captious.score(CORPUS, ["rating"])


def test_paper_metrics_are_found_by_their_folder(
    linear_metric: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linear_metric(["bleu1"], recipe="rating", name="rating")
    monkeypatch.chdir(tmp_path)
    here = captious.score(CORPUS, ["rating"])["rating"].values
    monkeypatch.chdir(tmp_path.parent)
    monkeypatch.setenv("CAPTIOUS_METRICS", str(tmp_path))
    np.testing.assert_array_equal(captious.score(CORPUS, ["rating"])["rating"].values, here)


def test_a_folder_of_another_recipe_is_refused(linear_metric: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="trained as own"):
        resolve(f"vcrscore[model={linear_metric(['bleu1'])}]")


def test_an_image_without_a_vector_leaves_its_captions_without_a_score(
    linear_metric: Callable[..., Path], tmp_path: Path
) -> None:
    vectors = tmp_path / "vectors.npz"
    np.savez(
        vectors,
        image_ids=np.array(["0"]),
        image_features=np.array([[0.6, 0.8]]),
        texts=np.array(["a dog", "a cat"]),
        text_features=np.array([[1.0, 0.0], [0.0, 1.0]]),
    )
    folder = str(linear_metric([f"clip.image[encoder={vectors}]"], width=2))
    corpus = Corpus.from_lists(["a dog", "a cat"], image_ids=["0", "1"])
    scores = captious.score(corpus, [folder])[folder]
    assert scores.values[0] == pytest.approx(1 + 4 * 0.7)
    assert np.isnan(scores.values[1])
    assert scores.score == pytest.approx(3.8)  # the mean of those that have one


def test_a_metric_of_embeddings_reads_the_languages_of_their_encoders(
    linear_metric: Callable[..., Path],
) -> None:
    """BLEU reads Arabic, the English encoder of the vectors does not."""
    arabic = captious.Corpus.from_lists(["كلب بني يركض على الشاطئ"], [["كلب يركض قرب البحر"]])
    folder = linear_metric(["bleu1", "sentence.joint"], width=1 + 2 * 384)
    try:
        resolve(str(folder)).ready()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    with pytest.raises(InputError, match="captions are Arabic, but it works only for English"):
        captious.score(arabic, [str(folder)])
