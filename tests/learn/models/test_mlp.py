"""The network in NumPy: gradients, the paper's schedule, early stopping, and going on after a stop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from captious.errors import InputError
from captious.learn.journal import Journal
from captious.learn.models import Fit, Mlp, mlp
from captious.learn.recipes import RATING_MODEL


def rows(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(n, 4))
    return x, 3 + np.abs(x[:, 0]) - x[:, 1] * (x[:, 2] > 0)


def given(x: np.ndarray, y: np.ndarray, **more: object) -> Fit:
    fit = Fit(x, y, [str(i) for i in range(len(y))], np.zeros(x.shape[1], dtype=np.int64), seed=11)
    return fit._replace(**more)


def test_gradients_equal_differences_of_the_loss() -> None:
    x, y = (array[:20].astype(np.float64) for array in rows())
    model = Mlp(hidden="5x3", dropout=0.0)
    rng = np.random.default_rng(0)
    parameters = [rng.normal(size=s) for s in ((4, 5), (5,), (5, 3), (3,), (3, 1), (1,))]
    found = model._gradients(parameters, x, y, rng)

    def loss() -> float:
        return float(((mlp._forward(parameters, x) - y) ** 2).mean())

    for array, slope in zip(parameters, found, strict=True):
        place = tuple(0 for _ in array.shape)
        before, step = array[place], 1e-6
        array[place] = before + step
        up = loss()
        array[place] = before - step
        down = loss()
        array[place] = before
        assert slope[place] == pytest.approx((up - down) / (2 * step), rel=1e-4, abs=1e-7)


def test_training_takes_the_steps_that_torch_takes() -> None:
    torch = pytest.importorskip("torch")
    x, y = (array[:64] for array in rows())
    model = Mlp(hidden="6x3", dropout=0.0, rate=1e-2, decay=0.5, every=2, epochs=6, batch=64, patience=0)
    ours = model.fit(given(x, y))
    # The same start in torch: whole batches, so that their order does not matter.
    _, state, _ = model._begin(given(x, y), x.shape[1])
    z = torch.tensor((x - x.mean(axis=0)) / x.std(axis=0), dtype=torch.float32)
    parameters = [torch.tensor(one.copy(), requires_grad=True) for one in state.parameters]
    adam = torch.optim.Adam(parameters, lr=1e-2)
    falling = torch.optim.lr_scheduler.StepLR(adam, step_size=2, gamma=0.5)

    def forward() -> object:
        first = torch.relu(z @ parameters[0] + parameters[1])
        return (torch.relu(first @ parameters[2] + parameters[3]) @ parameters[4] + parameters[5])[:, 0]

    for _ in range(6):
        adam.zero_grad()
        ((forward() - torch.tensor(y, dtype=torch.float32)) ** 2).mean().backward()
        adam.step()
        falling.step()
    np.testing.assert_allclose(ours.predict(x), forward().detach().numpy(), atol=1e-4)


def test_it_learns_what_a_line_cannot() -> None:
    x, y = rows()
    fitted = Mlp(hidden="32x16", dropout=0.0, rate=1e-2, epochs=100, batch=32, patience=0).fit(given(x, y))
    assert np.mean((fitted.predict(x) - y) ** 2) < 0.1 * y.var()


def test_dropout_keeps_the_expected_activation() -> None:
    x, y = rows()
    fitted = Mlp(hidden="64x16", dropout=0.8, rate=1e-2, epochs=60, batch=64, patience=0).fit(given(x, y))
    assert fitted.predict(x).mean() == pytest.approx(y.mean(), abs=0.3)


def test_early_stopping_keeps_the_best_epoch() -> None:
    x, y = rows(60)
    noise = np.random.default_rng(1).normal(size=60)
    held = rows()[0][200:], rows()[1][200:]
    options = {"hidden": "64x16", "dropout": 0.0, "rate": 1e-2, "epochs": 150, "batch": 16}
    stopped = Mlp(**options, patience=10).fit(given(x, y + noise, validation=held))  # type: ignore[arg-type]
    to_the_end = Mlp(**options, patience=0).fit(given(x, y + noise, validation=held))  # type: ignore[arg-type]
    errors = [np.mean((one.predict(held[0]) - held[1]) ** 2) for one in (stopped, to_the_end)]
    assert errors[0] < errors[1]


class StopHereError(Exception):
    pass


def test_an_interrupted_run_ends_as_one_that_was_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = rows(100)
    model = Mlp(hidden="16x8", dropout=0.5, rate=1e-2, epochs=40, batch=32, patience=0)
    whole = model.fit(given(x, y))
    monkeypatch.setattr(mlp, "_SECONDS_BETWEEN_CHECKPOINTS", -1.0)  # after every epoch

    def stop(what: str, done: int, total: int) -> None:
        if done >= 20:
            raise StopHereError

    journal = Journal(tmp_path / "journal", "run")
    with pytest.raises(StopHereError):
        model.fit(given(x, y, journal=journal, step="fit", progress=stop))
    heard: list[int] = []
    again = model.fit(
        given(x, y, journal=journal, step="fit", progress=lambda what, done, total: heard.append(done))
    )
    assert heard[0] == 20  # it did not begin anew
    np.testing.assert_array_equal(again.predict(x), whole.predict(x))


def test_the_rating_model_is_the_papers() -> None:
    # Scott et al. 2023, 3.4
    assert RATING_MODEL.sizes() == [1024, 64]
    assert (RATING_MODEL.dropout, RATING_MODEL.batch, RATING_MODEL.epochs) == (0.8, 256, 4000)
    assert (RATING_MODEL.rate, RATING_MODEL.decay, RATING_MODEL.every, RATING_MODEL.patience) == (
        1e-5,
        0.99,
        15,
        0,
    )


@pytest.mark.parametrize("options", [{"dropout": 1.0}, {"hidden": "ax4"}, {"epochs": 0}, {"rate": 0.0}])
def test_options_that_make_no_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(InputError, match="mlp"):
        Mlp(**options)  # type: ignore[arg-type]
