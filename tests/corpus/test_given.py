"""Captions and references as a notebook holds them, and what is said where they cannot be meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import captious
from captious import Corpus, load_corpus
from captious.errors import InputError

CAPTIONS = ["A dog.", "A cat."]
REFERENCES = [["A dog runs.", "The dog."], ["A cat sleeps."]]
COLUMNS = {"image_id": [7, 9], "caption": CAPTIONS, "references": REFERENCES}


def content(corpus: Corpus) -> list[tuple[str, list[str]]]:
    return [(one.caption, one.references) for one in corpus]


EXPECTED = list(zip(CAPTIONS, REFERENCES, strict=True))


class PolarsLike:
    """What a polars Series offers: `to_list`, entries that are Series, no truth value."""

    def __init__(self, cells: list[Any]) -> None:
        self.cells = cells

    def to_list(self) -> list[Any]:
        return self.cells

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Any:
        return iter(PolarsLike(cell) if isinstance(cell, list) else cell for cell in self.cells)

    def __bool__(self) -> bool:
        raise TypeError("the truth value of a Series is ambiguous")


@pytest.mark.parametrize(
    "hold",
    [
        list,
        tuple,
        pd.Series,
        pd.Index,
        PolarsLike,
        lambda cells: (cell for cell in cells),
        lambda cells: np.array(cells, dtype=object),
        pa.array,
        lambda cells: dict(enumerate(cells)).values(),
    ],
    ids=["list", "tuple", "series", "index", "polars", "generator", "array", "arrow", "values"],
)
def test_lists_of_any_kind_stand_side_by_side(hold: Any) -> None:
    found = load_corpus(hold(CAPTIONS), hold(REFERENCES))
    assert (content(found), found.image_ids) == (EXPECTED, ["0", "1"])
    assert content(Corpus.from_lists(hold(CAPTIONS), hold(REFERENCES))) == EXPECTED
    assert captious.compute(hold(CAPTIONS), hold(REFERENCES), "rouge_l") == {
        "rouge_l": captious.score(found, "rouge_l")["rouge_l"].score
    }


@pytest.mark.parametrize(
    "table",
    [
        COLUMNS,
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS).set_index("image_id"),
        pd.DataFrame({**COLUMNS, "references": [np.array(own) for own in REFERENCES]}),
        pa.table(COLUMNS),
        pa.table({"image": [7, 9], "alt": CAPTIONS, "refs": REFERENCES}),
        iter([dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]),
    ],
    ids=["dict of columns", "frame", "index", "arrays in cells", "arrow", "other names", "generator of rows"],
)
def test_tables_of_any_kind_keep_their_ids(table: Any) -> None:
    found = load_corpus(table)
    assert (content(found), found.image_ids) == (EXPECTED, ["7", "9"])


def test_a_table_without_ids_has_an_image_for_each_row() -> None:
    frame = pd.DataFrame(COLUMNS).drop(columns="image_id")
    assert load_corpus(frame).image_ids == ["0", "1"]
    assert content(load_corpus(frame[["caption"]], REFERENCES)) == EXPECTED
    with pytest.raises(InputError, match='row 1: "image_id" is missing'):
        load_corpus(frame.assign(system=["a", "b"]))  # the images of two systems must be the same
    with pytest.raises(InputError, match="references are given twice"):
        load_corpus(frame, REFERENCES)


def test_numbered_references_may_be_missing() -> None:
    frame = pd.DataFrame({"id": [7, 9], "caption": CAPTIONS, "reference_1": ["x", "y"]})
    frame = frame.assign(reference_2=["z", None])
    assert [own for _, own in content(load_corpus(frame))] == [["x", "z"], ["y"]]
    frame = frame.assign(reference_2=["z", float("nan")])
    assert [own for _, own in content(load_corpus(frame))] == [["x", "z"], ["y"]]


def test_systems_by_name_are_lists_or_files(tmp_path: Path) -> None:
    lists = load_corpus({"m2": CAPTIONS, "up-down": pd.Series(CAPTIONS)}, REFERENCES)
    assert (lists.systems, lists.image_ids) == (["m2", "up-down"], ["0", "1"])
    file = tmp_path / "results.json"
    file.write_text(json.dumps({"7": "A dog."}))
    for path in (file, str(file)):
        assert load_corpus({"m2": path, "m3": path}, {"7": ["A dog."]}).systems == ["m2", "m3"]


def test_a_list_of_texts_is_files_where_all_look_like_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"m2\.json: there is no such file"):
        load_corpus(["m2.json"], ["refs.json"])
    file = tmp_path / "results"
    file.write_text(json.dumps({"7": "A dog."}))
    assert load_corpus([str(file)]).captions == ["A dog."]
    assert load_corpus(["A dog.", "m2.json"]).captions == ["A dog.", "m2.json"]


def test_one_caption_in_a_list_is_that_caption() -> None:
    """As pycocoevalcap takes its candidates."""
    assert (
        content(load_corpus({7: ["A dog."], 9: ["A cat."]}, {7: REFERENCES[0], 9: REFERENCES[1]})) == EXPECTED
    )


def test_a_corpus_stays_as_it_is() -> None:
    corpus = Corpus.from_lists(CAPTIONS, REFERENCES)
    assert load_corpus(corpus) is corpus


@pytest.mark.parametrize(
    ("candidates", "references", "said"),
    [
        (
            REFERENCES,
            CAPTIONS,
            "found a list of lists, as references are. Were candidates and references swapped?",
        ),
        (CAPTIONS, REFERENCES[:1], "references has 1 entries for 2 captions; give one for each."),
        (
            dict(enumerate(CAPTIONS)),
            REFERENCES,
            "candidates are a dict by image id, but references are a list.",
        ),
        (
            CAPTIONS,
            dict(enumerate(REFERENCES)),
            "candidates are a list without image ids, but references are not a list.",
        ),
        ("m2.json", REFERENCES, "candidates are in a file by image id, but references are a list."),
        ([Path("m2.json")], REFERENCES, "candidates are in a file by image id, but references are a list."),
        ("A dog runs", REFERENCES, 'found the plain text "A dog runs". Put it in a list.'),
        (["A dog.", None], REFERENCES, "candidates: entry 2 is missing (None)"),
        (["A dog.", 3], REFERENCES, "candidates: entry 2 is of type int"),
        (CAPTIONS, [["x"], [float("nan")]], "references of caption 2: entry 1 is missing (nan)"),
        (CAPTIONS, [["x"], None], "references of caption 2 must be a list; found NoneType"),
        ([], None, "candidates: the list is empty. Give at least one file or caption."),
        ({"m2": ["A dog."]}, REFERENCES, 'references has 2 entries for 1 captions of "m2"'),
    ],
)
def test_what_cannot_be_meant_is_said_in_one_line(candidates: Any, references: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        load_corpus(candidates, references)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_the_splits_of_a_data_set_are_named() -> None:
    class Splits(dict[str, Any]):
        """`datasets.DatasetDict`: its columns are by split."""

        column_names: ClassVar = {"train": ["caption"], "test": ["caption"]}

    with pytest.raises(InputError, match=r'contains splits \(train, test\)\. Give one: dataset\["train"\]'):
        load_corpus(Splits(train=pd.DataFrame(COLUMNS), test=pd.DataFrame(COLUMNS)))


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(COLUMNS)
    for table in (frame, frame.lazy()):
        assert content(load_corpus(table)) == EXPECTED
    assert content(load_corpus(frame["caption"], frame["references"])) == EXPECTED


def test_datasets() -> None:
    datasets = pytest.importorskip("datasets")
    held = datasets.Dataset.from_dict(COLUMNS)
    for kind in (None, "numpy", "pandas", "arrow"):
        assert content(Corpus.from_dataset(held.with_format(kind))) == EXPECTED
    assert content(load_corpus(held["caption"], held["references"])) == EXPECTED
    assert content(Corpus.from_dataset(held.to_iterable_dataset())) == EXPECTED
    renamed = held.rename_column("caption", "said").remove_columns("image_id")
    assert content(Corpus.from_dataset(renamed, columns={"caption": "said"})) == EXPECTED
