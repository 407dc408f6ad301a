from __future__ import annotations

import json

import pytest

from captious.corpus.types import Example
from captious.explanation.scene import By, GraphExplanation, Verdict, explain_graphs, tuple_text
from captious.metrics.spice import explain as explain_caption
from captious.metrics.spice import score_tuples

CANDIDATE = [("tv", "black"), ("cat", "tv", "near"), ("hat",)]
REFERENCES = [[("television",), ("television", "cat", "near")], [("cat", "small"), ("tv", "dark")]]


def told(candidate=CANDIDATE, references=REFERENCES, **judged: float) -> GraphExplanation:
    example = Example("7", "a caption", "m2", ["one", "two"], None, None)
    return explain_graphs(candidate, references, example, judged=judged)


def test_every_tuple_of_both_graphs_has_a_verdict() -> None:
    found = told()
    own = {tuple_text(one.parts): one.verdict for one in found.candidate_graph}
    assert own == {
        "(tv)": Verdict.matched,
        "(tv, black)": Verdict.matched,  # black and dark share a synset
        "(cat)": Verdict.matched,
        "(cat, near, tv)": Verdict.invented,  # the references have it the other way round
        "(hat)": Verdict.invented,
    }
    theirs = {tuple_text(one.parts): one.verdict for one in found.reference_graph}
    assert theirs == {
        "(television/tv)": Verdict.matched,
        "(cat)": Verdict.matched,
        "(television/tv, near, cat)": Verdict.missed,
        "(cat, small)": Verdict.missed,
        "(television/tv, dark)": Verdict.matched,
    }


def test_a_match_is_by_lemma_only_where_every_part_shares_a_word() -> None:
    by = {tuple_text(one.parts): one.matched_by for one in told().candidate_graph}
    assert by["(tv)"] is By.lemma  # the references say tv, too
    assert by["(tv, black)"] is By.synonym
    assert by["(hat)"] is None


def test_counts_are_those_of_the_score() -> None:
    found = told()
    assert found.counts == score_tuples(CANDIDATE, REFERENCES)
    # 3 of the candidate's 5 tuples, 3 of the references' 5.
    assert (found.counts.precision, found.counts.recall, found.score) == pytest.approx((0.6,) * 3)


def test_rows_hold_each_tuple_once_matched_first() -> None:
    rows = told().rows
    assert [row[0] for row in rows] == [Verdict.matched] * 3 + [Verdict.invented] * 2 + [Verdict.missed] * 2
    shown = [(tuple_text(own), tuple_text(theirs)) for _, _, own, theirs, _ in rows[:3]]
    assert ("(tv, black)", "(television/tv, dark)") in shown
    assert all(theirs is None for _, _, _, theirs, _ in rows[3:5])
    assert all(own is None for _, _, own, _, _ in rows[5:])


def test_matches_that_are_not_one_to_one_are_remarked() -> None:
    assert told().remark == ""
    # A bike is a bicycle or a motorcycle, which are no synonyms: two matches leave none missed
    # of bike and dog, although nobody said dog.
    shared = told([("bicycle",), ("motorcycle",)], [[("bike",), ("dog",)]])
    assert shared.counts == (2, 0, 0)
    assert "SPICE counts 0 missed tuples: the references' 2 tuples minus the candidate's 2" in shared.remark
    assert "No match was found for 1," in shared.remark
    # And the other way round one match leaves one missed, although both were met.
    several = told([("bike",)], [[("bicycle",), ("motorcycle",)]])
    assert several.counts == (1, 0, 1)
    assert [one.verdict for one in several.reference_graph] == [Verdict.matched] * 2
    assert len(several.rows) == 2
    assert "No match was found for 0," in several.remark


def test_thumbs_aspects_stand_beside_what_asks_the_same() -> None:
    found = told(total=3.5, fluency=-0.5, recall=3.0, precision=4.0)
    assert [(name, aspect, value) for name, _, aspect, value in found.side_by_side] == [
        ("precision", "precision", 4.0),
        ("recall", "recall", 3.0),
        ("F", "total", 3.5),
    ]
    assert [value for _, value, _, _ in found.side_by_side] == pytest.approx([0.6] * 3)
    assert found.other_judgments == {"fluency": -0.5}
    assert told(beauty=3).side_by_side == []


def test_plain_values_for_json() -> None:
    found = json.loads(json.dumps(told(recall=2.0).to_dict()))
    assert found["score"] == found["counts"]["f"] == pytest.approx(0.6)
    assert found["counts"]["matched"] == 3
    assert found["categories"]["relation"]["missed"] == 1
    assert found["candidate_graph"][0] == {
        "parts": [["tv"]],
        "kind": "object",
        "categories": ["object"],
        "verdict": "matched",
        "met": [["television", "tv"]],
        "matched_by": "lemma",
    }
    assert found["judged"] == {"recall": 2.0}


@pytest.mark.parametrize(("candidate", "references"), [([], []), ([], [[("dog",)]]), ([("dog",)], [[]])])
def test_empty_graphs_score_0(candidate, references) -> None:
    found = told(candidate, references)
    assert found.score == 0.0
    assert found.rows == [] or found.rows[0][0] is not Verdict.matched


def test_it_tells_what_the_metric_tells_of_real_captions() -> None:
    caption = "A brown dog chases a ball on the beach."
    references = ["A puppy runs after a red ball.", "A brown dog is running on the sand."]
    expected = explain_caption(caption, references)
    example = Example("1", caption, "a", references, None, None)
    found = explain_graphs(expected.candidate, expected.references, example)
    assert found.counts == expected.comparison.counts
    invented = [one.parts for one in found.candidate_graph if one.verdict is Verdict.invented]
    assert invented == expected.comparison.invented
    missed = [one.parts for one in found.reference_graph if one.verdict is Verdict.missed]
    assert missed == expected.comparison.missed
