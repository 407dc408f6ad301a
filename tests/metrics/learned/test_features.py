"""Features by name: metrics, their short forms, embeddings, and what is missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from captious import Corpus
from captious.errors import InputError, MissingDependencyError, UnknownNameError
from captious.metrics import Batch
from captious.metrics.learned.embeddings import PROVIDERS, embedding
from captious.metrics.learned.features import parse_feature, parse_features
from captious.text.vectors.table import load_vectors


def test_a_dot_sets_the_option_that_the_metric_names() -> None:
    assert parse_feature("sentsim.mean_embedding").source.agg == "mean_embedding"  # type: ignore[union-attr]
    assert parse_feature("bertscore.recall").source.part == "recall"  # type: ignore[union-attr]
    both = parse_feature("bertscore.precision[idf=yes]").source
    assert (both.part, both.idf) == ("precision", True)  # type: ignore[union-attr]
    assert parse_feature("vilbertscore.recall").source.part == "recall"  # type: ignore[union-attr]
    assert parse_feature("cider[sigma=4]").source.sigma == 4  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "name", ["sentsim.median", "nonsense", "sentence.colour", "cider.max", "clip.image[size=2]"]
)
def test_unknown_names_are_refused(name: str) -> None:
    with pytest.raises((UnknownNameError, InputError)):
        parse_feature(name)


def test_a_feature_may_not_send_captions_away() -> None:
    with pytest.raises(InputError, match="sends captions to an endpoint"):
        parse_feature("vlm_judge[send=yes,endpoint=http://127.0.0.1:9,model=m]")


def test_a_name_twice_is_one_feature() -> None:
    assert [one.name for one in parse_features(["bleu1", "rouge_l", "bleu1"])] == ["bleu1", "rouge_l"]


def test_what_a_corpus_lacks_is_named() -> None:
    bare = Corpus.from_lists(["a dog"])
    assert parse_feature("bleu1").missing(bare) == "needs references: give --references FILE"
    judged = Corpus.from_lists(["a dog"], [["a dog"]])
    assert parse_feature("vcr_precision").missing(judged) == "needs objects: give --objects FILE"


def test_parts_of_an_embedding_by_hand() -> None:
    try:
        vectors = load_vectors()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    words, _ = vectors.resolve(["dog", "cat", "bus"])
    unit = words / np.linalg.norm(words, axis=1, keepdims=True)
    batch = Batch(Corpus.from_lists(["dog"], [["cat", "bus"]]))
    mean = unit[1] + unit[2]
    mean /= np.linalg.norm(mean)
    caption, references, joint, both = (
        embedding(f"words.{part}").rows(batch)[0] for part in PROVIDERS["words"].parts
    )
    np.testing.assert_allclose(caption, unit[0], atol=1e-6)
    np.testing.assert_allclose(references, mean, atol=1e-6)
    np.testing.assert_allclose(joint, np.concatenate([unit[0], mean]), atol=1e-6)
    np.testing.assert_allclose(both[100:150], unit[0] * mean, atol=1e-6)
    np.testing.assert_allclose(both[150:], np.abs(unit[0] - mean), atol=1e-6)


def test_vectors_from_a_file_serve_as_embedding_without_any_model(tmp_path: Path) -> None:
    file = tmp_path / "vectors.npz"
    np.savez(
        file,
        image_ids=np.array(["7", "8"]),
        image_features=np.array([[3.0, 4.0], [1.0, 0.0]]),
        texts=np.array(["a dog", "a cat"]),
        text_features=np.array([[0.0, 2.0], [1.0, 1.0]]),
    )
    corpus = Corpus.from_lists(
        ["a dog", "a cat", "a cat"], image_ids=["7", "7", "8"], systems=["x", "y", "x"]
    )
    feature = parse_feature(f"clip.joint[encoder={file}]")
    assert feature.missing(corpus) == ""
    half = np.sqrt(0.5)
    wanted = [[0.6, 0.8, 0, 1], [0.6, 0.8, half, half], [1, 0, half, half]]
    np.testing.assert_allclose(feature.columns(Batch(corpus), None), wanted, atol=1e-6)
    both = parse_feature(f"clip.interaction[encoder={file}]").columns(Batch(corpus), None)
    np.testing.assert_allclose(both[0, 4:], [0, 0.8, 0.6, 0.2], atol=1e-6)


def test_weights_that_are_not_here_are_named() -> None:
    with_image = Corpus.from_lists(["a dog"], image_paths={"0": "dog.jpg"})
    assert "ViT-B-32/openai are not installed" in parse_feature("clip.joint").missing(with_image)
