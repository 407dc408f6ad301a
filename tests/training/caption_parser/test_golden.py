from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from reference.golden import read_items, read_parses

from captious.benchmarks.data_files import MissingDataError
from captious.errors import InputError
from captious.metrics.spice import Counts

ROW = {
    "caption": "a red\xa0bus",
    "set": "mine",
    "sentences": [
        {
            "words": "a red bus",
            "tags": "DT JJ NN",
            "lemmas": "a red bus",
            "basic": "root(0,3) det(3,1) amod(3,2)",
        }
    ],
    "tuples": [["bus", "red"], ["bus"]],
}


def write(folder: Path, name: str, *lines: str) -> Path:
    (folder / "spice").mkdir(exist_ok=True)
    (folder / "spice" / name).write_bytes(gzip.compress("\n".join(lines).encode()))
    return folder


def test_a_parse_is_read_with_its_tuples(tmp_path: Path) -> None:
    (found,) = read_parses(write(tmp_path, "parses.jsonl.gz", json.dumps(ROW)))
    assert (found.caption, found.source) == ("a red bus", "mine")
    assert found.parse.heads == (3, 3, 0)
    assert found.parse.labels == ("det", "amod", "root")
    assert found.tuples == [("bus", "red"), ("bus",)]


def test_items_by_their_ids(tmp_path: Path) -> None:
    folder = write(tmp_path, "mine.jsonl.gz", '{"id": 7, "f": 0.5, "tp": 1, "fp": 1, "fn": 1}')
    (item,) = read_items(folder, "mine").values()
    assert read_items(folder, "mine").keys() == {"7"}
    assert (item.f, item.counts) == (0.5, Counts(1, 1, 1))


def test_no_golden_file_is_named_with_the_option_that_mends_it(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"parses\.jsonl\.gz: there is no such file.*golden="):
        next(read_parses(tmp_path))


@pytest.mark.parametrize("line", ["{", '{"caption": "a dog"}', json.dumps(ROW | {"sentences": []})])
def test_a_damaged_file_is_refused_with_one_line(tmp_path: Path, line: str) -> None:
    folder = write(tmp_path, "parses.jsonl.gz", json.dumps(ROW), line)
    with pytest.raises(InputError, match="Copy the file again") as caught:
        list(read_parses(folder))
    assert "\n" not in str(caught.value)


def test_items_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 1 is not a golden item"):
        read_items(write(tmp_path, "mine.jsonl.gz", '{"id": 7}'), "mine")
