"""Disagreements side by side, and decisions that stand beside what raters said."""

from __future__ import annotations

import pytest

from captious.campaigns.quality.adjudication import adjudicate, disagreement, disagreements
from captious.campaigns.records import Receipt
from captious.campaigns.results import analysis
from captious.campaigns.work import responses
from captious.campaigns.work.assignment import next_tasks
from captious.errors import InputError


def _answer(db, campaign, rater, verdicts):
    """Answer every caption of an image by the verdict of its system."""
    while tasks := next_tasks(db, campaign, rater):
        (task,) = tasks
        system = task.item.sources["A"][0]
        responses.respond(db, rater, task.token, {"verdict": verdicts[system]}, key=task.item.key, seconds=5)


@pytest.fixture
def split(db, make_campaign):
    """Two raters: alike on m1, three steps of four apart on m2."""
    campaign, (one, two) = make_campaign("tagging", images=2, raters=2, two_rounds=False)
    _answer(db, campaign, one, {"m1": "complete", "m2": "complete"})
    _answer(db, campaign, two, {"m1": "complete", "m2": "serious"})
    return campaign


def test_the_widest_gap_is_told_in_words(db, split):
    found = disagreements(db, split)
    assert len(found) == 2
    assert {one.item.image for one in found} == {"i0", "i1"}
    for one in found:
        assert one.item.sources == {"A": ("m2",)}
        assert one.spread == 0.75
        assert one.why == (
            "How well does the caption fit? r001 says No error and nothing missing, r002 says Serious errors."
        )
        assert [said.rater for said in one.responses] == ["r001", "r002"]
        assert one.decided is None
    assert len(disagreements(db, split, limit=1, offset=1)) == 1


def test_a_decision_settles_results_and_leaves_what_raters_said(db, split):
    before = analysis.result_tables(db, split)
    assert [table.title for table in before] == ["Mean value by system, of 100"]
    # m2: (100 + 25) / 2 = 62.5
    assert {row[0]: row[2] for row in before[0].rows} == {"m1": 100.0, "m2": 62.5}
    item = disagreements(db, split)[0].item.key
    receipt = adjudicate(db, split, item, {"verdict": "serious"}, actor="lea", key="d1")
    assert isinstance(receipt, Receipt)
    raw, after = analysis.result_tables(db, split, fresh_within=0)
    assert {row[0]: row[2] for row in raw.rows} == {"m1": 100.0, "m2": 62.5}
    assert after.title.endswith("after adjudication")
    # One caption of m2 is 25 now, the other still 62.5: 43.75.
    assert {row[0]: row[2] for row in after.rows} == {"m1": 100.0, "m2": 43.75}
    assert disagreement(db, split, item).decided == {"verdict": "serious"}
    assert [one.item.key == item for one in disagreements(db, split, undecided_only=True)] == [False]
    # Agreement is that of the raters: the decision is no rating of theirs.
    tables = analysis.agreement(db, split, fresh_within=0).tables()
    assert not any("adjudicator" in row for table in tables for row in table.rows)


def test_a_decision_sent_twice_is_one_and_another_replaces_it(db, split):
    item = disagreements(db, split)[0].item.key
    first = adjudicate(db, split, item, {"verdict": "minor"}, actor="lea", key="d1")
    again = adjudicate(db, split, item, {"verdict": "serious"}, actor="lea", key="d1")
    assert isinstance(first, Receipt)
    assert isinstance(again, Receipt)
    assert (again.response_id, again.duplicate) == (first.response_id, True)
    assert disagreement(db, split, item).decided == {"verdict": "minor"}
    other = adjudicate(db, split, item, {"verdict": "serious"}, actor="ben", key="d2")
    assert isinstance(other, Receipt)
    assert other.correction
    assert disagreement(db, split, item).decided == {"verdict": "serious"}
    kinds = [one.kind for one in responses.stored(db, split)]
    assert kinds.count("adjudication") == 2
    decided = analysis.counting(db, split)[1]
    assert [one.answers for one in decided if one.rater == "adjudicator"] == [{"verdict": "serious"}]


def test_a_wrong_decision_is_told_a_line_a_field(db, split):
    item = disagreements(db, split)[0].item.key
    (problem,) = adjudicate(db, split, item, {"verdict": "fine"}, actor="lea", key="d1")  # type: ignore[misc]
    assert problem.field == "verdict"
    with pytest.raises(InputError, match="unknown item"):
        adjudicate(db, split, "nowhere", {}, actor="lea", key="d2")
    adjudicate(db, split, item, {"verdict": "minor"}, actor="lea", key="d3")
    with pytest.raises(InputError, match="there is nothing to decide"):
        adjudicate(db, split, f"adjudication/{item}", {}, actor="lea", key="d4")


def test_nobody_is_handed_a_decision(db, split, make_campaign):
    before = analysis.overview(db, split)
    item = disagreements(db, split)[0].item.key
    adjudicate(db, split, item, {"verdict": "minor"}, actor="lea", key="d1")
    after = analysis.overview(db, split)
    assert (before.done, before.target) == (after.done, after.target)


def test_thumb_shows_both_stages_and_the_decision_stands(db, make_campaign, answers):
    campaign, (one, two) = make_campaign("thumb", images=1)
    (task,) = next_tasks(db, campaign, one)
    responses.respond(db, one, task.token, answers(task.item), key="a")
    (task,) = next_tasks(db, campaign, two)
    changed = answers(task.item) | {"A.recall": 2.0}
    responses.respond(db, two, task.token, changed, key="b")
    (found,) = disagreements(db, campaign)
    assert found.item.stage == "first"
    assert found.why == "Caption A, Recall: r002 says 2, r001 says 5."
    assert [said.item for said in found.responses] == ["first/i0", "second/i0"]
    decided = answers(task.item) | {"A.recall": 4.0}
    adjudicate(db, campaign, found.item.key, decided, actor="lea", key="d")
    (means, *_) = analysis.result_tables(db, campaign, fresh_within=0)
    system = found.item.sources["A"][0]
    recall = means.columns.index("recall")
    assert next(row[recall] for row in means.rows if row[0] == system) == 4.0


def test_removed_raters_disagree_with_nobody(db, split):
    from captious.campaigns.people import raters

    raters.remove(db, raters.listed(db, split)[1], reason="test", actor="lea")
    assert disagreements(db, split, fresh_within=0) == []
