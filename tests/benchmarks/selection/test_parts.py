"""Parts of a file of judgments, by hand."""

from __future__ import annotations

import json

import pytest

from captious.benchmarks.datasets.own_file import load_own_file
from captious.benchmarks.meta_evaluation.evaluate import benchmark_scores, evaluate, evaluate_parts
from captious.benchmarks.meta_evaluation.result import MetaSettings
from captious.benchmarks.registry import load_benchmark
from captious.benchmarks.selection.parts import condition
from captious.errors import InputError, UnknownNameError

SETTINGS = MetaSettings(coefficients=("kendall_b",), resamples=0)


@pytest.fixture
def mine(tmp_path):
    """In the split test ratings rise with the length of the match, in dev they fall."""
    rows = []
    for split, ratings in (("test", (1, 2, 3)), ("dev", (3, 2, 1))):
        for words, rating in zip(("cat", "cat sits", "cat sits down"), ratings, strict=True):
            rows.append(
                {
                    "image": f"{split}{words}",
                    "caption": words,
                    "references": ["cat sits down"],
                    "rating": rating,
                    "split": split,
                    "year": 2020.0,
                }
            )
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def tau(data, scores) -> float:
    return evaluate(data, scores, SETTINGS).results["rouge_l"]["kendall_b"].value


def test_where_takes_rows_by_any_column(mine) -> None:
    for split, expected in (("test", 1.0), ("dev", -1.0)):
        data = load_own_file(mine, [f"split={split}", "year=2020"])
        assert len(data.corpus) == 3
        assert tau(data, benchmark_scores(data, ["rouge_l"])) == pytest.approx(expected)
        assert data.protocol.options == {"where": f"split={split} and year=2020"}
    whole = load_own_file(mine)
    assert tau(whole, benchmark_scores(whole, ["rouge_l"])) == pytest.approx(0.0)


def test_by_gives_the_result_of_each_value(mine) -> None:
    data = load_own_file(mine, by="split")
    found = evaluate_parts(data, benchmark_scores(data, ["rouge_l"]), "split", [], SETTINGS)
    assert {value: own[0].results["rouge_l"]["kendall_b"].value for value, own in found.items()} == {
        "test": pytest.approx(1.0),
        "dev": pytest.approx(-1.0),
    }
    assert [own[0].n for own in found.values()] == [3, 3]


def test_by_system_needs_no_column_of_its_own(small) -> None:
    found = evaluate_parts(small, benchmark_scores(small, ["rouge_l"]), "system", [], SETTINGS)
    assert {value: own[0].n for value, own in found.items()} == {"A": 6, "B": 6}  # two ratings of three


@pytest.mark.parametrize(
    ("where", "by", "said"),
    [
        (["split"], "", "COLUMN=VALUE"),
        (["split=train"], "", "Known values: dev, test"),
        (["splt=test"], "", 'unknown column "splt"'),
        ([], "splt", 'unknown column "splt"'),
    ],
)
def test_what_is_not_there_is_named(mine, where, by, said) -> None:
    with pytest.raises(InputError, match=said):
        load_own_file(mine, where, by)


def test_a_value_that_changes_within_a_caption_is_refused(tmp_path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("image,caption,rater,rating\n1,a dog,ann,3\n1,a dog,bob,4\n2,a cat,ann,1\n")
    with pytest.raises(InputError, match='has the values "ann" and "bob"'):
        load_own_file(path, by="rater")


def test_a_benchmark_has_no_columns(data) -> None:
    with pytest.raises(InputError, match="need your own file of judgments"):
        load_benchmark("nebula", data, where=["split=test"])
    with pytest.raises(UnknownNameError):
        load_benchmark("nebul", data, by="split")
    assert condition(" a = b ") == ("a", "b")


def test_the_same_caption_twice_is_said(tmp_path) -> None:
    rows = ["image,caption,rating", "1,a dog,1", "1,a dog,3", "2,a cat,5"]
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(rows))
    data = load_own_file(path)
    assert data.rows("overall")[1].tolist() == [2.0, 5.0]
    assert data.notes[0].startswith("1 of 3 ratings repeat an image and caption")
    # Where raters are named it is what one expects, and nothing is said.
    path.write_text("\n".join([rows[0] + ",rater", "1,a dog,1,x", "1,a dog,3,y", "2,a cat,5,x"]))
    assert load_own_file(path).notes == ()
