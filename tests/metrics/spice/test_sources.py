from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from captious.errors import InputError, UnknownNameError
from captious.metrics.spice.sources import tuple_source
from captious.text import parser
from captious.text.parser.load import WEIGHTS_FILE

ROW = b'{"caption": "a red bus", "tuples": [["bus", "red"], ["bus"]]}\n'


def test_a_file_of_tuples_packed_or_not(tmp_path: Path) -> None:
    plain, packed = tmp_path / "t.jsonl", tmp_path / "t.jsonl.gz"
    plain.write_bytes(ROW)
    packed.write_bytes(gzip.compress(ROW))
    for path in (plain, packed):
        source = tuple_source(f"corenlp-tuples:{path}")
        assert source.tuples([["a", "red", "bus"], []]) == [[("bus", "red"), ("bus",)], []]
    names = {tuple_source(f"corenlp-tuples:{path}").name for path in (plain, packed)}
    assert len(names) == 1


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(ROW)
    before = tuple_source(f"corenlp-tuples:{path}").name
    path.write_bytes(ROW.replace(b'"red"', b'"big"'))
    assert tuple_source(f"corenlp-tuples:{path}").name != before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "line 1 is not JSON"),
        (b'{"tuples": []}', '"caption" is missing'),
        (b'{"caption": "a", "tuples": [[]]}', "one to three words"),
        (b'{"caption": "a", "tuples": [["a", 1]]}', "one to three words"),
        (b'{"caption": "a"}', "one to three words"),
        (b"\x1f\x8bnonsense", "damaged or cut short"),
    ],
)
def test_a_bad_file_is_refused_with_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        tuple_source(f"corenlp-tuples:{path}")
    assert "\n" not in str(caught.value)


def test_a_caption_that_the_file_lacks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(ROW)
    with pytest.raises(InputError, match='no tuples for the caption "a blue bus"'):
        tuple_source(f"corenlp-tuples:{path}").tuples([["a", "blue", "bus"]])


def test_names_that_are_no_parser() -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "caption"'):
        tuple_source("captions")
    with pytest.raises(InputError, match="needs a file"):
        tuple_source("corenlp-tuples:")
    with pytest.raises(InputError, match="no such file"):
        tuple_source("corenlp-tuples:nowhere.jsonl")
    with pytest.raises(InputError, match=r"Write parser=caption:FILE"):
        tuple_source("caption:")


def test_other_weights_of_the_caption_parser(tmp_path: Path) -> None:
    """The same weights under another name give the same tuples, and the signature says which."""
    shipped = tuple_source("caption")
    path = tmp_path / "mine.npz"
    with np.load(Path(str(parser.__file__)).parent / WEIGHTS_FILE) as stored:
        arrays = dict(stored)
    notes = json.loads(arrays["notes"].tobytes()) | {"name": "mine"}
    arrays["notes"] = np.frombuffer(json.dumps(notes).encode(), dtype=np.uint8)
    np.savez(path, **arrays)
    other = tuple_source(f"caption:{path}")
    assert (other.name, shipped.name[:17]) == ("caption:mine", "caption:captions-")
    captions = [["a", "brown", "dog", "chases", "a", "ball", "on", "the", "beach"]]
    assert other.tuples(captions) == shipped.tuples(captions)


@pytest.mark.parametrize("content", [b"", b"nothing", b"PK\x03\x04 broken"])
def test_weights_that_are_none_are_refused_with_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"mine\.npz: contains no caption parser") as caught:
        tuple_source(f"caption:{path}")
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="no such file"):
        tuple_source(f"caption:{tmp_path / 'none.npz'}")
