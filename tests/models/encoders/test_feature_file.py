"""Vectors that somebody computed already."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from captious.errors import InputError
from captious.models.encoders.base import ImageFile
from captious.models.encoders.opening import open_embedder

TEXTS = ["a diagram", "a dog", "a cat"]


def write(folder: Path, kind: str) -> Path:
    random = np.random.default_rng(1)
    images = random.normal(size=(2, 4)).astype(np.float32)
    texts = random.normal(size=(3, 4)).astype(np.float32)
    if kind == "npz":
        path = folder / "features.npz"
        np.savez(path, image_ids=["x", "y"], image_features=images, texts=TEXTS, text_features=texts)
        return path
    if kind == "parquet":
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        rows = {
            "image_id": ["x", "y", None, None, None],
            "text": [None, None, *TEXTS],
            "feature": [row.tolist() for row in (*images, *texts)],
        }
        parquet.write_table(pyarrow.table(rows), folder / "features.parquet")
        return folder / "features.parquet"
    np.save(folder / "image_features.npy", images)
    np.save(folder / "text_features.npy", texts)
    (folder / "image_ids.txt").write_text("x\ny\n")
    (folder / "texts.json").write_text('["a diagram", "a dog", "a cat"]')
    return folder


@pytest.mark.parametrize("kind", ["npz", "parquet", "npy"])
def test_vectors_are_found_by_id_and_by_text(tmp_path: Path, kind: str) -> None:
    embedder = open_embedder(str(write(tmp_path, kind)))
    random = np.random.default_rng(1)
    expected = random.normal(size=(2, 4))
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    found = embedder.images([ImageFile("y"), ImageFile("x"), ImageFile("z")])
    assert np.allclose(found.features[:2], expected[[1, 0]], atol=1e-6)
    assert np.isnan(found.features[2]).all()
    assert 'contains no vector for the image "z"' in found.broken["z"]
    texts = embedder.texts(["a cat", "a dog"], "truncate", "A photo depicts")
    assert texts.features.shape == (2, 4)
    assert texts.beyond.tolist() == [0, 0]
    with pytest.raises(InputError, match=r'contains no vector for the text "a horse". Add it.'):
        embedder.texts(["a horse"], "truncate")
    assert embedder.facts()["enc"].startswith("features:")


def test_features_by_openai_give_their_published_cosines(golden: Path, tmp_path: Path) -> None:
    for name in ("image_features.npy", "text_features.npy"):
        shutil.copy(golden / "clip" / name, tmp_path / name)
    (tmp_path / "image_ids.txt").write_text("CLIP.png\n")
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS))
    embedder = open_embedder(str(tmp_path))
    cosines = (
        embedder.texts(TEXTS, "truncate").features @ embedder.images([ImageFile("CLIP.png")]).features[0]
    )
    assert [f"{cosine:.4f}" for cosine in cosines] == ["0.2555", "0.2009", "0.1975"]
    shares = np.exp(100 * cosines.astype(np.float64))
    assert shares / shares.sum() == pytest.approx([0.99279, 0.00421, 0.00300], abs=1e-5)


@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        ({"image_features": np.ones((2, 3))}, 'has "image_features" but no "image_ids"'),
        ({"image_features": np.ones((2, 3)), "image_ids": ["a"]}, "has 2 rows for 1 names"),
        ({"image_features": np.zeros((1, 3)), "image_ids": ["a"]}, "zero or not finite"),
        ({"image_features": np.eye(3), "image_ids": ["a", "b", "a"]}, 'has two vectors for "a". Keep one'),
        (
            {
                "image_features": np.eye(3),
                "image_ids": list("abc"),
                "text_features": np.eye(2),
                "texts": ["d", "e"],
            },
            "vectors of images have 3 numbers, those of texts 2",
        ),
        ({"other": np.ones(3)}, 'contains neither "image_features"'),
    ],
)
def test_wrong_files_are_told_in_a_line(tmp_path: Path, arrays: dict[str, object], expected: str) -> None:
    np.savez(tmp_path / "wrong.npz", **arrays)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=expected):
        open_embedder(str(tmp_path / "wrong.npz"))
    (tmp_path / "cut.npz").write_bytes((tmp_path / "wrong.npz").read_bytes()[:40])
    with pytest.raises(InputError, match=r"cut.npz: is not a complete .npz"):
        open_embedder(str(tmp_path / "cut.npz"))


def test_a_name_may_come_twice_with_the_same_vector(tmp_path: Path) -> None:
    np.savez(tmp_path / "twice.npz", texts=["a dog", "a dog"], text_features=np.ones((2, 4)))
    assert open_embedder(str(tmp_path / "twice.npz")).texts(["a dog"], "error").features.shape == (1, 4)


@pytest.mark.parametrize("content", ['{"a": 1}', "["])
def test_names_that_are_no_list(tmp_path: Path, content: str) -> None:
    np.save(tmp_path / "text_features.npy", np.ones((1, 4)))
    (tmp_path / "texts.json").write_text(content)
    with pytest.raises(InputError, match=r"texts.json: is not a JSON list"):
        open_embedder(str(tmp_path))


def test_rows_of_parquet_that_differ_in_length(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = {"text": ["a", "b"], "feature": [[1.0, 2.0], [1.0]]}
    parquet.write_table(pyarrow.table(rows), tmp_path / "ragged.parquet")
    with pytest.raises(InputError, match="a list of the same length in every row"):
        open_embedder(str(tmp_path / "ragged.parquet"))
