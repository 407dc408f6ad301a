from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pandas as pd
import pytest

from captious import load_corpus, meta, score
from captious.benchmarks.meta_evaluation.evaluate import evaluate
from captious.benchmarks.meta_evaluation.result import MetaSettings
from captious.benchmarks.meta_evaluation.score_files import read_scores
from captious.errors import InputError, UnknownNameError

KEYS = [("A", "1"), ("B", "1"), ("A", "2"), ("B", "2"), ("A", "3"), ("B", "3")]
VALUES = [0.9, 0.2, 0.8, 0.1, 0.4, 0.7]


def _pearson(data, scores, aspect):
    settings = MetaSettings(aspect=aspect, coefficients=("pearson",), resamples=0)
    return {
        name: round(found["pearson"].value, 2)
        for name, found in evaluate(data, scores, settings).results.items()
    }


def _long(path, rows, header="system,id,metric,score"):
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def _rows(name="m"):
    return [(system, i, name, value) for (system, i), value in zip(KEYS, VALUES, strict=True)]


def test_published_clip_s_from_scores_by_others(thumb, golden) -> None:
    scores = read_scores(golden / "thumb" / "scores_by_others.csv.gz", thumb, ["CLIPS"])
    # Kasai et al. 2022, Table 4, CLIP-S without Human.
    found = [_pearson(thumb, scores, a)["CLIPS"] for a in ("precision", "recall", "total")]
    assert found == [0.18, 0.27, 0.32]


def test_published_spice_from_its_own_program(thumb, expert, golden) -> None:
    # Kasai et al. 2022, Table 4, SPICE; Hessel et al. 2021, Flickr8k-Expert: 44.9.
    # The file holds Human too: scores that no example asks for do no harm.
    scores = read_scores(golden / "spice" / "thumb.jsonl.gz", thumb, ["f"])
    found = [_pearson(thumb, scores, a)["f"] for a in ("precision", "recall", "total")]
    assert found == [0.26, 0.15, 0.30]
    spice = read_scores(golden / "spice" / "flickr8k_expert.jsonl.gz", expert, ["f"])
    settings = MetaSettings(coefficients=("kendall_c",), resamples=0)
    value = evaluate(expert, spice, settings).results["f"]["kendall_c"].value
    assert round(100 * value, 1) == 44.9


@pytest.mark.parametrize("form", ["long.csv", "wide.csv", "wide.jsonl", "wide.tsv", "long.csv.gz"])
def test_every_form_gives_the_same_scores(tmp_path, small, form) -> None:
    path = tmp_path / form
    wide = [{"system": s, "id": i, "m": v} for (s, i), v in zip(KEYS, VALUES, strict=True)]
    if "wide.jsonl" in form:
        path.write_text("".join(json.dumps(row) + "\n" for row in wide))
    elif "wide" in form:
        with path.open("w", newline="") as file:
            delimiter = "\t" if "tsv" in form else ","
            writer = csv.DictWriter(file, ["system", "id", "m"], delimiter=delimiter)
            writer.writeheader()
            writer.writerows(wide)
    else:
        _long(path, _rows())
        if form.endswith(".gz"):
            path.write_bytes(gzip.compress(path.read_bytes()))
    found = read_scores(path, small)
    assert found.arrays["m"].tolist() == [VALUES]
    assert found.signatures["m"] == f"m|from:{form}"


def test_parquet(tmp_path, small) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path = tmp_path / "scores.parquet"
    systems, ids = zip(*KEYS, strict=True)
    pandas.DataFrame({"system": systems, "id": ids, "m": VALUES}).to_parquet(path)
    assert read_scores(path, small).arrays["m"].tolist() == [VALUES]


def test_captions_and_texts_are_no_scores(tmp_path, small) -> None:
    rows = [(s, i, "a dog", "x", v) for (s, i), v in zip(KEYS, VALUES, strict=True)]
    found = read_scores(_long(tmp_path / "s.csv", rows, "system,id,caption,comment,m"), small)
    assert list(found.arrays) == ["m"]


def test_order_does_not_matter_and_more_ids_do_no_harm(tmp_path, small) -> None:
    rows = [*reversed(_rows()), ("C", "9", "m", 5)]
    assert read_scores(_long(tmp_path / "s.csv", rows), small).arrays["m"].tolist() == [VALUES]


def test_coco_file_names_meet_numbers(tmp_path, thumb) -> None:
    rows = [
        (key.split("|")[0], f"COCO_val2014_{int(key.split('|')[1]):012d}.jpg", "m", place)
        for place, key in enumerate(thumb.keys())
    ]
    found = read_scores(_long(tmp_path / "s.csv", rows), thumb)
    assert found.arrays["m"][0].tolist() == list(range(2000))


