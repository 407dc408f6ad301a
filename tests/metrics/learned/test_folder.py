"""A folder from a stranger can give wrong numbers and can do nothing else."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import captious
from captious import Corpus
from captious.errors import CaptiousError, InputError
from captious.metrics import resolve
from captious.metrics.learned.folder import ARRAYS, MANIFEST, read_folder


class Bomb:
    """Unpickling this writes a file."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return (Path.write_text, (self.mark, "code ran"))


def plant(folder: Path, content: bytes) -> None:
    """Put other arrays into a folder, with a manifest that vouches for them."""
    (folder / ARRAYS).write_bytes(content)
    facts = json.loads((folder / MANIFEST).read_text())
    facts["sha256"] = hashlib.sha256(content).hexdigest()
    (folder / MANIFEST).write_text(json.dumps(facts))


def pickled_array(mark: Path) -> bytes:
    buffer = io.BytesIO()
    bomb = np.array([Bomb(mark)], dtype=object)
    np.savez(buffer, mean=np.zeros(1), scale=np.ones(1), weights=bomb, intercept=np.zeros(()))
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["array", "pickle", "zip"])
def test_a_malicious_file_runs_nothing(linear_metric: Callable[..., Path], tmp_path: Path, kind: str) -> None:
    folder, mark = linear_metric(["bleu1"]), tmp_path / "mark"
    content = pickled_array(mark) if kind == "array" else pickle.dumps(Bomb(mark))
    if kind == "zip":
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("weights.npy", pickle.dumps(Bomb(mark)))
        content = buffer.getvalue()
    assert kind == "zip" or pickle_runs(content, kind, mark)  # the bomb is a real one
    plant(folder, content)
    with pytest.raises(InputError, match="is not a complete trained metric"):
        resolve(str(folder))
    assert not mark.exists()


def pickle_runs(content: bytes, kind: str, mark: Path) -> bool:
    if kind == "array":
        with np.load(io.BytesIO(content), allow_pickle=True) as archive:
            archive["weights"]
    else:
        pickle.loads(content)
    ran = mark.exists()
    mark.unlink()
    return ran


@pytest.mark.parametrize("features", [["__import__('os')"], ["../../etc/passwd"], ["os.system"], [7], []])
def test_a_manifest_names_features_and_nothing_else(
    linear_metric: Callable[..., Path], features: list[object]
) -> None:
    folder = linear_metric(["bleu1"])
    facts = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps(facts | {"features": features}))
    with pytest.raises(CaptiousError):
        resolve(str(folder))


def test_arrays_of_another_model_are_refused(linear_metric: Callable[..., Path]) -> None:
    folder, other = linear_metric(["bleu1"]), linear_metric(["bleu1", "rouge_l"], name="other")
    (folder / ARRAYS).write_bytes((other / ARRAYS).read_bytes())
    with pytest.raises(InputError, match="does not belong to"):
        read_folder(folder)


def test_a_model_with_more_columns_than_its_features_is_one_line(linear_metric: Callable[..., Path]) -> None:
    folder = linear_metric(["bleu1"], width=3)
    corpus = Corpus.from_lists(["a dog"], [["a dog"]])
    with pytest.raises(InputError, match="takes 3 columns, but its features have 1"):
        captious.score(corpus, [str(folder)])


def test_a_folder_that_is_not_there_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="contains no trained metric"):
        resolve(str(tmp_path / "nothing"))
