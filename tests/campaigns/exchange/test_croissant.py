"""The Croissant description: what the specification asks for, and what its own reader says."""

from __future__ import annotations

import hashlib

import orjson
import pytest

from captious.campaigns.exchange.croissant import NUMBER, TEXT, Column, DataSet, Described, croissant

COLUMNS = (Column("image", TEXT, "The image."), Column("rating", NUMBER, "The value."))
ABOUT = DataSet("dogs", "Dogs", "Judgments of dogs.", 0.0, "Lea 2026.", "https://spdx.org/licenses/CC-BY-4.0")


@pytest.fixture
def described(tmp_path):
    (tmp_path / "judgments.csv").write_text("image,rating\ni1,4.5\n")
    (tmp_path / "judgments.jsonl").write_text('{"image":"i1","rating":4.5}\n')
    files = [
        Described(tmp_path / "judgments.csv", "The judgments.", COLUMNS),
        Described(tmp_path / "judgments.jsonl", "The judgments.", COLUMNS),
    ]
    found = croissant(ABOUT, files)
    (tmp_path / "croissant.json").write_bytes(orjson.dumps(found))
    return found


def test_files_carry_checksums_and_tables_their_columns(described, tmp_path):
    assert described["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert described["@context"]["cr"] == "http://mlcommons.org/croissant/"
    assert described["datePublished"] == "1970-01-01"
    first = described["distribution"][0]
    content = (tmp_path / "judgments.csv").read_bytes()
    assert first["sha256"] == hashlib.sha256(content).hexdigest()
    assert first["contentSize"] == f"{len(content)} B"
    assert first["encodingFormat"] == "text/csv"
    (table,) = described["recordSet"]  # one table, though there are two files of it
    assert [field["name"] for field in table["field"]] == ["image", "rating"]
    assert table["field"][1]["dataType"] == "sc:Float"
    assert table["field"][1]["source"] == {
        "fileObject": {"@id": "judgments.csv"},
        "extract": {"column": "rating"},
    }


def test_what_the_owner_has_not_told_is_left_out(tmp_path):
    found = croissant(DataSet("dogs", "Dogs", "About.", 0.0), [])
    assert not {"license", "citeAs", "url", "creator"} & found.keys()


def test_the_reference_reader_reads_it(described, tmp_path):
    mlcroissant = pytest.importorskip("mlcroissant")
    read = mlcroissant.Dataset(jsonld=str(tmp_path / "croissant.json"))
    (row,) = read.records("judgments")
    assert row == {"judgments/image": b"i1", "judgments/rating": 4.5}
    assert not read.metadata.ctx.issues.errors
    assert not read.metadata.ctx.issues.warnings
