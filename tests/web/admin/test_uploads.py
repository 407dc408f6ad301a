"""Names of uploads are only names."""

from __future__ import annotations

import stat
import struct
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from captious.errors import InputError
from captious.web.admin.uploads import (
    Limits,
    read_protocol_text,
    safe_part,
    save_images,
    save_texts,
    shown_name,
)


def uploaded(name: str, content: bytes) -> Any:
    return SimpleNamespace(filename=name, file=BytesIO(content))


def stored_in(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


@pytest.fixture
def upload() -> Callable[[str, bytes], Any]:
    """An upload of a name and a content."""
    return uploaded


@pytest.fixture
def stored() -> Callable[[Path], list[str]]:
    """The files in a folder and below."""
    return stored_in


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


def test_single_images_and_archives_are_kept_by_name(
    tmp_path: Path, make_picture: Any, make_archive: Any, upload: Any, stored: Any
) -> None:
    inside = {
        "photos/1.png": make_picture(1),
        "photos/2.jpg": make_picture(2, "JPEG"),
        "__MACOSX/photos/._1.png": b"metadata",
        "photos/.DS_Store": b"metadata",
    }
    given = [upload("all.zip", make_archive(inside)), upload("3.webp", make_picture(3, "WEBP"))]
    assert save_images(given, tmp_path / "images").images == 3
    assert stored(tmp_path / "images") == ["3.webp", "photos/1.png", "photos/2.jpg"]


@pytest.mark.parametrize(
    "name",
    [
        "../evil.png",
        "../../../../tmp/evil.png",
        "/etc/evil.png",
        "a/../../evil.png",
        "..\\evil.png",
        "C:\\evil.png",
        "\\\\server\\evil.png",
        "a/b/c/d/e/f/g/h/i/evil.png",
        "con/ .png/..",
        ".",
    ],
)
def test_names_that_lead_elsewhere_are_refused(
    tmp_path: Path, make_picture: Any, make_archive: Any, name: str, upload: Any
) -> None:
    folder = tmp_path / "draft" / "images"
    with pytest.raises(InputError):
        save_images([upload("a.zip", make_archive({name: make_picture()}))], folder)
    outside = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(path.is_relative_to(folder) for path in outside)


def test_a_link_in_an_archive_is_refused(tmp_path: Path, upload: Any) -> None:
    kept = BytesIO()
    with zipfile.ZipFile(kept, "w") as made:
        entry = zipfile.ZipInfo("7.png")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(entry, "/etc/passwd")
    with pytest.raises(InputError, match="is a link"):
        save_images([upload("a.zip", kept.getvalue())], tmp_path / "images")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<script>alert(1)</script>",
        b"%PDF-1.7",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"\x89PNG\r\n\x1a\n" + b"\x00" * 40,
    ],
)
def test_what_is_no_image_is_refused_whatever_its_name(
    tmp_path: Path, make_archive: Any, content: bytes, upload: Any
) -> None:
    with pytest.raises(InputError, match="Upload images only"):
        save_images([upload("7.png", content)], tmp_path / "one")
    with pytest.raises(InputError, match="Upload images only"):
        save_images([upload("a.zip", make_archive({"7.png": content}))], tmp_path / "two")


def test_an_image_without_an_ending_gets_one_by_content(
    tmp_path: Path, make_picture: Any, upload: Any, stored: Any
) -> None:
    save_images([upload("seven", make_picture(7, "JPEG"))], tmp_path / "images")
    assert stored(tmp_path / "images") == ["seven.jpg"]


def test_archives_that_lie_about_their_size_are_stopped(tmp_path: Path, upload: Any) -> None:
    """A bomb: ten megabytes of zeros in ten kilobytes, with a header that claims ten bytes."""
    kept = BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("7.png", b"\x00" * 10_000_000)
    raw = bytearray(kept.getvalue())
    central = raw.rfind(b"PK\x01\x02")
    raw[central + 24 : central + 28] = struct.pack("<I", 10)
    small = Limits(image_bytes=100_000)
    with pytest.raises(InputError):
        save_images([upload("bomb.zip", bytes(raw))], tmp_path / "one", small)
    with pytest.raises(InputError, match="over"):
        save_images([upload("bomb.zip", kept.getvalue())], tmp_path / "two", small)
    assert sum(p.stat().st_size for p in tmp_path.rglob("*") if p.is_file()) <= 100_000


