from __future__ import annotations

import math

import pytest

from captious.campaigns.records import Settings
from captious.campaigns.setup import create
from captious.campaigns.setup.cost import SD_IMAGES, SD_RATINGS, estimate, expected, first_stage
from captious.corpus import Corpus
from captious.protocols import protocol


def test_humanr_costs_what_the_paper_says():
    # 90 comparisons in groups of nine and a check: 10 groups, 0.25 USD each, 100 times 6 s.
    found = estimate(protocol("humanr"), 90, Settings())
    assert (found.responses, found.pay, found.currency) == (100, 2.5, "USD")
    assert found.hours == pytest.approx(600 / 3600)
    assert found.wage == pytest.approx(15.0)
    assert "6 s per comparison, as in the paper" in found.basis


def test_a_game_is_made_of_ratings_not_of_comparisons():
    assert " s per rating, as in the paper" in estimate(protocol("game"), 90, Settings()).basis


def test_own_pay_and_measured_time_go_before_the_papers():
    # 10 cents a response: 10 USD; 12 s each: 1200 s = 1/3 h; 30 an hour.
    own = Settings(payment_per_response=0.1, currency="EUR")
    found = estimate(protocol("humanr"), 90, own, mean_seconds=12.0)
    assert (found.pay, found.currency) == (pytest.approx(10.0), "EUR")
    assert found.wage == pytest.approx(30.0)
    assert found.basis == "12.0 s per response, as measured so far"


def test_a_second_stage_comes_on_top():
    paid = Settings(hourly_wage=20.0, currency="EUR")
    # 50 images twice, a minute each: 100 min = 1.667 h at 20 an hour = 33.33
    found = estimate(protocol("thumb"), 50, paid, mean_seconds=60.0)
    assert found.responses == 100
    assert found.pay == pytest.approx(100 / 60 * 20)
    assert estimate(protocol("thumb", two_stages=False), 50, paid).responses == 50
    unknown = estimate(protocol("audit"), 50, Settings())
    assert (unknown.hours, unknown.pay, unknown.wage) == (None, None, None)


def test_checks_are_not_counted_twice():
    corpus = Corpus.from_lists(
        ["A.", "B.", "C."], [["1", "2"], ["3", "4"], ["5", "6"]], image_ids=["a", "b", "c"]
    )
    items = protocol("humanr").items(corpus, seed=1)
    assert first_stage(items) == 6  # three of the system, three of two human captions


@pytest.mark.parametrize(("comparisons", "responses"), [(90, 100), (91, 102), (9, 10), (1, 2)])
def test_the_last_group_holds_what_is_left_and_its_check(comparisons: int, responses: int):
    # 91 comparisons: ten groups of nine with a check each, and one comparison with its check.
    found = estimate(protocol("humanr"), comparisons, Settings(payment_per_response=1.0))
    assert (found.responses, found.pay) == (responses, responses)


def test_how_many_raters_it_takes():
    corpus = Corpus.from_lists(
        ["A.", "B.", "C."], [["1", "2"], ["3", "4"], ["5", "6"]], image_ids=["a", "b", "c"]
    )

    def needed(name: str, **options: int) -> int:
        rules = protocol(name, **options)
        return rules.raters_needed(rules.items(corpus, seed=1))

    assert needed("thumb") == 2  # nobody checks their own work
    assert needed("tagging", raters=4) == 4
    assert needed("audit", target=2) == 2
    # Six comparisons on three images, one of which each rater needs for the check: two a rater.
    assert needed("humanr") == 3
    # Each image is compared 2 x 5 times, and nobody meets it twice; 30 comparisons, two a rater.
    assert needed("humanr", target=5) == 15


def plan(protocol: str, images: int, systems: int = 2, **options: object) -> list:
    rows = [(image, f"m{at}") for image in range(images) for at in range(systems)]
    corpus = Corpus.from_lists(
        [f"A dog of {system} at {image}." for image, system in rows],
        [[f"Dog {image} runs.", f"The dog at {image}."] for image, _ in rows],
        image_ids=[f"i{image}" for image, _ in rows],
        systems=[system for _, system in rows],
    )
    draft = create.draft(protocol, corpus, title="Plan", options=options)
    return expected(draft.rules(), draft.items)


@pytest.mark.parametrize(("images", "raters"), [(50, 1), (200, 2)])
def test_the_width_is_that_of_the_normal_distribution(images: int, raters: int) -> None:
    (found,) = plan("tagging", images, raters=raters, two_rounds=False)
    error = math.sqrt((SD_IMAGES**2 + SD_RATINGS**2 / raters) / images)
    assert (found.images, found.answers, found.low, found.high) == (images, raters, 0.0, 1.0)
    assert found.half_width == pytest.approx(1.96 * error, rel=0.06)
    # Power 0.8 at 0.05: 1.96 + 0.84 = 2.80 standard errors.
    assert found.detectable == pytest.approx(2.80 * error, rel=0.1)


def test_it_stands_on_the_scale_of_each_aspect() -> None:
    precision, recall = plan("thumb", 60)
    (value,) = plan("tagging", 60, raters=1, two_rounds=False)
    assert (precision.aspect, recall.aspect, precision.low, precision.high) == ("precision", "recall", 1, 5)
    assert precision.half_width == pytest.approx(4 * value.half_width)


def test_one_system_has_nothing_to_be_told_from() -> None:
    assert plan("tagging", 20, systems=1) == []
    assert plan("spoken", 20) == []
