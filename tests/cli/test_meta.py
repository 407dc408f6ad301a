from __future__ import annotations

import csv
import io
import json

import pytest

ROWS = [
    {
        "image": image,
        "system": system,
        "caption": caption,
        "references": [reference],
        "rating": rating,
        "rater": "r1",
    }
    for image, reference, captions in (
        ("1", "A dog runs on grass.", (("A", "A dog runs.", 5), ("B", "A cat.", 1))),
        ("2", "Two dogs play.", (("A", "Two dogs.", 4), ("B", "A bus on a street.", 1))),
        ("3", "A man on a horse.", (("A", "A man rides a horse.", 5), ("B", "A man.", 3))),
    )
    for system, caption, rating in captions
]


@pytest.fixture
def judgments(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_flickr8k_expert_as_json(run, data) -> None:
    found = run(
        "meta",
        "flickr8k-expert",
        "--data",
        data,
        "--metrics",
        "rouge_l,cider",
        "--resamples",
        100,
        "--format",
        "json",
    )
    assert found.code == 0
    assert found.json["benchmark"] == "flickr8k-expert"
    assert found.json["n"] == 16_992
    assert found.json["protocol"]["ratings"] == "each"
    cider = found.json["results"]["cider"]["kendall_c"]
    assert round(cider["value"], 3) == 0.439
    assert cider["low"] < cider["value"] < cider["high"]
    assert found.json["signatures"]["cider"].startswith("cider|refs:5|tok:ptb|df:corpus:5664")


def test_judgments_without_references_hear_where_to_put_them(run, tmp_path) -> None:
    path = tmp_path / "bare.jsonl"
    bare = [{name: value for name, value in row.items() if name != "references"} for row in ROWS]
    path.write_text("".join(json.dumps(row) + "\n" for row in bare))
    found = run("meta", path, "--metrics", "bleu1")
    assert found.code == 2
    assert "bare.jsonl has no references, but bleu1 needs them. Add a column `references`" in found.err


def test_the_protocol_is_printed_before_the_result(run, judgments) -> None:
    found = run("meta", judgments, "--metrics", "rouge_l,bleu1", "--resamples", 50)
    assert found.code == 0
    assert found.out.index("protocol") < found.out.index("coefficients") < found.out.index("metric,")
    assert "metric, n = 6" in found.out
    assert "rouge_l|refs:1|tok:ptb" in found.out


def test_csv_is_one_long_table(run, judgments) -> None:
    found = run("meta", judgments, "--metrics", "rouge_l", "--resamples", 0, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(found.out)))
    assert [row["coefficient"] for row in rows] == ["kendall_c", "kendall_b", "pearson", "spearman"]
    assert {row["metric"] for row in rows} == {"rouge_l"} and rows[0]["n"] == "6"


@pytest.mark.parametrize(("form", "mark"), [("latex", "% protocol mine.jsonl"), ("markdown", "|---|")])
def test_other_formats(run, judgments, form, mark) -> None:
    found = run("meta", judgments, "--metrics", "rouge_l", "--resamples", 0, "--format", form)
    assert found.code == 0 and mark in found.out


def test_scores_from_elsewhere_beside_ours(run, judgments, tmp_path) -> None:
    path = tmp_path / "theirs.csv"
    lines = [f"{row['system']},{row['image']},oracle,{row['rating']}" for row in ROWS]
    path.write_text("system,id,metric,score\n" + "\n".join(lines) + "\n")
    found = run(
        "meta",
        judgments,
        "--metrics",
        "rouge_l,oracle",
        "--scores",
        path,
        "--compare",
        "--resamples",
        50,
        "--format",
        "json",
    )
    assert list(found.json["results"]) == ["rouge_l", "oracle"]
    assert found.json["results"]["oracle"]["pearson"]["value"] == pytest.approx(1.0)
    assert {pair["coefficient"] for pair in found.json["comparisons"]} >= {"pearson", "kendall_c"}


