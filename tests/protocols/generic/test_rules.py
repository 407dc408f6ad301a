from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import Problem, Progress, Response
from captious.protocols.agreement import shared_table
from captious.protocols.generic.file import parse_protocol

MakeUp = Callable[..., Corpus]

LIKERT = parse_protocol("""
name: helpfulness
kind: likert
raters: 2
comment: true
questions:
  - aspect: helpful
    ask: Would it help someone who cannot see the image?
    low: 0
    high: 10
    labels: {0: Not at all, 10: Very much}
""")
PAIRWISE = parse_protocol("""
name: which
kind: pairwise
once_per_image: true
group_size: 3
questions:
  - {aspect: fit, ask: "Which one fits?", ties: true}
  - {aspect: style, ask: "Which one reads well?", ties: false}
""")


def test_a_likert_page_asks_what_the_file_says(made_up: MakeUp) -> None:
    item = LIKERT.items(made_up(1), seed=1)[0]
    stars, comment = item.form.fields
    assert (stars.label, stars.low, stars.high) == ("Would it help someone who cannot see the image?", 0, 10)
    assert [option.label for option in stars.options] == ["Not at all", "Very much"]
    assert comment.required is False
    assert LIKERT.validate(item, {"helpful": 11}) == [
        Problem("helpful", f"{stars.label} 11 is not a whole number from 0 to 10.")
    ]


def test_likert_means_and_agreement(made_up: MakeUp) -> None:
    items = LIKERT.items(made_up(3), seed=1)
    log = [
        Response(item.key, {"helpful": 8.0 if item.sources["A"] == ("m",) else 2.0}, rater)
        for item in items
        for rater in ("ann", "bob")
    ]
    means, agreement = LIKERT.tables(items, log)
    assert {row[1]: row[2:] for row in means.rows} == {"m": (8, 8, 8, 6), "n": (2, 2, 2, 6)}
    # Both raters agree on every caption.
    assert agreement.rows[0][:3] == ("helpful", "alpha, ordinal", 1.0)


def test_pairs_are_blind_balanced_and_never_equal(made_up: MakeUp) -> None:
    items = PAIRWISE.items(made_up(20, ("a", "b", "c")), seed=1)
    assert Counter(item.balance for item in items) == {"a | b": 20, "a | c": 20, "b | c": 20}
    left = Counter((item.balance, item.sources["left"]) for item in items)
    assert set(left.values()) == {10}
    with pytest.raises(InputError, match="no image has two different captions"):
        PAIRWISE.items(Corpus.from_lists(["A dog."]), seed=1)


def test_a_choice_counts_for_one_and_against_the_other(made_up: MakeUp) -> None:
    items = PAIRWISE.items(made_up(2), seed=1)
    item = items[0]
    side = "left" if item.sources["left"] == ("m",) else "right"
    log = [
        Response(item.key, {"fit": side, "style": side}, "ann"),
        Response(item.key, {"fit": "both", "style": side}, "bob"),
    ]
    judged = PAIRWISE.judgments(items, log)
    means = dict(zip(judged.keys, judged.means("fit").tolist(), strict=True))
    assert means == {(item.image, "m"): 0.5, (item.image, "n"): -0.5}
    rows = {row[:2]: row[2] for row in PAIRWISE.tables(items, log)[0].rows}
    assert rows["style", "m"] == 1.0
    assert rows["fit", "n"] == -0.5


def test_no_tie_where_the_file_forbids_it(made_up: MakeUp) -> None:
    item = PAIRWISE.items(made_up(1), seed=1)[0]
    found = PAIRWISE.validate(item, {"fit": "both", "style": "both"})
    assert found == [Problem("style", 'Which one reads well? "both" is not an option. Choose left, right.')]


def test_groups_and_images_as_the_file_says(made_up: MakeUp) -> None:
    items = PAIRWISE.items(made_up(5, ("a", "b", "c")), seed=1)
    group = PAIRWISE.next_items(items, Progress(), "ann", now=0, seed=1)
    assert len({item.image for item in group}) == len(group) == 3


def test_agreement_has_one_interval_in_all_tables(made_up: MakeUp) -> None:
    """The interval of alpha is over images here as on the page of agreement, so the two are equal."""
    items = LIKERT.items(made_up(8), seed=1)
    log = [
        LIKERT.validate(item, {"helpful": (3 * at + lag * (at % 3)) % 11}, rater=rater, time=0.0)
        for at, item in enumerate(items)
        for lag, rater in enumerate(["ann", "bob"])
    ]
    responses = [one for one in log if isinstance(one, Response)]
    assert len(responses) == len(log)
    ((_, _, *shown, _),) = LIKERT.tables(items, responses)[1].rows
    (page,) = shared_table(items, responses, LIKERT.scale_of, 1000)
    (alpha,) = [row for row in page.rows if row[1] == "alpha, ordinal"]
    assert shown == pytest.approx(alpha[2:5])


def test_without_answers_there_are_no_tables(made_up: MakeUp) -> None:
    assert LIKERT.tables(LIKERT.items(made_up(2), seed=1), []) == []