def test_our_own_judgment_as_a_score_correlates_perfectly(tmp_path, thumb) -> None:
    totals = thumb.judgments.means("total")
    rows = [(*key.split("|"), "m", value) for key, value in zip(thumb.keys(), totals, strict=True)]
    found = read_scores(_long(tmp_path / "s.csv", rows), thumb)
    assert _pearson(thumb, found, "total") == {"m": 1.0}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (_rows()[:-2], 'm has no score for 2 of 6 examples .*"A|3"'),
        ([*_rows(), ("A", "1", "m", 0.5)], 'row 7: a second score by m for "A|1"'),
        ([*_rows()[:-1], ("B", "3", "m", "high")], 'row 6: m is "high", not a finite number'),
        ([*_rows()[:-1], ("B", "3", "m", "nan")], 'row 6: m is "nan", not a finite number'),
        ([*_rows()[:-1], ("B", "3", "m", "")], 'row 6: m is "", not a finite number'),
        (
            [("A", "x", "m", 1), ("B", "y", "m", 2)],
            'no score for an example of small.*"A.x".*judged ones are "A.1"',
        ),
        ([("A", "", "m", 1)], 'row 1: "id" is missing'),
        ([("A", "1", "m")], "line 2: has 3 cells, the header has 4"),
    ],
)
def test_bad_scores(tmp_path, small, rows, said) -> None:
    with pytest.raises(InputError, match=said):
        read_scores(_long(tmp_path / "s.csv", rows), small)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("system,id,metric,score\n", "no rows"),
        ("name,m\nx,1\n", "no column is named id"),
        ("id,caption\n1,a dog\n", "no column contains scores"),
        ("id,m,n\n1,0.5,nan\n2,0.6,0.7\n", 'row 1: n is "nan", not a finite number'),
        ("id,m,n\n1,0.5,\n2,0.6,0.7\n", 'row 1: n is "", not a finite number'),
        ('{"id": 1, "m": 2}\n{oops\n', "line 2, column 2: not valid JSON"),
        ('{"id": 1, "m": 2}\n[1]\n', "line 2: is not an object"),
    ],
)
def test_bad_files(tmp_path, small, text, said) -> None:
    path = tmp_path / "s.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_scores(path, small)


def test_a_metric_that_is_not_in_the_file(tmp_path, small) -> None:
    with pytest.raises(UnknownNameError, match='unknown metric of the file of scores "n"'):
        read_scores(_long(tmp_path / "s.csv", _rows()), small, ["n"])


def test_captions_tell_examples_of_one_image_apart(tmp_path) -> None:
    """No system in either file: two captions of an image are told apart by their text."""
    from captious.benchmarks.datasets.own_file import load_own_file

    mine = tmp_path / "mine.csv"
    mine.write_text("image,caption,rating\n7.jpg,a dog,1\n7.jpg,a  cat,2\n8.jpg,a bus,3\n")
    theirs = tmp_path / "theirs.csv"
    theirs.write_text("image,caption,metric_x\n8,a bus,0.3\n7,a cat,0.2\n7,a dog,0.1\n")
    found = read_scores(theirs, load_own_file(mine))
    assert found.arrays["metric_x"].tolist() == [[0.1, 0.2, 0.3]]


def test_a_caption_column_is_not_needed_where_ids_do(tmp_path, small) -> None:
    from captious.benchmarks.datasets.own_file import load_own_file

    mine = tmp_path / "mine.csv"
    mine.write_text("image,caption,rating\n1,a dog,1\n2,a cat,2\n")
    theirs = tmp_path / "theirs.csv"
    theirs.write_text("id,caption,metric_x\n1,something else,0.1\n2,and more,0.2\n")
    assert read_scores(theirs, load_own_file(mine)).arrays["metric_x"].tolist() == [[0.1, 0.2]]


def test_scores_in_memory_are_judged_as_those_of_a_file(tmp_path: Path) -> None:
    """Somebody's own metric in a notebook: a frame, rows, columns, or what `score` gave."""
    rated = [
        {"image": str(n), "caption": text, "references": ["A dog runs."], "rating": rating}
        for n, (text, rating) in enumerate([("A dog.", 5), ("A cat.", 1), ("A dog runs.", 4), ("A hat.", 2)])
    ]
    columns = {"image_id": ["0", "1", "2", "3"], "mine": [0.9, 0.2, 0.7, 0.1]}
    frame = pd.DataFrame(columns)
    frame.to_csv(tmp_path / "mine.csv", index=False)
    settings = MetaSettings(coefficients=("pearson",), resamples=0)
    expected = meta(rated, scores=tmp_path / "mine.csv", settings=settings)["mine"]
    for given in (frame, columns, frame.to_dict("records"), iter(frame.to_dict("records"))):
        assert meta(rated, "mine", scores=given, settings=settings)["mine"] == expected
    ours = meta(rated, "rouge_l", settings=settings)["rouge_l"]
    again = score(load_corpus(rated), "rouge_l").to_pandas().rename(columns={"rouge_l": "theirs"})
    assert meta(rated, "theirs", scores=again.drop(columns="system"), settings=settings)["theirs"] == ours
    with pytest.raises(InputError, match=r"scores: found float\. Give a file, a data frame"):
        meta(rated, scores=0.5, settings=settings)
    with pytest.raises(InputError, match="scores: the columns have different lengths"):
        meta(rated, scores={"image_id": ["0"], "mine": [1, 2]}, settings=settings)
