from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from captious.corpus import Corpus, Judgments
from captious.errors import InputError
from captious.protocols import Item, Problem, Progress, Response
from captious.protocols.tagging import OPTIONS, VALUES, WEEK, Tagging, caption_values, stages

MakeUp = Callable[..., Corpus]
DAY = WEEK / 7


def verdict(item: Item, rater: str, value: float, time: float = 0.0) -> Response:
    name = next(name for name, own in VALUES.items() if own == value)
    found = Tagging().validate(item, {"verdict": name}, rater=rater, time=time)
    assert isinstance(found, Response)
    return found


def test_the_five_options_have_the_papers_values() -> None:
    # Ruiz et al. 2024, 2.1, best to worst.
    assert [VALUES[option.value] for option in OPTIONS] == [1, 0.75, 0.5, 0.25, 0]


def test_a_verdict_is_one_of_the_five(made_up: MakeUp) -> None:
    item = Tagging().items(made_up(1), seed=1)[0]
    (problem,) = Tagging().validate(item, {"verdict": "fine"})  # type: ignore[misc]
    assert isinstance(problem, Problem)
    assert problem.message == (
        'How well does the caption fit? "fine" is not an option. '
        "Choose complete, incomplete, minor, serious, unrelated."
    )


def test_every_rater_tags_every_caption_once_in_an_order_of_their_own(made_up: MakeUp) -> None:
    tagging = Tagging(raters=3)
    items = tagging.items(made_up(8), seed=1)
    log: list[Response] = []
    orders = {}
    for rater in "abc":
        order = []
        while found := tagging.next_items(items, Progress.of(items, log), rater, now=0, seed=1):
            log.append(verdict(found[0], rater, 1.0))
            order.append(found[0].key)
        orders[rater] = order
    assert all(sorted(order) == sorted(item.key for item in items) for order in orders.values())
    assert orders["a"] != orders["b"]
    assert tagging.next_items(items, Progress.of(items, log), "d", now=0, seed=1) == []


def test_the_second_round_waits_and_hides_the_first(made_up: MakeUp) -> None:
    tagging = Tagging(raters=2)
    items = tagging.items(made_up(1, ("m",)), seed=1)
    log = [verdict(items[0], "ann", 0.5, time=10 * DAY)]
    second = tagging.second_round(items, log)
    everything = [*items, *second]

    def asked(rater: str, now: float) -> list[Item]:
        return tagging.next_items(everything, Progress.of(everything, log), rater, now=now, seed=1)

    assert asked("ann", 10 * DAY + 6 * WEEK - 1) == []
    assert asked("ann", 10 * DAY + 6 * WEEK) == second
    assert asked("bob", 10 * DAY + 7 * WEEK) == items
    assert second[0].prior == {}
    assert Tagging(two_rounds=False).second_round(items, log) == []
    assert Tagging(interval=DAY).second_round(items, log)[0].not_before == 11 * DAY


def test_a_first_answer_without_a_time_cannot_be_waited_for(made_up: MakeUp) -> None:
    items = Tagging().items(made_up(1), seed=1)
    with pytest.raises(InputError, match="has no time"):
        Tagging().second_round(items, [verdict(items[0], "ann", 0.5, float("nan"))])


def test_vote_and_mean_of_the_papers_example() -> None:
    # Ruiz et al. 2024, 2.2: eight scores of a caption whose mean is 0.4062; five of eight are 0.5.
    scores = [0.25, 0.50, 0.25, 0.50, 0.50, 0.50, 0.25, 0.50]
    judged = Judgments.from_columns(
        images=["1"] * 8,
        systems=["m"] * 8,
        raters=list("abcd") * 2,
        aspects=["verdict"] * 8,
        values=scores,
        stages=["first"] * 4 + ["second"] * 4,
    )
    (found,) = caption_values(judged)
    assert (found.vote, found.mean, found.verdicts) == (0.5, 0.40625, 8)


def two_rounds(made_up: MakeUp) -> tuple[Tagging, list[Item], list[Response]]:
    """Two steady raters who agree, and one who says the opposite the second time."""
    tagging = Tagging(raters=3)
    items = tagging.items(made_up(5, ("m", "n")), seed=1)
    true = [0.0, 0.25, 0.5, 0.75, 1.0] * 2
    first = [verdict(item, r, v) for r in "abc" for item, v in zip(items, true, strict=True)]
    second = tagging.second_round(items, first)
    again = [
        verdict(item, response.rater, VALUES[str(response.answers["verdict"])], 7 * WEEK)
        if response.rater != "c"
        else verdict(item, "c", 1 - VALUES[str(response.answers["verdict"])], 7 * WEEK)
        for item, response in zip(second, first, strict=True)
    ]
    return tagging, [*items, *second], [*first, *again]


def test_test_retest_and_leave_one_out(made_up: MakeUp) -> None:
    tagging, items, log = two_rounds(made_up)
    found = stages(tagging.judgments(items, log))
    own = dict(zip(found.raters, found.agreement.raters, strict=True))
    assert own["a"].alpha.value == own["a"].same == 1.0
    assert own["a"].tau_b == pytest.approx(1.0)
    # Two of ten verdicts of c are the middle one, which is its own opposite.
    assert (own["c"].tau_b, own["c"].same) == (pytest.approx(-1.0), 0.2)
    assert found.agreement.alpha_first.value == 1.0
    without = dict(zip(found.raters, found.agreement.without, strict=True))
    assert without["c"].value == 1.0
    assert without["a"].value < 1.0
    left = dict(zip(found.raters, found.left_out, strict=True))
    # c's two rounds cancel out to 0.5 everywhere: no order left to agree with.
    assert np.isnan(left["c"].tau_b)


def test_tables(made_up: MakeUp) -> None:
    tagging, items, log = two_rounds(made_up)
    values, raters = tagging.tables(items, log)
    # Captions alternate m n: m has 0 .5 1 .25 .75, n .25 .75 0 .5 1, as every rater's five of six
    # verdicts; c's opposite pulls (5v + 1 - v) / 6, whose mean is 0.5 like v's.
    assert {row[0]: row[2] for row in values.rows} == {"m": pytest.approx(50.0), "n": pytest.approx(50.0)}
    assert [row[0] for row in raters.rows] == ["a", "b", "c"]
    assert tagging.tables(items, []) == []
