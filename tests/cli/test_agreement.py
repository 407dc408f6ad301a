from __future__ import annotations

import pytest

LONG = "image,caption,rater,rating\n" + "".join(
    f"{image},A caption of {image}.,{rater},{value}\n"
    for image, values in (("1", (1, 1, 2)), ("2", (4, 5, 5)), ("3", (3, 3, 3)), ("4", (2, 1, 1)))
    for rater, value in zip(("ann", "bob", "cat"), values, strict=True)
)


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(LONG)
    return path


def test_flickr8k_experts(run, data) -> None:
    found = run(
        "judgments",
        "agreement",
        data / "flickr8k" / "ExpertAnnotations.txt",
        "--virtual-raters",
        "--scale",
        "1-4",
        "--resamples",
        100,
        "--format",
        "json",
    )
    assert found.code == 0
    values = {name: round(v["value"], 3) for name, v in found.json["coefficients"].items()}
    assert values["fleiss_kappa"] == 0.517
    assert (values["alpha_nominal"], values["alpha_ordinal"]) == (0.517, 0.694)
    assert values["kendall_w"] == 0.856
    alpha = found.json["coefficients"]["alpha_ordinal"]
    assert alpha["low"] < alpha["value"] < alpha["high"]
    assert found.json["virtual_raters"]["runs"] == 20


def test_the_table(run, ratings) -> None:
    found = run("judgments", "agreement", ratings, "--merge", "4=5", "--resamples", 50)
    assert found.code == 0
    for text in ("Fleiss' kappa, merged", "alpha, ordinal", "Kendall's W", "ann - bob", "left out"):
        assert text in found.out
    assert "12 ratings of 4 items, 3 raters" in found.out


def test_csv_holds_the_coefficients_only(run, ratings) -> None:
    found = run("judgments", "agreement", ratings, "--resamples", 0, "--format", "csv")
    assert found.out.splitlines()[0].startswith("coefficient,value,low 95%")
    assert "ann" not in found.out


def test_stages(run, tmp_path) -> None:
    path = tmp_path / "stages.csv"
    lines = LONG.splitlines()
    rows = [f"{line},{stage}" for stage in (1, 2) for line in lines[1:]]
    path.write_text("\n".join([f"{lines[0]},stage", *rows]) + "\n")
    found = run("judgments", "agreement", path, "--resamples", 0, "--format", "json")
    assert found.json["stages"]["names"] == ["1", "2"]
    # The second stage repeats the first.
    assert found.json["stages"]["raters"]["ann"]["alpha"]["value"] == 1.0
    shown = run("judgments", "agreement", path, "--resamples", 0).out
    assert "test-retest" in shown
    # Three raters who came twice are three.
    assert shown.startswith("overall: 24 ratings of 4 items, 3 raters in 2 stages")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--scale", "1-4"], "is 5, outside the scale 1 to 4"),
        (["--scale", "low"], '--scale: "low" is not a scale'),
        (["--scale", "5-1"], '--scale: "5-1" is not a scale'),
        (["--merge", "4"], '--merge: "4" is not a pair'),
        (["--aspect", "recall"], 'unknown aspect "recall"'),
    ],
)
def test_bad_options(run, ratings, options, said) -> None:
    found = run("judgments", "agreement", ratings, *options)
    assert found.code == 2
    assert said in found.err and found.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("image,caption,rater,rating\n1,A dog.,ann,3\n2,A cat.,ann,4\n", "has only one rater"),
        ("image,caption,rater,rating\n1,A dog.,ann,good\n", "good"),
        ("image,caption,rater,rating\n1,A dog.,ann,nan\n", "nan"),
        (LONG + "1,A caption of 1.,ann,4\n", 'rater "ann" rates a caption of image "1" twice'),
    ],
)
def test_bad_ratings(run, tmp_path, text, said) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(text)
    found = run("judgments", "agreement", path)
    assert found.code == 2
    assert said in found.err and found.err.count("\n") == 1


def test_constant_ratings_say_why_there_is_no_value(run, tmp_path) -> None:
    path = tmp_path / "ratings.csv"
    rows = [f"{i},A dog {i}.,{rater},3" for i in range(3) for rater in ("ann", "bob")]
    path.write_text("image,caption,rater,rating\n" + "\n".join(rows) + "\n")
    found = run("judgments", "agreement", path, "--resamples", 0, "--format", "json")
    assert found.code == 0
    alpha = found.json["coefficients"]["alpha_ordinal"]
    assert alpha["value"] is None and "all ratings are equal" in alpha["reason"]


def test_an_image_with_its_own_caption_can_be_left_out(run, data) -> None:
    """Scott et al. 2023, Table 3, column Flickr8k: 47.7 54.8 54.0, W 84.0, kappa 48.8."""
    path = data / "flickr8k" / "ExpertAnnotations.txt"
    asked = [
        "judgments",
        "agreement",
        path,
        "--virtual-raters",
        "--merge",
        "4=5",
        "--resamples",
        0,
        "--format",
        "json",
    ]
    found = run(*asked, "--own", "drop")
    virtual = found.json["virtual_raters"]
    assert found.json["items"] == 5664
    assert [round(100 * tau["mean"], 1) for tau in virtual["tau"]] == [47.7, 54.8, 54.0]
    assert round(100 * virtual["w"]["mean"], 1) == 84.0
    assert round(100 * virtual["kappa"]["mean"], 1) == 48.8
    assert "158" not in found.err
    kept = run(*asked)
    assert kept.json["items"] == 5822
    assert "158 of 5,822 items are an image with one of its own captions" in kept.err


def test_own_is_keep_or_drop(run, ratings) -> None:
    found = run("judgments", "agreement", ratings, "--own", "maybe")
    assert found.code == 2
    assert "maybe" in found.err
    assert run("judgments", "agreement", ratings, "--own", "drop", "--resamples", 0).code == 0


def test_a_file_of_findings_is_recognised(run, tmp_path):
    path = tmp_path / "findings.csv"
    path.write_text(
        "image,system,caption,start,end,kind,severity,source\n"
        "1,m,A red dog.,2,5,attribute,major,ann\n1,m,A red dog.,2,9,object,minor,bob\n"
        "2,m,A cat.,,,,,ann\n2,m,A cat.,,,,,bob\n"
    )
    found = run("judgments", "agreement", path, "--resamples", 50, "--format", "json")
    assert found.code == 0
    # Of 3 and 7 characters 3 are shared; MQM: -5 and -1 for the dog, 0 and 0 for the cat.
    assert found.json["coefficients"]["character_f1"]["value"] == pytest.approx(0.6)
    assert found.json["kinds"].keys() == {"attribute", "object"}
    assert [rater["score"] for rater in found.json["raters"]] == [-2.5, -0.5]
    heavy = run(
        "judgments",
        "agreement",
        path,
        "--weights",
        "minor=1,major=9",
        "--kind",
        "attribute",
        "--format",
        "json",
    )
    assert [rater["score"] for rater in heavy.json["raters"]] == [-4.5, 0]
    for option, says in (
        (("--merge", "4=5"), "--merge is for ratings"),
        (("--kind", "colour"), '"colour"'),
        (("--weights", "minor"), "--weights"),
    ):
        refused = run("judgments", "agreement", path, *option)
        assert refused.code == 2
        assert says in refused.err


def test_options_of_findings_are_refused_for_ratings(run, ratings):
    found = run("judgments", "agreement", ratings, "--kind", "object")
    assert found.code == 2
    assert "--kind is for findings" in found.err
