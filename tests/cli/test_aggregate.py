from __future__ import annotations

import pytest

RATINGS = "image,caption,rater,rating\n" + "".join(
    f"{image},A caption of {image}.,r{n},{value}\n"
    for image, values in (("1", (1, 4, 4, 5)), ("2", (2, 3)), ("3", (5, 1, 1)))
    for n, value in enumerate(values)
)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("mean", ["3.5", "2.5", "2.3333333333333335"]),
        ("median", ["4.0", "2.5", "1.0"]),
        ("rounded", ["4.0", "3.0", "2.0"]),  # halves go up
        ("without-extremes", ["4.0", "nan", "1.0"]),  # two ratings leave nothing
    ],
)
def test_one_value_a_caption(run, tmp_path, rule, expected) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS)
    found = run("aggregate", path, "--rule", rule, "--format", "csv")
    assert found.code == 0
    rows = [line.split(",") for line in found.out.splitlines()[1:]]
    assert [row[2] for row in rows] == expected
    assert [row[3] for row in rows] == ["4", "2", "3"]


def test_a_vote(run, tmp_path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS)
    items = run("aggregate", path, "--rule", "vote", "--format", "json").json["items"]
    assert [item["value"] for item in items if item["image"] != "2"] == [4.0, 1.0]
    assert items[1]["value"] in (2.0, 3.0)
