from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from captious.corpus.judged import load_judgments, read_judgments
from captious.errors import CaptiousWarning, InputError


def test_rows(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(
        '{"image": 1, "caption": "A dog.", "references": ["Dog."], "rating": 4, "rater": "r1"}\n'
        '{"image": 1, "caption": "A cat.", "references": ["Dog."], "rating": 1, "rater": "r1"}\n'
        '{"image": 1, "caption": "A dog.", "references": ["Dog."], "rating": "5", "rater": "r2"}\n'
    )
    judgments, corpus = read_judgments(file)
    assert corpus is not None
    assert corpus.captions == ["A dog.", "A cat."]
    assert judgments.keys == [("1", "1"), ("1", "2")]
    assert judgments.places_in(corpus).tolist() == [0, 1]
    np.testing.assert_array_equal(judgments.matrix(), [[4, 5], [1, np.nan]])


def test_long_table_with_aspects(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(
        "image,system,caption,aspect,rating,stage,time\n"
        "1,a,A dog.,precision,5,first,12.5\n1,a,A dog.,recall,3,first,\n"
    )
    judgments, _ = read_judgments(file)
    assert judgments.aspects == ["precision", "recall"]
    assert judgments.values.tolist() == [5, 3]
    assert judgments.stages == ["first"]
    np.testing.assert_array_equal(judgments.times, [12.5, np.nan])


def test_thumb(data: Path) -> None:
    folder = data / "thumb"
    judgments, corpus = read_judgments(
        folder / "mscoco_THumB-1.0.jsonl", references=folder / "mscoco_references.jsonl"
    )
    assert corpus is not None
    assert (len(corpus), len(corpus.image_ids), set(corpus.reference_counts)) == (2_500, 500, {4})
    assert judgments.places_in(corpus).tolist() == list(range(2_500))
    # Kasai et al. (2022), table 2: mean precision, recall and total of each system.
    published = {
        "Up-Down": (4.29, 3.50, 3.88),
        "Unified-VLP": (4.35, 3.77, 4.06),
        "VinVL-base": (4.47, 3.95, 4.21),
        "VinVL-large": (4.54, 3.97, 4.25),
        "Human": (4.82, 4.35, 4.56),
    }
    found = {
        system: tuple(
            round(float(judgments.means(aspect)[corpus.rows_of(system)].mean()), 2)
            for aspect in ("precision", "recall", "total")
        )
        for system in corpus.systems
    }
    assert found == published


def test_flickr8k_expert(data: Path) -> None:
    folder = data / "flickr8k"
    judgments, corpus = read_judgments(
        folder / "ExpertAnnotations.txt", references=folder / "Flickr8k.token.txt"
    )
    assert corpus is not None
    assert (len(judgments), len(corpus), len(corpus.image_ids)) == (17_466, 5_822, 1_000)
    assert judgments.keys[0] == ("1056338697_4f7d7ce270.jpg", "2549968784_39bfbe44f9.jpg#2")
    assert corpus.captions[0].startswith("A young child is wearing blue goggles")
    assert len(corpus.example(0).references) == 5
    # 5,664 pairs and 16,992 ratings remain without the captions of the photograph itself.
    own = [system.startswith(f"{image}#") for image, system in judgments.keys]
    assert 5_822 - sum(own) == 5_664


def test_crowdflower(data: Path) -> None:
    judgments, corpus = read_judgments(data / "formats" / "CrowdFlowerAnnotations.head.txt")
    assert corpus is None
    assert judgments.means("overall")[0] == 1
    assert (judgments.means("yes")[0], judgments.means("no")[0]) == (3, 0)


def test_vicr(data: Path) -> None:
    judgments, corpus = read_judgments(data / "vicr_sample" / "VICR_Sample250.csv")
    assert corpus is not None
    assert (len(judgments), len(corpus)) == (1_118, 249)
    assert judgments.matrix()[0, :4].tolist() == [4, 3, 4, 3]


def test_references_by_another_spelling(data: Path) -> None:
    judgments, corpus = read_judgments(
        data / "capeval1k" / "capeval1k.jsonl", references=data / "coco_karpathy" / "reference_captions.json"
    )
    assert corpus is not None
    assert len(judgments) == len(corpus) == 1_000
    assert judgments.values[0] == 0.6
    assert corpus.example(0).references[1] == "A young girl is preparing to blow out her candle."


def test_null_means_not_rated_and_is_left_out_with_a_note(tmp_path: Path) -> None:
    row = '{{"image": {}, "caption": "A dog.", "rating": {}}}\n'
    file = tmp_path / "mine.jsonl"
    file.write_text(row.format(1, "NaN") + row.format(2, 3))
    with pytest.raises(InputError, match=r"line 1, column \d+: NaN is not JSON\. Write null"):
        read_judgments(file)
    file.write_text(row.format(1, "null") + row.format(2, 3) + row.format(3, "null") + row.format(4, 5))
    with pytest.warns(CaptiousWarning, match=r"2 of 4 rows have no rating and are left out\.$"):
        judgments, corpus = read_judgments(file)
    assert judgments.keys == [("2", "mine"), ("4", "mine")]
    assert judgments.values.tolist() == [3, 5]
    assert corpus is not None and corpus.image_ids == ["2", "4"]


def test_an_empty_cell_of_a_table_means_not_rated(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("image,caption,rating\n1,A dog.,4\n2,A cat.,\n")
    with pytest.warns(CaptiousWarning, match="1 of 2 rows have no rating"):
        assert read_judgments(file).judgments.values.tolist() == [4]


def test_a_matrix_is_a_row_for_each_image_and_a_column_for_each_rater() -> None:
    rated = [[1.0, 2.0], [3.0, math.nan], [5.0, 4.0]]
    frame = pd.DataFrame(rated, index=["x", "y", "z"], columns=["ann", "bob"])
    for given in (rated, np.array(rated), iter(rated), [[1, 2], [3, None], [5, 4]]):
        found = load_judgments(given)
        assert (found.raters, found.values.tolist()) == (["rater 1", "rater 2"], [1, 2, 3, 5, 4])
    found = load_judgments(frame)
    assert (found.raters, [image for image, _ in found.keys]) == (["ann", "bob"], ["x", "y", "z"])
    assert np.array_equal(found.matrix(), np.array(rated), equal_nan=True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([[1, 2], [3]], "a matrix must have only numbers, equally many in each row"),
        ([["good", "bad"]], "a matrix must have only numbers"),
        ([[None, None]], "the matrix contains no rating"),
        (None, "judgments: found NoneType. Give a file, a data frame, or rows as dicts."),
        (["a.csv", "b.csv"], "a.csv: there is no such file"),
        (
            [{"image": "1", "captions": [["A", "A dog."]], "stage": "first", "target": 2, "form": 1}],
            "lists the items of a campaign, without ratings. Give judgments.jsonl",
        ),
    ],
)
def test_what_is_no_judgments_is_said(given: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        load_judgments(given)
    assert said in str(caught.value)


def test_rows_columns_and_what_was_written_out_come_back(tmp_path: Path) -> None:
    rows = [{"image": "7", "rater": who, "rating": value} for who, value in (("ann", 4), ("bob", 2))]
    (tmp_path / "rated.json").write_text(json.dumps(rows))
    expected = load_judgments(rows)
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    for given in (iter(rows), columns, expected.to_pandas(), tmp_path / "rated.json"):
        found = load_judgments(given)
        assert (found.values.tolist(), found.raters) == ([4.0, 2.0], ["ann", "bob"])
    with pytest.raises(InputError, match=r"2 files or tables were given\. Give one with all rows"):
        load_judgments([tmp_path / "rated.json", tmp_path / "rated.json"])
