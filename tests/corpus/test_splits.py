"""Splits are read as files of the field write them, and an image is in one part."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from captious.corpus.judged import read_judgments
from captious.corpus.splits import Split, find_split, hashed_part, hashed_split, read_split
from captious.errors import InputError


def test_a_hash_depends_on_the_image_alone_and_meets_the_shares() -> None:
    split = hashed_split(map(str, range(20_000)))
    counts = Counter(split.part_of.values())
    # Binomial: the standard deviations are 68, 52 and 57.
    assert abs(counts["train"] - 12_800) < 340
    assert abs(counts["validation"] - 3_200) < 260
    assert all(hashed_part(image) == part for image, part in list(split.part_of.items())[:100])
    assert hashed_part("train2014/COCO_train2014_000000000042.jpg") == split.part("42")


@pytest.mark.parametrize("column", ["split", "subset", "Part"])
@pytest.mark.parametrize("names", [("train", "val", "test"), ("Training", "dev", "testing")])
def test_the_words_of_the_field_are_understood(tmp_path: Path, column: str, names: tuple[str, ...]) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(f"image,caption,{column}\n" + "".join(f"{at},a dog,{n}\n" for at, n in enumerate(names)))
    assert dict(read_split(path).part_of) == {"0": "train", "1": "validation", "2": "test"}


@pytest.mark.parametrize("suffix", ["jsonl", "json"])
def test_json_too(tmp_path: Path, suffix: str) -> None:
    rows = [{"image_id": 7, "split": "test"}, {"image_id": 8, "split": "train"}]
    path = tmp_path / f"mine.{suffix}"
    path.write_text(json.dumps(rows) if suffix == "json" else "\n".join(map(json.dumps, rows)))
    assert read_split(path).images("test") == {"7"}


def test_a_row_without_part_is_refused_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"image": "1", "split": "test"}\n{"image": "2"}\n')
    with pytest.raises(InputError, match='line 2: the split is ""'):
        read_split(path)


def test_it_comes_back_as_it_was_written(tmp_path: Path) -> None:
    split = hashed_split(["a,b", "c\nd", "COCO_val2014_000000000042.jpg"])
    split.write(tmp_path / "split.csv")
    assert dict(read_split(tmp_path / "split.csv").part_of) == dict(split.part_of)


def test_a_column_of_other_values_is_no_split(tmp_path: Path) -> None:
    path = tmp_path / "composite.csv"
    path.write_text("image,caption,subset\n1,a dog,flickr8k\n2,a cat,coco\n")
    assert find_split(path) is None
    with pytest.raises(InputError, match="contains no split"):
        read_split(path)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("1,test\n2,\n", 'line 3: the part is "". Write train, validation or test'),
        ("1,test\n2,trian\n", 'the part is "trian"'),
        (
            "1,test\nCOCO_val2014_000000000001.jpg,train\n",
            "is in two parts: test at line 2 and train at line 3",
        ),
    ],
)
def test_what_is_no_part_is_refused_by_its_line(tmp_path: Path, rows: str, said: str) -> None:
    path = tmp_path / "split.csv"
    path.write_text("image,part\n" + rows)
    with pytest.raises(InputError) as error:
        read_split(path)
    assert said in str(error.value)


def test_the_authors_own_split_of_vicr(data: Path) -> None:
    split = find_split(data / "vicr_sample" / "VICR_Sample250.csv")
    assert split is not None
    # 161 train, 41 val and 47 test pairs, of 225 images; the two captions of an image are in one part.
    assert Counter(split.part_of.values()) == {"train": 146, "test": 45, "validation": 34}


def test_ratings_in_a_list_are_ratings_by_several_raters(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    rows = [
        {
            "image": "1",
            "caption": "a dog",
            "ratings": [5, 4, 4],
            "mean": 4.333333,
            "rating": 4,
            "split": "test",
        },
        {"image": "1", "caption": "a cat", "ratings": [1.0, 2.0], "mean": 1.5, "rating": 2, "split": "test"},
        {"image": "2", "caption": "a bus", "ratings": [3], "mean": 3, "rating": 3, "split": "train"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    judgments, corpus = read_judgments(path)
    assert corpus is not None and len(corpus) == 3
    assert sorted(judgments.values.tolist()) == [1, 2, 3, 4, 4, 5]
    assert judgments.raters == ["1", "2", "3"]
    path.write_text(json.dumps(rows[0] | {"ratings": []}))
    with pytest.raises(InputError, match='line 1: "ratings" is empty'):
        read_judgments(path)


def test_a_split_has_a_part_for_an_image_however_it_is_spelled() -> None:
    assert Split({"42": "test"}, "mine").part("0042.png") == "test"