def test_only_scores_from_elsewhere(run, data, golden) -> None:
    found = run(
        "meta",
        "thumb",
        "--data",
        data,
        "--scores",
        golden / "thumb" / "scores_by_others.csv.gz",
        "--metrics",
        "CLIPS",
        "--aspect",
        "precision,recall,total",
        "--coefficient",
        "pearson",
        "--resamples",
        0,
        "--format",
        "json",
    )
    values = [
        round(found.json["aspects"][aspect]["CLIPS"]["pearson"]["value"], 2)
        for aspect in ("precision", "recall", "total")
    ]
    # Kasai et al. 2022, Table 4, CLIP-S without Human.
    assert values == [0.18, 0.27, 0.32]


def test_aspects_stand_side_by_side_as_in_the_paper(run, data) -> None:
    found = run(
        "meta",
        "thumb",
        "--data",
        data,
        "--metrics",
        "cider",
        "--resamples",
        0,
        "--aspect",
        "precision,recall,total",
        "--coefficient",
        "pearson",
    )
    row = next(line for line in found.out.splitlines() if line.strip().startswith("cider "))
    # Kasai et al. 2022, Table 4, CIDEr without Human: .27 .18 .33.
    assert [round(float(cell) / 100, 2) for cell in row.split()[1:]] == [0.27, 0.18, 0.33]


def test_thumb_with_human_tells_of_the_leak(run, data) -> None:
    found = run(
        "meta",
        "thumb",
        "--data",
        data,
        "--human",
        "with",
        "--leaked",
        "drop",
        "--metrics",
        "rouge_l",
        "--coefficient",
        "pearson",
        "--resamples",
        0,
        "--format",
        "json",
    )
    assert found.json["n"] == 2500
    assert found.json["protocol"]["options"] == {"human": "with", "leaked": "drop"}
    assert "39 Human captions" in found.err


def test_objects_leave_out_what_they_do_not_name(run, judgments, tmp_path) -> None:
    path = tmp_path / "objects.json"
    path.write_text(json.dumps({"1": ["dog"], "3": ["person", "horse"]}))
    found = run(
        "meta",
        judgments,
        "--objects",
        path,
        "--resamples",
        0,
        "--format",
        "json",
        "--metrics",
        "vcr_precision,rouge_l",
    )
    assert found.code == 0
    assert found.json["n"] == 4
    assert found.json["protocol"]["options"]["objects"].startswith("objects.json:")
    assert "2 examples of 1 images that are not in objects.json" in found.err
    assert {value["kendall_c"]["n"] for value in found.json["results"].values()} == {4}


def test_reference_count_is_in_protocol_and_signature(run, tmp_path) -> None:
    path = tmp_path / "two.jsonl"
    rows = [row | {"references": [*row["references"], "An animal."]} for row in ROWS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    one, all_of_them = (
        run("meta", path, *count, "--metrics", "rouge_l", "--resamples", 0, "--format", "json").json
        for count in (("--reference-count", 1), ())
    )
    assert one["signatures"]["rouge_l"].startswith("rouge_l|refs:1|")
    assert all_of_them["signatures"]["rouge_l"].startswith("rouge_l|refs:2|")
    assert one["protocol"]["references"] == "the first 1 of: all in the data"


def test_photographs_from_a_folder(run, judgments, tmp_path) -> None:
    (tmp_path / "photographs").mkdir()
    for name in ("1.jpg", "2.jpg"):
        (tmp_path / "photographs" / name).write_bytes(b"")
    found = run(
        "meta", judgments, "--images", tmp_path / "photographs", "--resamples", 0, "--metrics", "rouge_l"
    )
    assert "metric, n = 4" in found.out and "images=photographs" in found.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["flickr8k-expret"], 'Did you mean "flickr8k-expert"?'),
        (["none.jsonl"], "none.jsonl: there is no such file"),
        (["thumb", "--human", "maybe"], 'unknown --human "maybe"'),
        (["nebula", "--human", "with"], "--human is an option of thumb"),
        (["thumb", "--data", "nowhere"], "nowhere: there is no such folder"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(run, arguments, said) -> None:
    found = run("meta", *arguments, "--metrics", "rouge_l")
    assert found.code == 2 and found.out == ""
    assert said in found.err and found.err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--metrics", "cidr"], 'Did you mean "cider"?'),
        (["--aspect", "recall"], 'unknown aspect "recall"'),
        (["--coefficient", "tau"], 'unknown coefficient "tau"'),
        (["--level", "corpus"], 'unknown level "corpus"'),
        (["--interval", "bayes"], 'unknown interval "bayes"'),
        (["--scores", "none.csv"], "none.csv: there is no such file"),
        (["--objects", "none.json"], "none.json: there is no such file"),
        (["--images", "nowhere"], "nowhere: there is no such folder"),
        (["--metrics", "vifidel"], "Give them with --objects FILE"),
    ],
)
def test_bad_options_are_one_line_and_exit_2(run, judgments, options, said) -> None:
    more = [] if "--metrics" in options else ["--metrics", "rouge_l"]
    found = run("meta", judgments, *options, *more)
    assert found.code == 2
    assert said in found.err and found.err.count("\n") == 1


