"""Error spans: what marks become, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from captious.corpus import Corpus
from captious.corpus.findings import Finding, Findings
from captious.errors import InputError
from captious.protocols import Item, Response, protocol
from captious.protocols.findings import findings_of, suggestions_of, with_suggestions
from captious.protocols.simulation import SimulatedRater, Someone

CORPUS = Corpus.from_lists(
    ["Two red dogs run.", "A cat sleeps.", "A cat sleeps."],
    image_ids=["1", "2", "2"],
    systems=["m", "m", "n"],
)


def said(rules: Any, item: Item, rater: str, score: float, *marks: tuple[Any, ...]) -> Response:
    names = ("start", "end", "kind", "severity", "note")
    given = [dict(zip(names, one, strict=False)) for one in marks]
    answers = {"marks": given} | ({"score": score} if rules.overall else {})
    found = rules.validate(item, answers, rater=rater, time=0.0)
    assert isinstance(found, Response), found
    return found


def study(**options: Any) -> tuple[Any, list[Item], list[Response]]:
    rules = protocol("spans", **options)
    items = rules.items(CORPUS, seed=1)
    dogs, cat = items
    return (
        rules,
        items,
        [
            said(rules, dogs, "ann", 40, (4, 7, "attribute", "minor"), (0, 3, "count", "major")),
            said(rules, dogs, "bob", 60, (4, 12, "attribute", "minor")),
            said(rules, cat, "ann", 100),
            said(rules, cat, "bob", 80, (None, None, "object", "minor", "a sofa")),
        ],
    )


def test_scores_errors_and_weights_by_system() -> None:
    rules, items, answers = study()
    tables = {table.title: table.rows for table in rules.tables(items, answers)}
    # m: (40 + 60 + 100 + 80) / 4; n wrote the cat only. Errors: 2 + 1 + 0 + 1, weights: 6 + 1 + 0 + 1.
    assert {row[0]: row[1] for row in tables["Score by system"]} == {"m": 70, "n": 90}
    assert {row[0]: row[1] for row in tables["Errors in a caption by system"]} == {"m": 1, "n": 0.5}
    assert {row[0]: row[1] for row in tables["MQM score by system"]} == {"m": -2, "n": -0.5}
    errors = {row[:3]: (row[3], row[6]) for row in tables["Errors by kind and severity"]}
    assert errors["m", "all", "all"] == (1, 4)
    assert errors["m", "attribute", "minor"] == (0.5, 2)
    assert errors["m", "count", "major"] == (0.25, 1)
    assert errors["m", "text", "all"] == (0, 0)
    assert ("m", "text", "minor") not in errors


def test_raters_agree_on_characters() -> None:
    rules, items, answers = study()
    table = next(
        one for one in rules.agreement(items, answers, resamples=50) if one.title == "Agreement on places"
    )
    found = {row[:3]: row[3] for row in table.rows}
    # ann marks 3 + 3 characters, bob 8 of which 3 are hers; as attributes 3 and 8.
    assert found["all", "all", "F1 of characters"] == pytest.approx(6 / 14)
    assert found["attribute", "all", "F1 of characters"] == pytest.approx(6 / 11)
    # "red" and "red dogs" touch, "Two" stands alone.
    assert found["all", "all", "F1 of overlapping marks"] == pytest.approx(2 / 3)
    assert found["count", "all", "F1 of characters"] == 0
    assert np.isnan(found["text", "all", "F1 of characters"])
    third = said(rules, items[0], "cem", 50, (4, 7, "attribute", "minor"))
    (table,) = rules.agreement(items, [*answers, third], resamples=50)[-1:]
    pairs = {row[1]: row[3] for row in table.rows if row[1] != "all"}
    # cem marks "red" only: 2 * 3 / (6 + 3) with ann, 2 * 3 / (8 + 3) with bob.
    assert pairs == pytest.approx({"ann and bob": 6 / 14, "ann and cem": 6 / 9, "bob and cem": 6 / 11})


def test_findings_know_who_looked_and_found_nothing() -> None:
    _, items, answers = study()
    rows = [
        (row.image, row.system, row.source, row.text, row.kind, row.note)
        for row in findings_of(items, answers).rows()
    ]
    assert rows == [
        ("1", "m", "ann", "Two", "count", ""),
        ("1", "m", "ann", "red", "attribute", ""),
        ("1", "m", "bob", "red dogs", "attribute", ""),
        ("2", "m", "ann", "", "", ""),
        ("2", "m", "bob", "", "object", "a sofa"),
        ("2", "n", "ann", "", "", ""),
        ("2", "n", "bob", "", "object", "a sofa"),
    ]


def test_weights_alone_are_a_score() -> None:
    rules = protocol("spans", overall=False, severities="slight=0.5, bad=2", kinds="object, tone")
    items = rules.items(CORPUS, seed=1)
    response = said(rules, items[0], "ann", 0, (4, 7, "tone", "bad"), (0, 3, "tone", "slight"))
    assert {row.aspect: row.value for row in rules.rows(items, [response])} == {"errors": 2, "mqm": -2.5}
    assert rules.ranges == {}


@pytest.mark.parametrize(
    "options",
    [{"kinds": "object,,text"}, {"kinds": "a, a"}, {"severities": "minor"}, {"severities": "a=1, a=2"}],
)
def test_wrong_options_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(InputError, match=next(iter(options))):
        protocol("spans", **options)


def test_suggestions_are_confirmed_changed_removed_or_left() -> None:
    rules, items, _ = study()
    given = Findings.from_rows(
        Finding("1", "m", "Two red dogs run.", start, end, "object", confidence=0.7, source="chair")
        for start, end in ((0, 3), (4, 7), (8, 12), (13, 16))
    )
    suggested, other = with_suggestions(items, given)
    assert other == items[1]
    marks = suggested.prior["marks"]
    assert [(one["text"], one["of"], one["source"]) for one in marks] == [
        ("Two", 0, "chair"), ("red", 1, "chair"), ("dogs", 2, "chair"), ("run", 3, "chair"),
    ]  # fmt: skip
    left, kept, changed = marks[0], {**marks[1], "kept": True}, {**marks[2], "kind": "text"}
    response = rules.validate(suggested, {"marks": [left, kept, changed], "score": 50}, rater="ann", time=0.0)
    assert isinstance(response, Response)
    found = {one.text: one.status for one in suggestions_of([suggested], [response])}
    assert found == {"Two": "untouched", "red": "confirmed", "dogs": "changed", "run": "removed"}
    table = rules.tables([suggested], [response])[-1]
    assert table.columns[1:] == ("confirmed", "changed", "removed", "untouched")
    assert table.rows == (("chair", 1, 1, 1, 1),)
    assert "chair" not in str(response.answers)
    # Whoever confirms the same suggestion agrees with it, and not with another rater.
    assert all(
        one.title != "Agreement on places" for one in rules.agreement([suggested], [response, response])
    )


def test_findings_of_other_captions_or_kinds_are_refused() -> None:
    _, items, _ = study()
    with pytest.raises(InputError, match="none is about a caption of this campaign"):
        with_suggestions(items, Findings.from_rows([Finding("9", "m", "A cat.", 0, 1, "object")]))
    with pytest.raises(InputError, match='kind "colour" is not one of those that raters choose from: object'):
        with_suggestions(items, Findings.from_rows([Finding("2", "m", "A cat sleeps.", 2, 5, "colour")]))


@pytest.mark.parametrize("habit", ["careful", "random", "same", "contrary"])
def test_simulated_raters_mark_more_where_captions_are_worse(habit: Any) -> None:
    rules, items, _ = study()
    counts = {}
    for good in (0.1, 0.9):
        someone = Someone(SimulatedRater("x", {"m": good, "n": good}, habit=habit), np.random.default_rng(1))
        found = rules.validate(items[0], rules.simulated(items[0], someone), rater="x", time=0.0)
        assert isinstance(found, Response), found
        counts[good] = len(found.answers["marks"])
    if habit == "careful":
        assert counts[0.1] > counts[0.9]
