import json

import numpy as np
import pytest

from captious import benchmarks
from captious.corpus import Finding, Findings
from captious.errors import InputError

DOG, CAT = ("1", "m", "A red dog on a mat."), ("2", "m", "A cat.")
FOUND = Findings.from_rows(
    [
        Finding(*DOG, 2, 5, "attribute", "major", source="ann"),
        Finding(*DOG, 6, 9, "object", "minor", source="ann"),
        Finding(*DOG, 2, 9, "object", "minor", source="bob"),
        Finding(*DOG, None, None, "object", "minor", source="bob", note="a frisbee"),
        Finding(*CAT, None, None, "", source="ann"),
        Finding(*CAT, None, None, "", source="bob"),
    ]
)


def test_places_kinds_raters_and_scores() -> None:
    report = benchmarks.span_agreement(FOUND, resamples=50)
    # Of 6 and 7 characters 6 are shared; Ann's two places touch Bob's, and Bob's hers.
    assert report.coefficients["character_f1"].value == pytest.approx(12 / 13)
    assert report.coefficients["overlap_f1"].value == 1
    assert report.coefficients["exact_f1"].value == 0
    # Objects: Ann has "dog", Bob "red dog".
    assert report.kinds["object"]["character_f1"].value == pytest.approx(6 / 10)
    assert report.kinds["attribute"]["character_f1"].value == 0
    # MQM: Ann 5 + 1, Bob 1 + 1 with what is missing; both 0 on the cat. Shares of 19 + 6 characters.
    assert [(one.name, one.captions, one.findings, one.score) for one in report.raters] == [
        ("ann", 2, 2, -3.0),
        ("bob", 2, 2, -1.0),
    ]
    assert report.raters[1].share == pytest.approx(7 / 25)
    assert report.scores.aspect == "mqm"
    assert report.scores.ratings == 4
    assert report.notes == ["1 findings of what is missing have no place; they count in scores only"]
    json.dumps(report.to_dict())
    assert [table.title for table in report.tables()][1:3] == ["by kind", "raters"]


def test_one_kind_and_own_weights() -> None:
    report = benchmarks.span_agreement(FOUND, kind="attribute", weights={"major": 2}, resamples=0)
    assert report.kinds.keys() == {"attribute"}
    assert [one.score for one in report.raters] == [-1.0, 0.0]
    with pytest.raises(InputError, match='the severity "minor" has no weight'):
        benchmarks.span_agreement(FOUND, weights={"major": 2})
    with pytest.raises(InputError, match='"colour"'):
        benchmarks.span_agreement(FOUND, kind="colour")


def test_nobody_marked_anything() -> None:
    report = benchmarks.span_agreement(FOUND.select(np.array([1])), resamples=0)
    assert report.coefficients["character_f1"].reason == "no rater marked anything"
    assert report.kinds == {}
    assert report.scores.coefficients["alpha_interval"].reason


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (FOUND.of_source("ann"), 'there is only one rater: "ann"'),
        (
            Findings.from_rows(
                [Finding(*DOG, 2, 5, "object", source="ann"), Finding(*CAT, 2, 5, "object", source="bob")]
            ),
            "no caption was read by two raters",
        ),
        (Findings.from_rows([]), "there is only one rater"),
    ],
)
def test_what_cannot_agree_says_why(found: Findings, says: str) -> None:
    with pytest.raises(InputError, match=says):
        benchmarks.span_agreement(found)


def test_scores_are_ratings_like_others() -> None:
    """The same file is taken where judgments are."""
    assert benchmarks.agreement(FOUND.to_judgments(), resamples=0).items == 2
