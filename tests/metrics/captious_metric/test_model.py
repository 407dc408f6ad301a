"""The file of a model."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from captious.errors import InputError, UnknownNameError
from captious.metrics import resolve
from captious.metrics.captious_metric.model import FEATURES, NOTHING, Model, load_model, save_model
from captious.metrics.captious_metric.words import FAULTS


def test_the_shipped_model_holds_a_head_for_every_benchmark() -> None:
    assert set(load_model().heads) == {NOTHING, "flickr8k-expert", "thumb", "nebula", "pascal-50s", "foils"}


def test_no_shipped_weight_rewards_a_fault() -> None:
    for head in load_model().heads.values():
        for name, weight in zip(FEATURES, head.weights, strict=True):
            if name != "agreement":
                assert weight <= 0 if name in FAULTS else weight >= 0


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    shipped = load_model()
    save_model(tmp_path / "copy.npz", shipped)
    copy = load_model(str(tmp_path / "copy.npz"))
    values = np.random.default_rng(0).normal(size=(5, len(FEATURES)))
    np.testing.assert_allclose(
        copy.head("thumb").scores(values), shipped.head("thumb").scores(values), rtol=1e-6
    )
    assert copy.table.rarity == shipped.table.rarity
    assert copy.change.digest() == shipped.change.digest()


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (Path.touch, (Path("ran"),))  # type: ignore[return-value]


def test_a_model_file_cannot_run_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez(tmp_path / "evil.npz", layout=np.array([Evil()], dtype=object))
    (tmp_path / "evil.pkl").write_bytes(pickle.dumps(Evil()))
    for name in ("evil.npz", "evil.pkl"):
        with pytest.raises(InputError, match="is not a captious model") as refused:
            load_model(str(tmp_path / name))
        assert "unsafely" not in str(refused.value)  # NumPy's advice to unpickle it after all
    assert not (tmp_path / "ran").exists()


def test_a_model_of_other_features_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    np.savez(path, layout=np.array(1), features=np.frombuffer(b"cider", np.uint8))
    with pytest.raises(InputError, match="made by another version"):
        load_model(str(path))


def test_a_missing_file_is_one_line() -> None:
    with pytest.raises(InputError, match=r"none\.npz: cannot be read"):
        resolve("captious[model=none.npz]")


def test_an_unknown_benchmark_is_named() -> None:
    with pytest.raises(UnknownNameError, match="thumb"):
        resolve("captious[held_out=thum]")


def test_a_model_is_not_changed_by_saving(tmp_path: Path) -> None:
    model: Model = load_model()
    before = {name: head.weights.copy() for name, head in model.heads.items()}
    save_model(tmp_path / "x.npz", model)
    for name, weights in before.items():
        np.testing.assert_array_equal(model.heads[name].weights, weights)
