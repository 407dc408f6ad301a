"""The released VCRScore is data to us: the same numbers, and nothing in it runs."""

from __future__ import annotations

import os
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

from captious.errors import InputError
from captious.metrics import resolve
from captious.metrics.learned.released import read_released
from captious.models import weights
from captious.models.weights.known import VCRSCORE

DATA = Path(__file__).parent / "data"
SMALL = DATA / "gradient-boosting-1.5.2.pickle"  # 5 trees, by scikit-learn 1.5.2 and NumPy 1.26


def test_it_predicts_what_the_library_that_wrote_it_predicts() -> None:
    stored = np.load(DATA / "gradient-boosting-1.5.2.npz")
    assert (read_released(SMALL).predictor.predict(stored["rows"]) == stored["expected"]).all()


def test_a_file_of_the_released_shape_in_all_digits(tmp_path: Path) -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    rng = np.random.default_rng(1)
    rows = rng.random((500, 3)) * [100, 1, 1]
    model = ensemble.GradientBoostingRegressor(random_state=0)  # 100 trees, depth 3, rate .1
    model.fit(rows, rows @ [0.001, 0.6, 0.3] + rng.normal(0, 0.1, 500))
    path = tmp_path / "model.pickle"
    path.write_bytes(pickle.dumps(model))
    fresh = rng.random((200, 3)) * [100, 1, 1]
    assert (read_released(path).predictor.predict(fresh) == model.predict(fresh)).all()


def test_the_authors_file_on_the_input_of_their_readme() -> None:
    found = weights.search(VCRSCORE)
    if found is None:
        pytest.skip("needs the released model: captious get weights VCRScore/released")
    # "Recall" 70.0, ViLT .4404, MCIP-ref .6824.
    value = read_released(found.path).predictor.predict(np.array([[70.0, 0.4404, 0.6824]]))
    assert value.tolist() == [0.7892486441901005]


def test_it_is_a_metric_once_the_file_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path))
    with pytest.raises(Exception, match="captious get weights VCRScore/released"):
        resolve("vcrscore[model=released]").ready()
    (tmp_path / "weights").mkdir()
    shutil.copy(SMALL, tmp_path / "weights" / "model_GBR_VCR.pickle")
    metric = resolve("vcrscore[model=released]")
    assert metric.needs == {"references", "image", "objects"}
    assert VCRSCORE in metric.weights() and "ViLT-B-32/coco" in metric.weights()


class Hostile:
    """An object that runs a command where it is unpickled."""

    def __init__(self, run: object, *arguments: object) -> None:
        self.run, self.arguments = run, arguments

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return self.run, self.arguments


@pytest.mark.parametrize("run", [os.system, eval, exec, __import__, shutil.rmtree, np.load, getattr])
@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
def test_any_other_name_is_refused_in_one_line(tmp_path: Path, run: object, protocol: int) -> None:
    mark = tmp_path / "mark"
    path = tmp_path / "model.pickle"
    path.write_bytes(pickle.dumps({"estimators_": Hostile(run, f"touch {mark}")}, protocol=protocol))
    with pytest.raises(InputError, match="which a regressor does not need, so it was not loaded") as error:
        read_released(path)
    assert "\n" not in str(error.value)
    assert not mark.exists()


def test_a_name_inside_a_model_is_refused_too(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    path = tmp_path / "model.pickle"
    content = SMALL.read_bytes()
    name = b"sklearn.ensemble._gb"
    assert content.count(name) >= 1
    path.write_bytes(content.replace(name, b"subprocess.Popen____"))
    with pytest.raises(InputError, match="names subprocess"):
        read_released(path)


def test_damage_is_refused_or_harmless(tmp_path: Path) -> None:
    content, path = SMALL.read_bytes(), tmp_path / "model.pickle"
    rng = np.random.default_rng(3)
    refused = 0
    for round_ in range(400):
        damaged = bytearray(content)
        if round_ % 4 == 0:
            damaged = damaged[: int(rng.integers(len(damaged)))]
        else:
            for place in rng.integers(len(damaged), size=1 + round_ % 8).tolist():
                damaged[place] = int(rng.integers(256))
        path.write_bytes(bytes(damaged))
        try:
            model = read_released(path)
        except InputError as error:
            refused += 1
            assert "\n" not in str(error)
        else:
            assert model.predictor.predict(np.array([[70.0, 0.4404, 0.6824]])).shape == (1,)
    assert refused > 100
