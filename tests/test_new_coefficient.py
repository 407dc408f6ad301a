"""A coefficient that is added to the list is in the report of the command and on the page of a campaign."""

from __future__ import annotations

import pytest

from captious import benchmarks
from captious.corpus import Corpus
from captious.protocols.registry import protocol
from captious.stats import agreement
from captious.stats.agreement import Coefficient, percent_agreement


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    new = Coefficient("agreement_again", "agreement, again", percent_agreement)
    monkeypatch.setattr(agreement, "COEFFICIENTS", (*agreement.COEFFICIENTS, new))


def test_it_is_in_the_report(listed: None) -> None:
    given = zip("aabbcc", "xyxyxy", [1, 1, 2, 2, 3, 2], strict=True)
    report = benchmarks.agreement([{"image": i, "rater": r, "rating": v} for i, r, v in given], resamples=0)
    assert report.to_dict()["coefficients"]["agreement_again"]["value"] == 2 / 3  # two of three items
    assert "agreement, again" in [row[0] for row in report.table().rows]


def test_it_is_on_the_page(listed: None) -> None:
    rules = protocol("tagging", two_rounds=False)
    items = rules.items(
        Corpus.from_lists(["a dog", "a cat"], image_ids=["1", "2"], systems=["s", "s"]), seed=0
    )
    said = {"x": ("complete", "minor"), "y": ("complete", "serious")}
    responses = [
        rules.validate(item, {field.name: tag for field in item.form.fields}, rater=rater)
        for rater, tags in said.items()
        for item, tag in zip(items, tags, strict=True)
    ]
    (table, *_) = rules.agreement(items, responses, resamples=0)
    assert {row[1]: row[2] for row in table.rows}["agreement, again"] == 0.5
