"""A simulated rater's answers are answers: every protocol takes them, and they follow the opinions."""

from __future__ import annotations

import numpy as np
import pytest

from captious.corpus import Corpus
from captious.protocols import protocol
from captious.protocols.base import Item, Response
from captious.protocols.simulation import SimulatedRater, Someone

CORPUS = Corpus.from_lists(
    ["A red bus.", "A cow."] * 3,
    [["A bus drives by.", "The bus is red."], ["A dog runs.", "One dog."], ["A cat sleeps.", "The cat."]] * 2,
    image_ids=["1", "2", "3", "1", "2", "3"],
    systems=["good", "good", "good", "bad", "bad", "bad"],
)
OPINIONS = {"good": 0.95, "bad": 0.05}


def _answered(name: str, rater: SimulatedRater, **options: bool) -> list[tuple[Item, Response]]:
    rules = protocol(name, **options)
    someone = Someone(rater, np.random.default_rng(4), rules.human_sources)
    found = []
    for item in rules.items(CORPUS, seed=2):
        response = rules.validate(item, rules.simulated(item, someone), rater="r", time=1.0)
        assert isinstance(response, Response), (item.key, response)
        found.append((item, response))
    return found


@pytest.mark.parametrize("habit", ["careful", "random", "same"])
@pytest.mark.parametrize("name", ["thumb", "humanr", "tagging", "audit"])
def test_every_protocol_takes_them(name: str, habit: str) -> None:
    rater = SimulatedRater("Ada", OPINIONS, noise=0.3, habit=habit)  # type: ignore[arg-type]
    assert _answered(name, rater)


def test_only_the_attentive_see_through_a_planted_caption() -> None:
    for attentive in (True, False):
        rater = SimulatedRater("Ada", OPINIONS, attentive=attentive)
        for item, response in _answered("humanr", rater):
            if item.check:
                toward_right = float(response.answers["preference"]) > 5  # type: ignore[arg-type]
                assert (toward_right == (item.check == "right")) != attentive


def test_a_worse_system_has_more_errors_and_lower_scores() -> None:
    rater = SimulatedRater("Ada", OPINIONS)
    audit = protocol("audit")
    items, responses = zip(*_answered("audit", rater), strict=True)
    errors: dict[str, float] = {}
    for row in audit.rows(items, responses):
        errors[row.system] = errors.get(row.system, 0.0) + row.value
    assert errors["bad"] > errors["good"]
    # A caption worth .05 falls short of every limit, .15 and more: seven errors in each of three captions.
    assert errors["bad"] == 21 and errors["good"] == 0
    for name in ("thumb", "tagging"):
        rules = protocol(name)
        items, responses = zip(*_answered(name, rater), strict=True)
        means = {
            system: np.mean([row.value for row in rules.rows(items, responses) if row.system == system])
            for system in OPINIONS
        }
        assert means["good"] > means["bad"]
