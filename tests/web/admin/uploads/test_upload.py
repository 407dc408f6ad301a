"""Names of uploads are only names."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from captious.errors import InputError
from captious.web.admin.uploads.upload import Limits, read_protocol_text, safe_part, save_texts, shown_name


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("m2.json", "m2.json"),
        ("/etc/passwd", "passwd"),
        ("..\\..\\m2.json", "m2.json"),
        ("a\x00b\n.json", "a_b_.json"),
        ("", "file"),
        ("..", "file"),
        ("né.json", "né.json"),
    ],
)
def test_names_of_files_are_only_names(given: str, kept: str, upload: Any) -> None:
    assert shown_name(upload(given, b"")) == kept


def test_long_names_keep_their_ending() -> None:
    short = safe_part("é" * 300 + ".json")
    assert len(short.encode()) <= 120
    assert short.endswith(".json")


def test_protocol_files_are_short_texts(upload: Any) -> None:
    assert read_protocol_text(upload("p.yaml", "\ufeffname: é\n".encode())) == "name: é\n"
    with pytest.raises(InputError, match="UTF-8"):
        read_protocol_text(upload("p.yaml", b"\xff\xfe\x00"))
    with pytest.raises(InputError, match="short"):
        read_protocol_text(upload("p.yaml", b"#" * 100_001))


def test_captions_that_unpack_to_more_than_a_file_may_hold_are_refused(
    tmp_path: Path, upload: Any, stored: Any
) -> None:
    import gzip

    bomb = gzip.compress(b" " * 3_000_000)
    with pytest.raises(InputError, match=r"m2.json.gz: unpacks to over 1 MB"):
        save_texts([upload("m2.json.gz", bomb)], tmp_path / "texts", Limits(text_bytes=1 << 20))
    assert stored(tmp_path / "texts") == []


def test_a_table_that_unpacks_to_more_than_its_budget_is_refused(
    tmp_path: Path, upload: Any, stored: Any
) -> None:
    import pyarrow
    from pyarrow import parquet

    kept = BytesIO()
    parquet.write_table(pyarrow.table({"caption": pyarrow.nulls(1_000_000, pyarrow.string())}), kept)
    with pytest.raises(InputError, match=r"m2.parquet: the Parquet table takes over 10 MB"):
        save_texts([upload("m2.parquet", kept.getvalue())], tmp_path / "t", Limits(table_bytes=10 << 20))
    assert stored(tmp_path / "t") == []


@pytest.mark.parametrize("packed", [False, True])
def test_a_workbook_is_measured_by_its_table(tmp_path: Path, packed: bool, upload: Any) -> None:
    """Cells in the last column: two kilobytes of workbook, megabytes of table; also within gzip."""
    import gzip

    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    rows = '<row><c r="XFD1"><v>1</v></c></row>' * 200
    kept = BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        book = f'<workbook {main} xmlns:r="{relations}"><sheets><sheet r:id="a"/></sheets></workbook>'
        archive.writestr("xl/workbook.xml", book)
        links = '<Relationships><Relationship Id="a" Target="s.xml"/></Relationships>'
        archive.writestr("xl/_rels/workbook.xml.rels", links)
        archive.writestr("xl/s.xml", f"<worksheet {main}><sheetData>{rows}</sheetData></worksheet>")
    content = gzip.compress(kept.getvalue()) if packed else kept.getvalue()
    with pytest.raises(InputError, match="unpacks to over 1 MB"):
        save_texts([upload("m2.xlsx", content)], tmp_path / "t", Limits(text_bytes=1 << 20))
    assert not list((tmp_path / "t").iterdir())
