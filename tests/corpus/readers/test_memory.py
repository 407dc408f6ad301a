"""Captions in memory give the corpus that the same captions in a file give."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import captious
from captious import Corpus
from captious.errors import InputError

ROWS = [{"image_id": 7, "caption": "A dog."}, {"image_id": 9, "caption": "A cat."}]
REFERENCES = {"7": ["A dog runs.", "The dog."], "9": ["A cat sleeps."]}
FRAME = pd.DataFrame(ROWS)
LONG = pd.DataFrame([{"image": image, "caption": text} for image, own in REFERENCES.items() for text in own])


class Dataset:
    """What `datasets.Dataset` offers: names of columns, and a column by its name."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self.columns = columns

    @property
    def column_names(self) -> list[str]:
        return list(self.columns)

    def __getitem__(self, name: str) -> list[Any]:
        return self.columns[name]


@pytest.mark.parametrize(
    "candidates", [ROWS, tuple(ROWS), FRAME, {"7": "A dog.", "9": "A cat."}, {7: "A dog.", 9: "A cat."}]
)
@pytest.mark.parametrize(
    "references", [REFERENCES, LONG, {7: ("A dog runs.", "The dog."), 9: "A cat sleeps."}]
)
def test_every_shape_gives_the_same_corpus(candidates: Any, references: Any) -> None:
    corpus = captious.load_corpus(candidates, references)
    assert [(one.image_id, one.caption, one.references) for one in corpus] == [
        ("7", "A dog.", ["A dog runs.", "The dog."]),
        ("9", "A cat.", ["A cat sleeps."]),
    ]


def test_a_dict_of_systems_names_them() -> None:
    corpus = Corpus.from_dict({"m2": {"7": "A dog."}, "up-down": {"7": "A hat."}}, REFERENCES)
    assert [(one.system, one.caption) for one in corpus] == [("m2", "A dog."), ("up-down", "A hat.")]
    frames = captious.load_corpus({"m2": FRAME, "m3": ROWS}, REFERENCES)
    assert frames.systems == ["m2", "m3"]


def test_columns_of_a_data_set_and_of_a_frame_may_have_any_name() -> None:
    columns = {"id": [7], "said": ["A dog."], "references": [np.array(["A dog runs.", "The dog."])]}
    for table in (Dataset(columns), pd.DataFrame(columns)):
        found = Corpus.from_dataset(table, columns={"caption": "said"}).example(0)
        assert (found.image_id, found.caption) == ("7", "A dog.")
        assert found.references == ["A dog runs.", "The dog."]
    numbered = pd.DataFrame({"id": [7], "caption": ["A dog."], "reference_1": ["x"], "reference_2": [None]})
    assert Corpus.from_pandas(numbered).example(0).references == ["x"]


def test_series_and_arrays_are_lists() -> None:
    captions, references = pd.Series(["a dog"]), np.array([["a dog", "the dog"]])
    assert captious.compute(captions, references, ["rouge_l"]) == {"rouge_l": 1.0}
    assert captious.compute({"1": "a dog"}, {"1": ["a dog"]}, ["rouge_l"]) == {"rouge_l": 1.0}
    assert Corpus.from_lists(captions, references).example(0).references == ["a dog", "the dog"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (7, "candidates: found int. Give a file, a data frame"),
        ({"7": 3}, "candidates: the object maps its keys to numbers, not to captions."),
        ([{"image_id": 7}], 'candidates: entry 1: "caption" is missing'),
        (
            pd.DataFrame({"x": [1]}),
            'candidates: no caption column (found: x). Name one of the columns "caption".',
        ),
        (FRAME.iloc[:0], "candidates: the table has no rows. Add a row for each caption."),
        ([{"image_id": 7, "caption": object()}], "candidates: Type is not JSON serializable: object."),
    ],
)
def test_what_is_no_captions_is_refused_in_one_line(given: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        captious.load_corpus(given)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match=r'no column "said"\. Found: image_id, caption\.'):
        Corpus.from_pandas(FRAME, columns={"caption": "said"})


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"capton": "caption"}, 'unknown role in columns "capton". Did you mean "caption"?'),
        (["caption"], "columns is of type list. Give a dict"),
    ],
)
def test_columns_are_roles_and_their_columns(columns: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        Corpus.from_pandas(FRAME, columns=columns)
    assert said in str(error.value)


def test_of_two_columns_of_one_name_none_is_guessed() -> None:
    twice = pd.concat([FRAME, FRAME[["caption"]].iloc[::-1].reset_index(drop=True)], axis=1)
    with pytest.raises(InputError, match='2 columns are called "caption"'):
        Corpus.from_pandas(twice)


def test_a_caption_that_pandas_calls_na_is_missing() -> None:
    frame = FRAME.assign(caption=pd.array(["A dog.", pd.NA], dtype="string"))
    with pytest.raises(InputError, match='row 2: "caption" is missing'):
        Corpus.from_pandas(frame)


@pytest.mark.parametrize(
    ("captions", "given", "said"),
    [
        (None, {}, "captions must be a list; found NoneType"),
        (["A dog."], {"references": "A dog runs."}, 'references must be a list; found the plain text "A dog'),
        (["A dog.", "A cat."], {"image_ids": "ab"}, 'image_ids must be a list; found the plain text "ab"'),
        (["A dog."], {"references": 3}, "references must be a list; found int"),
        (["A dog."], {"references": [None]}, "references of entry 1 must be a list; found NoneType"),
        (["A dog."], {"image_ids": iter("78")}, "image_ids has 2 entries for 1 captions"),
    ],
)
def test_lists_are_lists(captions: Any, given: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        Corpus.from_lists(captions, **given)
    assert said in str(error.value)
