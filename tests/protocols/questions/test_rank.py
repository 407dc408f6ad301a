"""A ranking of all captions of an image, from the file to agreement."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import Problem, Response, rules_of
from captious.protocols.agreement import shared_table
from captious.protocols.known import answer_right
from captious.protocols.simulation import SimulatedRater, Someone

FILE = "name: order\nraters: 2\nquestions: [{aspect: best, kind: rank, ask: 'Which is best?'}]\n"
RULES = rules_of("generic", {}, FILE)
CORPUS = Corpus.from_lists(
    ["A dog.", "A cat.", "A cow.", "A dog.", "A cat.", "A cow."],
    image_ids=["1", "1", "1", "2", "2", "2"],
    systems=["m", "n", "o"] * 2,
)
ITEMS = RULES.items(CORPUS, seed=3)
KEYS = [{one[0]: key for key, one in item.sources.items()} for item in ITEMS]  # system to letter


def said(item: int, rater: str, **places: float) -> Response:
    answer = {KEYS[item][system]: place for system, place in places.items()}
    found = RULES.validate(ITEMS[item], {"best": answer}, rater=rater, time=0.0)
    assert isinstance(found, Response)
    return found


def test_one_page_shows_all_captions_of_an_image() -> None:
    assert [len(item.captions) for item in ITEMS] == [3, 3]
    (field,) = ITEMS[0].form.fields
    assert [option.label for option in field.options] == ["Caption A", "Caption B", "Caption C"]


@pytest.mark.parametrize(
    "answer",
    [{"A": 1, "B": 2}, {"A": 1, "B": 1, "C": 2}, {"A": 1, "B": 2, "C": 4}, {"A": 1, "B": 2, "D": 3}, "A", 3],
)
def test_every_caption_needs_a_place_of_its_own(answer: Any) -> None:
    (problem,) = RULES.validate(ITEMS[0], {"best": answer})  # type: ignore[misc]
    message = "Which is best? Give each caption a place of its own, 1 (best) to 3."
    assert problem == Problem("best", message)


def test_a_page_sends_a_place_for_each() -> None:
    form = ITEMS[0].form
    assert form.read([("best.A", "2"), ("best.B", ""), ("best.C", "1")]) == {"best": {"A": "2", "C": "1"}}
    assert form.check({"best": ["C", "A", "B"]}) == {"best": {"A": 2.0, "B": 3.0, "C": 1.0}}
    (field,) = form.fields
    assert field.rules.words(field, {"A": 2.0, "B": 3.0, "C": 1.0}) == "C > A > B"


def test_means_are_the_share_of_captions_beaten_and_agreement_is_of_places() -> None:
    responses = [
        said(0, "ann", m=1, n=2, o=3),
        said(0, "bob", m=1, n=3, o=2),
        said(1, "ann", m=1, n=2, o=3),
        said(1, "bob", m=2, n=1, o=3),
    ]
    means = {row[1]: row[2] for row in RULES.tables(ITEMS, responses)[0].rows}
    # m: 1, 1, 1, 1/2; n: 1/2, 0, 1/2, 1; o: 0, 1/2, 0, 0
    assert means == {"m": 0.875, "n": 0.5, "o": 0.125}
    (table,) = shared_table(ITEMS, responses, RULES.scale_of, 200)
    found = {row[1]: row[2] for row in table.rows}
    assert found["per cent agreement"] == pytest.approx(2 / 6)  # m and o of one image each
    # Ordinal alpha, 6 units of two places. Every place is given 4 times, so that the squared distance of
    # two places is (4 |i - j|)^2: 16 for neighbours, 64 for the ends. Observed: four pairs of neighbours
    # in six units, 4 * 16 / 6 = 64/6. Expected over the 12 * 11 / 2 = 66 pairs of values: 16 of 1-2 and
    # 16 of 2-3 at 16, 16 of 1-3 at 64: 1536 / 66. alpha = 1 - (64/6) / (1536/66) = 13/24.
    assert found["alpha, ordinal"] == pytest.approx(13 / 24)


def test_simulated_raters_rank_by_their_opinions_and_a_known_order_is_right() -> None:
    someone = Someone(SimulatedRater("Ada", {"m": 0.2, "n": 0.9, "o": 0.5}), np.random.default_rng(1))
    answers = RULES.simulated(ITEMS[0], someone)
    assert answers["best"] == [KEYS[0]["n"], KEYS[0]["o"], KEYS[0]["m"]]
    response = RULES.validate(ITEMS[0], answers)
    assert isinstance(response, Response)
    (field,) = ITEMS[0].form.fields
    wanted = {KEYS[0]["n"]: 1, KEYS[0]["o"]: 2, KEYS[0]["m"]: 3}
    assert answer_right(field, wanted, response.answers["best"])
    assert not answer_right(field, dict(zip(wanted, (2, 1, 3), strict=True)), response.answers["best"])


def test_an_image_with_one_caption_has_no_order() -> None:
    with pytest.raises(InputError, match="rank: no image has two different captions"):
        RULES.items(Corpus.from_lists(["A dog."]), seed=1)
