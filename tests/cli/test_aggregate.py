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
    found = run("judgments", "aggregate", path, "--rule", rule, "--format", "csv")
    assert found.code == 0
    rows = [line.split(",") for line in found.out.splitlines()[1:]]
    assert [row[2] for row in rows] == expected
    assert [row[3] for row in rows] == ["4", "2", "3"]


def test_a_vote(run, tmp_path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS)
    items = run("judgments", "aggregate", path, "--rule", "vote", "--format", "json").json["items"]
    assert [item["value"] for item in items if item["image"] != "2"] == [4.0, 1.0]
    assert items[1]["value"] in (2.0, 3.0)


def test_means_by_system_rater_and_stage(run, tmp_path) -> None:
    """VCRScore, Figures 2 and 3: each system by a rule, and each rater on each system in each round."""
    path = tmp_path / "ratings.csv"
    lines = ["image,system,rater,stage,rating"]
    for stage, extra in (("1", 0), ("2", 1)):
        for rater, value in (("ann", 1), ("bob", 3), ("cy", 3)):
            lines += [f"7,m,{rater},{stage},{value + extra}", f"7,human,{rater},{stage},5"]
    path.write_text("\n".join(lines))
    asked = ["judgments", "aggregate", path, "--format", "json", "--by"]
    # m's ratings are 1 3 3 2 4 4: without 1 and 4 the mean is 3.
    by_system = run(*asked, "system", "--rule", "without-extremes").json["groups"]
    assert {one["system"]: one["mean"] for one in by_system} == {"m": 3.0, "human": 5.0}
    each = run(*asked, "rater,system,stage").json["groups"]
    assert len(each) == 12
    ann = {one["stage"]: one["mean"] for one in each if (one["rater"], one["system"]) == ("ann", "m")}
    assert ann == {"1": 1.0, "2": 2.0}
    assert "SD" in run("judgments", "aggregate", path, "--by", "rater").out
    refused = run(*asked, "rater", "--rule", "vote")
    assert refused.code == 2 and "use mean" in refused.err
    assert run(*asked, "colour").code == 2


def test_a_huge_rating_is_shown_with_its_power_of_ten(run, tmp_path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("image,caption,rater,rating\n1,a dog,r1,1e308\n2,a cat,r1,3\n")
    shown = run("judgments", "aggregate", path).out
    assert "1.000e+308" in shown
    assert "3.000" in shown
    assert "00000000" not in shown


def _crowded(tmp_path, captions: int = 24):
    """Two raters who know and one who says 1 whatever it is; every third caption is a 1."""
    path = tmp_path / "crowd.csv"
    truth = [1 + n % 3 for n in range(captions)]
    lines = [
        f"{n},Caption {n}.,{who},{1 if who == 'lazy' else value}"
        for n, value in enumerate(truth)
        for who in ("ann", "bob", "lazy")
    ]
    path.write_text("image,caption,rater,rating\n" + "\n".join(lines) + "\n")
    return path, truth


@pytest.mark.parametrize("rule", ["dawid-skene", "mace"])
def test_a_rater_model_labels_captions_and_tells_who_knows(run, tmp_path, rule) -> None:
    path, truth = _crowded(tmp_path)
    found = run("judgments", "aggregate", path, "--rule", rule, "--format", "json")
    assert [item["value"] for item in found.json["items"]] == truth
    able = {
        one["rater"]: one
        for one in run("judgments", "aggregate", path, "--raters", "--format", "json").json["raters"]
    }
    name = rule.replace("-", "_")
    assert able["ann"][name] > 0.8
    assert able["lazy"][name] < 0.5


def test_too_little_overlap_is_said_with_the_way_out(run, tmp_path) -> None:
    path, _ = _crowded(tmp_path, captions=19)
    found = run("judgments", "aggregate", path, "--rule", "mace")
    assert found.code == 2
    assert (
        "19 items have ratings by at least 3 raters; a rater model needs 20. Use mean or vote." in found.err
    )
