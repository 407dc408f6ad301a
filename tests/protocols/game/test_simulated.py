"""Players of known accuracy play by the rules: `benchmarks/judgments/rating_game.py`, at a smaller size."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "judgments" / "rating_game.py"


@pytest.fixture(scope="module")
def game() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rating_game", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_guessing_players_stay_on_probation_and_careful_ones_do_not(game: ModuleType) -> None:
    pairs, people = game.simulate(1500, 24, 6, error=0.5, seed=7)
    guessing = [one for one in people if one.accuracy is None]
    assert len(guessing) == 6
    assert {one.standing.phase for one in guessing} == {"probation"}
    # Twenty ratings of the trial, then no more.
    assert {one.rated for one in guessing} == {20}
    careful = [one for one in people if one.accuracy is not None]
    assert "probation" not in {one.standing.phase for one in careful}
    counts = [len(pair.human) for pair in pairs]
    assert min(counts) >= 4 and max(counts) <= 7
    plain, rng = game.make_pairs(1500, 0.5, np.random.default_rng(7)), np.random.default_rng(7)
    game.play(plain, game.make_players(24, 6, game.Ladder()), rng, filtered=False)
    kept, all_ = game.report("with", pairs), game.report("without", plain)
    assert all(kept[name] > all_[name] for name in ("tau Y-XZ", "W", "kappa", "consensus right"))