def test_limits_on_numbers_and_sizes(
    tmp_path: Path, make_picture: Any, make_archive: Any, upload: Any
) -> None:
    three = make_archive({f"{n}.png": make_picture(n) for n in range(3)})
    with pytest.raises(InputError, match=r"3 files are too many\. Use 2 at most"):
        save_images([upload("a.zip", three)], tmp_path / "a", Limits(images=2))
    with pytest.raises(InputError, match="unpacks to over"):
        save_images([upload("a.zip", three)], tmp_path / "b", Limits(unpacked_bytes=100))
    with pytest.raises(InputError, match="Split it"):
        save_images([upload("a.zip", three)], tmp_path / "c", Limits(archive_bytes=100))
    with pytest.raises(InputError, match="over"):
        save_texts([upload("m.json", b"x" * 101)], tmp_path / "d", Limits(text_bytes=100))
    with pytest.raises(InputError, match=r"2 caption files are too many\. Use 1 at most"):
        save_texts([upload("m.json", b"1"), upload("n.json", b"2")], tmp_path / "e", Limits(text_files=1))
    assert list((tmp_path / "d").iterdir()) == []


def test_broken_and_encrypted_archives_say_so(tmp_path: Path, make_archive: Any, upload: Any) -> None:
    cut = make_archive({"7.png": b"x" * 500})[:200]
    with pytest.raises(InputError, match=r"not a readable zip archive: .*\. Make it again\."):
        save_images([upload("cut.zip", cut)], tmp_path / "one")
    raw = bytearray(make_archive({"7.png": b"x" * 500}))
    raw[6] |= 1  # the flag of an encrypted entry, in both of its headers
    raw[raw.rfind(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(InputError, match="not a readable zip archive"):
        save_images([upload("locked.zip", bytes(raw))], tmp_path / "two")


def test_two_of_one_name_are_refused(tmp_path: Path, make_picture: Any, upload: Any) -> None:
    twice = [upload("7.png", make_picture()), upload("7.png", make_picture())]
    found = save_images(twice, tmp_path / "images")
    assert found == (1, ("7.png: a second image has this name. Rename one.",))
    with pytest.raises(InputError, match="two files"):
        save_texts([upload("m.json", b"1"), upload("x/m.json", b"2")], tmp_path / "texts")


def test_one_bad_image_costs_no_other(
    tmp_path: Path, make_picture: Any, make_archive: Any, upload: Any, stored: Any
) -> None:
    inside = {
        "1.png": make_picture(1),
        "notes.txt": b"hello",
        "2.png": make_picture(2),
        **{f"{n}.x": b"" for n in range(6)},
    }
    found = save_images([upload("a.zip", make_archive(inside)), upload("3.png", b"no")], tmp_path / "images")
    assert found.images == 2
    assert found.wrong[0] == "a.zip: notes.txt: is not a JPEG, PNG, WebP or GIF image. Upload images only."
    assert found.wrong[5:] == ("images: 3 more files were left out.",)
    assert stored(tmp_path / "images") == ["1.png", "2.png"]  # and no half of another


def test_an_archive_of_nothing_is_no_images(tmp_path: Path, make_archive: Any, upload: Any) -> None:
    with pytest.raises(InputError, match="no image was found"):
        save_images([upload("a.zip", make_archive({"a/": b""}))], tmp_path / "images")


def test_an_archive_that_lists_too_many_names_is_refused(
    tmp_path: Path, make_archive: Any, upload: Any
) -> None:
    packed = make_archive({f"{at:0100d}.png": b"" for at in range(100)})
    with pytest.raises(InputError, match="lists too many files"):
        save_images([upload("a.zip", packed)], tmp_path / "images", Limits(directory_bytes=1000))
