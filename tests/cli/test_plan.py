"""`captious judgments plan` against the formulas of a normal study."""

from __future__ import annotations

import json
import math

import pytest
from scipy import stats

MEAN, SD_IMAGES, SD_RATERS = 0.2, 0.5, 1.0
STATED = [
    "judgments",
    "plan",
    "--mean",
    MEAN,
    "--sd-images",
    SD_IMAGES,
    "--sd-raters",
    SD_RATERS,
    "--simulations",
    4000,
]


def standard_error(n: int, m: int) -> float:
    """Shavelson and Webb 1991: the variance of a mean over n items with m ratings each."""
    return math.sqrt(SD_IMAGES**2 / n + SD_RATERS**2 / (n * m))


def test_stated_assumptions_give_the_textbooks_widths_and_powers(run) -> None:
    found = run(*STATED, "--images", "50,200", "--raters", "1,3", "--format", "json")
    assert found.code == 0
    for plan in found.json["plans"]:
        n, m = plan["n_items"], plan["n_raters"]
        error = standard_error(n, m)
        width = stats.t.ppf(0.975, n - 1) * error
        # The mean of a standard deviation of n normal values is below the true one by about 1/4n.
        assert plan["half_width"] == pytest.approx(width, rel=0.02)
        power = 1 - stats.nct.cdf(stats.t.ppf(0.975, n - 1), n - 1, MEAN / error)
        assert plan["power"] == pytest.approx(power, abs=0.03)
        assert plan["coverage"] == pytest.approx(0.95, abs=0.015)


def test_the_smallest_study_that_is_good_enough(run) -> None:
    # By the formula the power is .90 for 200 by 2, .71 for 200 by 1 and .63 for 100 by 2.
    asked = [*STATED, "--images", "100,200", "--raters", "1,2", "--power", "0.8"]
    found = run(*asked, "--format", "json")
    assert (found.json["smallest"]["n_items"], found.json["smallest"]["n_raters"]) == (200, 2)
    assert "smallest study for power 0.8: 400 ratings (200 images, 2 per image)" in run(*asked).out
    assert "none of these sizes reaches power 0.999" in run(*asked[:-1], "0.999").out


@pytest.fixture
def pilot(tmp_path):
    """Twenty images, two systems, two raters; a is better by 1 everywhere but for a rater's half point."""
    path = tmp_path / "pilot.jsonl"
    rows = [
        {
            "image": str(i),
            "system": system,
            "rater": rater,
            "rating": i % 4 + better * (1 + 0.5 * (-1) ** i * sign),
        }
        for i in range(20)
        for system, better in (("a", 1), ("b", 0))
        for rater, sign in (("x", 1), ("y", -1))
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_a_pilot_of_two_systems(run, pilot) -> None:
    found = run(
        "judgments", "plan", pilot, "--system", "a", "--minus", "b", "--images", "20,80", "--format", "json"
    )
    assert found.json["mean"] == pytest.approx(1.0)
    # a less b is 1.5 and 0.5 of every image: the residual's variance is 0.5, the images' none.
    assert found.json["sd"]["items"] == 0.0
    assert found.json["sd"]["residuals"] == pytest.approx(math.sqrt(0.5))
    alone = run("judgments", "plan", pilot, "--system", "b", "--format", "json").json
    assert alone["mean"] == pytest.approx(1.5)  # 0, 1, 2, 3 in turn
    assert alone["sd"]["residuals"] == 0.0


def test_sd_by_number_of_images(run, pilot) -> None:
    """Ratings of b are 0, 1, 2, 3 in turn: SD sqrt(1.25), of a mean over n images that / sqrt(n)."""
    asked = [
        "judgments",
        "plan",
        pilot,
        "--system",
        "b",
        "--images",
        "5,20,80",
        "--raters",
        "1",
        "--simulations",
        4000,
    ]
    for one in run(*asked, "--format", "json").json["sd_by_images"]:
        assert one["sd"] == pytest.approx(math.sqrt(1.25 / one["n_items"]), rel=0.05)
    assert "SD of the mean by number of images" in " ".join(run(*asked).out.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["judgments", "plan"], "there is no pilot"),
        (["judgments", "plan", "--sd-images", "1", "--sd-raters", "1", "--images", "many"], "--images"),
        (["judgments", "plan", "--sd-images", "1", "--sd-raters", "1", "--images", "1"], "from 2"),
        (
            ["judgments", "plan", "--sd-images", "1", "--sd-raters", "1", "--images", "100000000000"],
            "to 100,000",
        ),
        (
            ["judgments", "plan", "--sd-images", "1", "--sd-raters", "1", "--raters", "100000000000"],
            "to 100,000",
        ),
        (["judgments", "plan", "--sd-images", "1", "--sd-raters", "1", "--mean", "nan"], "--mean"),
        (["judgments", "plan", "--sd-images", "1e308", "--sd-raters", "1"], "--sd-images"),
        (["judgments", "plan", "--sd-images", "1", "--sd-raters", "nan"], "--sd-raters"),
        (["judgments", "plan", "nothing.csv"], "nothing.csv"),
    ],
)
def test_what_cannot_be_planned_is_one_line(run, arguments, said) -> None:
    found = run(*arguments)
    assert found.code == 2
    assert said in found.err
    assert len(found.err.strip().splitlines()) == 1


def test_unknown_systems_are_named(run, pilot) -> None:
    assert 'unknown system "c"' in run("judgments", "plan", pilot, "--system", "c").err
    assert "Give --system too" in run("judgments", "plan", pilot, "--minus", "b").err
