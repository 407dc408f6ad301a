from __future__ import annotations

import json

import pytest

from captious.benchmarks.datasets.composite import load_composite
from captious.benchmarks.datasets.same_text import fold
from captious.errors import InputError, UnknownNameError

ROW = {
    "subset": "8k",
    "image": "1.jpg",
    "candidate": "A dog .",
    "relevance": 5,
    "references": ["a dog.", "A brown dog ."],
}


def _write(tmp_path, *rows):
    (tmp_path / "composite").mkdir()
    text = "".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows)
    (tmp_path / "composite" / "composite.jsonl").write_text(text)
    return tmp_path


def test_the_head_is_read_and_named_a_head(data) -> None:
    found = load_composite(data)
    assert len(found.corpus) == 60
    assert "head" in found.notes[0]
    for row in range(60):
        example = found.corpus.example(row)
        assert fold(example.caption) not in {fold(text) for text in example.references}


def test_every_candidate_of_an_image_leaves_its_references(tmp_path) -> None:
    other = {**ROW, "candidate": "A brown dog", "relevance": 4}
    more = {**ROW, "image": "2.jpg", "subset": "coco", "references": ["A bus ."]}
    found = load_composite(_write(tmp_path, ROW, other, more))
    assert found.corpus.reference_counts.tolist() == [0, 0, 1]
    assert found.rows("relevance")[1].tolist() == [5.0, 4.0, 5.0]
    assert found.notes == ()


def test_one_subset(tmp_path) -> None:
    folder = _write(tmp_path, ROW, {**ROW, "subset": "coco", "image": "2.jpg", "thoroughness": 3})
    found = load_composite(folder, subset="coco")
    assert len(found.corpus) == 1
    assert found.rows("thoroughness")[1].tolist() == [3.0]
    assert found.protocol.options == {"subset": "coco", "human": "with"}
    with pytest.raises(UnknownNameError, match="unknown subset"):
        load_composite(folder, subset="30k")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({**ROW, "relevance": 9}, "line 1: relevance is 9, not a number from 1 to 5"),
        ({k: v for k, v in ROW.items() if k != "references"}, '"references" is missing'),
        ("[1]\n", "line 1: not a JSON object"),
        ("{oops\n", "line 1: not valid JSON"),
    ],
)
def test_bad_rows(tmp_path, row, said) -> None:
    with pytest.raises(InputError, match=said):
        load_composite(_write(tmp_path, row))


def test_candidates_by_people_are_marked_by_a_field(tmp_path) -> None:
    rows = [
        {**ROW, "candidate": "a dog on a bus", "human": False},
        {**ROW, "human": True},
        {**ROW, "image": "2.jpg", "candidate": "A cat .", "human": False},
        {**ROW, "image": "2.jpg", "candidate": "a cow", "human": True},
    ]
    found = load_composite(_write(tmp_path, *rows), human="without")
    assert found.corpus.captions == ["a dog on a bus", "A cat ."]
    assert found.corpus.reference_counts.tolist() == [2, 2]  # what people wrote stays a reference
    assert found.protocol.left_out == '2 candidates written by people, by the field "human"'


def test_without_the_field_the_first_candidate_of_an_image_is_by_a_person(tmp_path, data) -> None:
    """Also where no reference equals it, and where a system wrote what a reference says."""
    rows = [
        {**ROW, "image": image, "candidate": candidate}
        for image in ("1.jpg", "2.jpg")
        for candidate in ("a poodle walks home", "a brown dog", "The scene contains dog.")
    ]
    found = load_composite(_write(tmp_path, *rows), human="without")
    assert found.corpus.captions == ["a brown dog", "The scene contains dog."] * 2
    assert found.protocol.left_out == "2 candidates written by people, the first of each image"
    # The head holds three candidates an image, the first of them by people: here each is a reference.
    head = load_composite(data, human="without")
    assert len(head.corpus) == 40
    everyone = load_composite(data)
    assert not set(head.corpus.captions) & set(everyone.corpus.captions[::3])


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        ((False, False), "0 of 2 candidates are by people"),
        ((True, True), "2 of 2 candidates are by people"),
        ((True, None), '"human" is null. Where one row has it, each needs true or false'),
    ],
)
def test_nobody_left_out_is_an_error(tmp_path, marks, said) -> None:
    rows = [{**ROW, "human": mark} for mark in marks]
    with pytest.raises(InputError, match=said):
        load_composite(_write(tmp_path, *rows), human="without")
