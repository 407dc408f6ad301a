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


def test_only_candidates_of_systems(tmp_path, data) -> None:
    """Madhyastha et al. 2019, 4.3: candidates that are the image's own references are by people."""
    machine = {**ROW, "candidate": "a dog on a bus", "relevance": 2}
    found = load_composite(_write(tmp_path, ROW, machine), human="without")
    assert [found.corpus.example(i).caption for i in range(len(found.corpus))] == ["a dog on a bus"]
    assert found.corpus.reference_counts.tolist() == [2]  # what people wrote stays a reference
    assert found.protocol.left_out == "1 candidates written by people"
    # The head holds three candidates an image, one of them by people.
    assert len(load_composite(data, human="without").corpus) == 40
