"""Who is named where two stages are compared: the person, whoever rated in which stage."""

from __future__ import annotations

from captious.benchmarks.rater_agreement.report import agreement_report
from captious.benchmarks.rater_agreement.tables import tables
from captious.corpus import Judgments


def test_only_people_of_both_stages_are_compared_with_themselves() -> None:
    """Ann rates first, Bo second, Cy in both: columns of unlike raters used to be taken for each other."""
    said = [
        ("ann", "first", (1, 2, 3, 4)),
        ("cy", "first", (1, 2, 3, 3)),
        ("bo", "second", (2, 2, 3, 4)),
        ("cy", "second", (1, 2, 4, 3)),
    ]
    rows = [(f"i{at}", rater, stage, value) for rater, stage, own in said for at, value in enumerate(own)]
    images, raters, stages, values = (list(column) for column in zip(*rows, strict=True))
    judged = Judgments.from_columns(images=images, raters=raters, stages=stages, values=values)
    report = agreement_report(judged, resamples=20)
    (table,) = [one for one in tables(report) if one.title == "stages"]
    names = [str(row[0]) for row in table.rows]
    assert [name for name in names if name.endswith("first with second")] == ["cy, first with second"]
    assert sorted(name for name in names if name.startswith("all but")) == [
        "all but ann, both stages",
        "all but bo, both stages",
        "all but cy, both stages",
    ]