def test_missing_benchmark_files_are_named(run, tmp_path) -> None:
    found = run("meta", "nebula", "--data", tmp_path, "--metrics", "rouge_l")
    assert found.code == 2
    assert "nebula_test.json: there is no such file" in found.err


def test_where_and_by_on_the_command_line(run, tmp_path) -> None:
    path = tmp_path / "mine.csv"
    lines = ["image,caption,references,rating,split"]
    for split, ratings in (("test", (1, 2, 3)), ("dev", (3, 2, 1))):
        for words, rating in zip(("cat", "cat sits", "cat sits down"), ratings, strict=True):
            lines.append(f'{split}{words},{words},"[""cat sits down""]",{rating},{split}')
    path.write_text("\n".join(lines))
    asked = ["meta", path, "--metrics", "rouge_l", "--coefficient", "kendall_b", "--resamples", 0]
    found = run(*asked, "--by", "split", "--format", "json")
    assert found.code == 0, found.err
    by = found.json["by"]
    assert by["test"]["results"]["rouge_l"]["kendall_b"]["value"] == pytest.approx(1)
    assert by["dev"]["results"]["rouge_l"]["kendall_b"]["value"] == pytest.approx(-1)
    assert "by split" in run(*asked, "--by", "split").out
    only = run(*asked, "--where", "split=dev", "--format", "json")
    assert only.json["n"] == 3
    assert only.json["protocol"]["options"] == {"where": "split=dev"}


def test_the_order_of_systems_by_spearman(run, tmp_path) -> None:
    """VCRScore, Figure 9: how a metric ranks systems beside how people do."""
    path = tmp_path / "mine.csv"
    # People: a 3, b 2, c 1. ROUGE-L: a is all of the reference, c more of it than b.
    captions = {"a": ("cat sits down", 3), "b": ("cat", 2), "c": ("cat sits", 1)}
    rows = [
        f'{image},{system},{text},"[""cat sits down""]",{rating}'
        for image in (1, 2)
        for system, (text, rating) in captions.items()
    ]
    path.write_text("\n".join(["image,system,caption,references,rating", *rows]))
    asked = ["--level", "system", "--coefficient", "spearman", "--resamples", 0, "--format", "json"]
    found = run("meta", path, "--metrics", "rouge_l", *asked)
    # Ranks 3 2 1 and 3 1 2: 1 - 6 (0 + 1 + 1) / (3 x 8) = 1/2.
    assert found.json["results"]["rouge_l"]["spearman"]["value"] == pytest.approx(0.5)


def test_findings_of_metrics_against_those_of_raters(run, tmp_path):
    text = "image,caption,start,end,kind,source\n"
    (tmp_path / "gold.csv").write_text(f"{text}1,A red dog.,2,5,attribute,ann\n2,A cat.,,,,ann\n")
    (tmp_path / "mine.csv").write_text(f"{text}1,A red dog.,4,9,object,mine\n2,A cat.,2,5,object,mine\n")
    found = run("meta", tmp_path / "gold.csv", "--scores", tmp_path / "mine.csv", "--resamples", 0)
    assert found.code == 0
    assert "share of the metric's findings that touch a rater's span" in found.out
    found = run(
        "meta", tmp_path / "gold.csv", "--scores", tmp_path / "mine.csv", "--resamples", 0, "--format", "json"
    )
    values = found.json["results"]["mine"]
    assert (values["precision"]["value"], values["recall"]["value"]) == (0.5, 1)
    latex = run("meta", tmp_path / "gold.csv", "--scores", tmp_path / "mine.csv", "--format", "latex")
    assert latex.code == 0
