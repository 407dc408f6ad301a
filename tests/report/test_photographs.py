from __future__ import annotations

import base64
import io

import pytest

from captious.data import demo_files
from captious.errors import CaptiousWarning
from captious.files import cache_folder
from captious.report.photographs import ImageMode, photographs

Image = pytest.importorskip("PIL.Image")


@pytest.fixture
def large(tmp_path):
    path = tmp_path / "large photo.png"
    Image.new("RGB", (1200, 600), "teal").save(path)
    return path


def test_small_copies_have_at_most_480_pixels_a_side(large, tmp_path) -> None:
    (found,) = photographs([str(large)], tmp_path / "page.html")
    head, text = found.src.split(",")
    assert head == "data:image/jpeg;base64"
    assert Image.open(io.BytesIO(base64.b64decode(text))).size == (480, 240)
    assert (found.width, found.height) == (480, 240)


def test_small_copies_are_kept_by_content(large, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    photographs([str(large)], tmp_path / "page.html")
    kept = list((cache_folder() / "thumbnails").iterdir())
    assert len(kept) == 1
    kept[0].write_bytes(_jpeg("red", (10, 5)))
    (again,) = photographs([str(large)], tmp_path / "page.html")
    assert (again.width, again.height) == (10, 5)  # what was kept, not made anew
    monkeypatch.setattr("captious.report.photographs.JPEG_QUALITY", 50)
    (other,) = photographs([str(large)], tmp_path / "page.html")
    assert (other.width, other.height) == (480, 240)  # another setting is another copy


def test_beside_writes_files_that_the_page_names(tmp_path) -> None:
    paths = [str(path) for path in sorted(demo_files().images.glob("*.jpg"))[:3]]
    page = tmp_path / "my report.html"
    found = photographs([*paths, None], page, ImageMode.beside)
    assert found[3] is None
    names = {path.name for path in (tmp_path / "my report_files").iterdir()}
    assert {one.src.removeprefix("my%20report_files/") for one in found[:3]} == names


def test_many_photographs_lie_beside(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("captious.report.photographs.EMBED_AT_MOST", 1000)
    path = str(demo_files().images / "tabby.jpg")
    (found,) = photographs([path], tmp_path / "page.html")
    assert found.src.startswith("page_files/")


def test_link_is_relative_and_quoted(large, tmp_path) -> None:
    (found,) = photographs([str(large)], tmp_path / "out" / "page.html", ImageMode.link)
    assert found.src == "../large%20photo.png"
    assert (found.width, found.height) == (1200, 600)


def test_a_turned_photograph_stands_upright(tmp_path) -> None:
    path = tmp_path / "turned.jpg"
    picture = Image.new("RGB", (40, 20), "teal")
    exif = picture.getexif()
    exif[0x0112] = 6  # the camera was turned by 90 degrees
    picture.save(path, exif=exif)
    (found,) = photographs([str(path)], tmp_path / "page.html")
    assert (found.width, found.height) == (20, 40)


def test_comments_in_the_original_are_not_passed_on(tmp_path) -> None:
    path = tmp_path / "secret.jpg"
    Image.new("RGB", (40, 20)).save(path, comment=b"taken at home")
    (found,) = photographs([str(path)], tmp_path / "page.html")
    assert b"taken at home" in path.read_bytes()
    assert b"taken at home" not in base64.b64decode(found.src.split(",")[1])


def test_a_file_that_is_no_photograph_is_named_and_the_others_are_shown(tmp_path) -> None:
    paths = [tmp_path / "broken.jpg", tmp_path / "whole.jpg"]
    paths[0].write_text("not a picture")
    paths[1].write_bytes(_jpeg("red", (30, 20)))
    with pytest.warns(CaptiousWarning, match=r"broken\.jpg: cannot be read as an image"):
        found = photographs([str(path) for path in paths], tmp_path / "page.html")
    assert found[0] is None
    assert (found[1].width, found[1].height) == (30, 20)


def _jpeg(colour: str, size: tuple[int, int]) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", size, colour).save(target, "JPEG")
    return target.getvalue()
