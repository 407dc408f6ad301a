import gzip
import json
from pathlib import Path

import pytest

from captious.benchmarks.datasets.mhal import load_mhal
from captious.errors import InputError, UnknownNameError

ROWS = [
    {"image": "7", "caption": "A red dog.", "spans": [[2, 5, "red"], [6, 9, "dog"]]},
    {"image": "7", "caption": "A cat.", "spans": []},
    {"image": "7", "caption": "A cat.", "spans": []},
]


def write(folder: Path, rows: list[dict[str, object]]) -> Path:
    (folder / "detailed").mkdir(exist_ok=True)
    (folder / "detailed" / "mhal.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "detailed" / "coco_objects.json.gz").write_bytes(gzip.compress(b'{"7": ["dog", "person"]}'))
    return folder


def test_rows_are_examples_with_spans_and_objects(tmp_path: Path) -> None:
    found = load_mhal(write(tmp_path, ROWS))
    assert found.corpus.captions == ["A red dog.", "A cat.", "A cat."]
    assert found.corpus.objects is not None
    assert found.corpus.objects[0] == ["dog", "person"]
    assert found.findings is not None
    assert [found.findings.spans(example, 0) for example in range(3)] == [[(2, 5), (6, 9)], [], []]
    assert found.rows("mqm")[1].tolist() == [-2, 0, 0]


def test_bad_rows(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"row 1: the span .* is not in the caption"):
        load_mhal(write(tmp_path, [{**ROWS[0], "spans": [[2, 5, "dog"]]}]))
    with pytest.raises(InputError, match='no "spans" in its rows'):
        load_mhal(write(tmp_path, [{"image": "7", "caption": "A dog."}]))
    with pytest.raises(UnknownNameError, match="referenced"):
        load_mhal(write(tmp_path, ROWS), subset="all")


def test_the_released_sample(data: Path) -> None:
    if not (data / "detailed" / "mhal.jsonl").is_file():
        pytest.skip("detailed/mhal.jsonl is not in the benchmark data")
    found = load_mhal(data)
    assert found.findings is not None
    assert (len(found.corpus), len(found.corpus.image_ids), len(found.findings)) == (232, 140, 538)
    few = load_mhal(data, subset="referenced")
    assert (len(few.corpus), set(few.corpus.reference_counts.tolist())) == (24, {5})
