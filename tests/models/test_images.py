from __future__ import annotations

import os
import struct
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from captious.errors import InputError
from captious.models.images import MAX_PIXELS, image_files, load_image

Image = pytest.importorskip("PIL.Image")

RED, WHITE = [255, 0, 0], [255, 255, 255]


@pytest.fixture
def photograph(tmp_path: Path) -> Path:
    """A picture whose four corners differ: red, green, blue and white."""
    pixels = np.zeros((40, 60, 3), np.uint8)
    pixels[:20, :30], pixels[:20, 30:] = RED, [0, 255, 0]
    pixels[20:, :30], pixels[20:, 30:] = [0, 0, 255], WHITE
    path = tmp_path / "corners.png"
    Image.fromarray(pixels).save(path)
    return path


def one_line_of(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        load_image(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(str(path))
    return text[len(str(path)) + 2 :]


def test_a_plain_picture(photograph: Path) -> None:
    pixels = load_image(photograph)
    assert (pixels.shape, pixels.dtype) == ((40, 60, 3), np.uint8)
    assert pixels[0, 0].tolist() == RED


@pytest.mark.parametrize(
    ("orientation", "corner", "shape"),
    # EXIF 2.32, tag 274: which corner of the stored picture is the upper left one of the scene.
    [(1, RED, (40, 60)), (3, WHITE, (40, 60)), (6, [0, 0, 255], (60, 40)), (8, [0, 255, 0], (60, 40))],
)
def test_exif_rotation(photograph: Path, orientation: int, corner: list[int], shape: tuple[int, int]) -> None:
    opened = Image.open(photograph)
    notes = Image.Exif()
    notes[274] = orientation
    turned = photograph.with_name("turned.png")
    opened.save(turned, exif=notes)
    pixels = load_image(turned)
    assert pixels.shape[:2] == shape
    assert pixels[0, 0].tolist() == corner


def test_broken_exif_does_not_spoil_a_photograph(photograph: Path) -> None:
    path = photograph.with_name("exif.jpg")
    Image.open(photograph).save(path, exif=b"Exif\0\0MM\0*\0\0\0\x08\xff\xff\x01\x12")
    assert load_image(path).shape == (40, 60, 3)


def test_cmyk(photograph: Path) -> None:
    path = photograph.with_name("print.jpg")
    Image.open(photograph).convert("CMYK").save(path, quality=95)
    assert np.abs(load_image(path)[5, 5].astype(int) - RED).max() < 12


def test_animation_shows_its_first_frame(tmp_path: Path) -> None:
    path = tmp_path / "moving.gif"
    frames = [Image.new("RGB", (20, 10), colour) for colour in ("red", "blue", "lime")]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=100)
    assert load_image(path)[5, 5].tolist() == RED


def test_sixteen_bit_grey_keeps_its_high_byte(tmp_path: Path) -> None:
    path = tmp_path / "deep.png"
    deep = np.array([[0, 255, 256], [32768, 65279, 65535]], np.uint16)
    Image.fromarray(deep).save(path)
    # 32768 / 256 = 128, 65279 = 254 * 256 + 255
    assert load_image(path)[..., 0].tolist() == [[0, 0, 1], [128, 254, 255]]


def test_sixteen_bit_colour(tmp_path: Path) -> None:
    path = tmp_path / "deep-colour.png"
    path.write_bytes(png(2, 2, depth=16, kind=2, row=struct.pack(">6H", *[65535, 0, 32768] * 2)))
    assert load_image(path)[1, 1].tolist() == [255, 0, 128]


def test_float_tiff(tmp_path: Path) -> None:
    path = tmp_path / "float.tiff"
    Image.fromarray(np.array([[0.0, 1.0]], np.float32)).save(path)
    assert load_image(path).tolist() == [[[0, 0, 0], WHITE]]


@pytest.mark.parametrize("mode", ["P", "RGBA", "LA"])
def test_transparent_parts_are_white(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "clear.png"
    if mode == "P":
        picture = Image.new("P", (8, 8), 0)
        picture.putpalette([10, 20, 30, *RED])
        picture.putpixel((0, 0), 1)
        picture.save(path, transparency=0)
    else:
        picture = Image.new(mode, (8, 8), 0)
        picture.putpixel((0, 0), {"RGBA": (255, 0, 0, 255), "LA": (7, 255)}[mode])
        picture.save(path)
    pixels = load_image(path)
    assert pixels[4, 4].tolist() == WHITE
    assert pixels[0, 0].tolist() == ([7, 7, 7] if mode == "LA" else RED)


@pytest.mark.parametrize("mode", ["1", "L", "YCbCr"])
def test_other_modes(tmp_path: Path, mode: str) -> None:
    path = tmp_path / ("x.jpg" if mode == "YCbCr" else "x.png")
    Image.new("RGB", (8, 8), "white").convert(mode).save(path)
    assert load_image(path)[4, 4].tolist() == WHITE


def test_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.jpg"
    path.touch()
    assert one_line_of(path) == "the file is empty. Download it again."


def test_no_image(tmp_path: Path) -> None:
    path = tmp_path / "page.jpg"
    path.write_text("<html>404</html>")
    assert one_line_of(path).startswith("is not an image that Pillow can read")


def test_folder_missing_file_and_pipe(tmp_path: Path) -> None:
    assert one_line_of(tmp_path).startswith("is a folder")
    assert one_line_of(tmp_path / "none.jpg").startswith("there is no such file")
    pipe = tmp_path / "pipe.jpg"
    os.mkfifo(pipe)
    assert one_line_of(pipe).startswith("is not a regular file")


@pytest.mark.parametrize("suffix", ["jpg", "png", "gif", "webp", "tiff", "bmp"])
@pytest.mark.parametrize("share", [0.3, 0.7])
def test_cut_off(data: Path, tmp_path: Path, suffix: str, share: float) -> None:
    original = next((data / "coco_mini" / "val2017").glob("*.jpg"))
    whole = tmp_path / f"whole.{suffix}"
    Image.open(original).save(whole)
    cut = tmp_path / f"cut.{suffix}"
    cut.write_bytes(whole.read_bytes()[: int(whole.stat().st_size * share)])
    assert one_line_of(cut).startswith(("the image is broken or cut off", "is not an image"))


def test_flipped_bytes_never_escape(data: Path, tmp_path: Path) -> None:
    original = min((data / "coco_mini" / "val2017").glob("*.jpg"), key=lambda p: p.stat().st_size)
    small = Image.open(original).resize((64, 48))
    random = np.random.default_rng(7)
    for suffix in ("jpg", "png", "gif", "webp", "tiff", "bmp"):
        whole = tmp_path / f"whole.{suffix}"
        small.save(whole)
        for number in range(40):
            content = np.frombuffer(whole.read_bytes(), np.uint8).copy()
            places = random.integers(0, min(len(content), 400), 6)
            content[places] = random.integers(0, 256, 6)
            path = tmp_path / f"{number}.{suffix}"
            path.write_bytes(content.tobytes())
            try:
                assert load_image(path).shape[2] == 3
            except InputError as error:
                assert "\n" not in str(error)


@pytest.mark.parametrize("side", [10_000, 40_000])
def test_decompression_bomb(tmp_path: Path, side: int, recwarn: pytest.WarningsRecorder) -> None:
    """A few kilobytes that would unpack to 100 million or to 1.6 billion pixels."""
    path = tmp_path / "bomb.png"
    path.write_bytes(png(side, side, depth=1, kind=0, row=bytes(side // 8), rows=16))
    assert side * side > MAX_PIXELS
    assert "are allowed. Save it smaller." in one_line_of(path)
    assert not recwarn.list


def test_ids_are_names_until_names_meet(photograph: Path) -> None:
    folder = photograph.parent
    for sub in ("a", "b"):
        (folder / sub).mkdir()
        (folder / sub / "1.jpg").write_bytes(photograph.read_bytes())
    (folder / "notes.txt").write_text("no image")
    (folder / "._corners.png").write_text("what a file system left behind")
    assert list(image_files([folder / "a"])) == ["1.jpg"]
    assert list(image_files([folder])) == ["a/1.jpg", "b/1.jpg", "corners.png"]
    assert len(image_files([folder / "a", folder / "b", folder / "a"])) == 2


def test_a_folder_without_images(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="contains no image files"):
        image_files([tmp_path])


def png(width: int, height: int, *, depth: int, kind: int, row: bytes, rows: int = 0) -> bytes:
    """A PNG written by hand; with `rows` fewer rows than its head promises."""

    def chunk(name: bytes, content: bytes) -> bytes:
        check = zlib.crc32(name + content)
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    body = zlib.compress((b"\0" + row) * (rows or height))
    parts = [chunk(b"IHDR", head), chunk(b"IDAT", body), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def test_what_only_another_program_can_draw_is_no_photograph(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n")
    with pytest.raises(InputError, match="is not an image"):
        load_image(path)


def test_a_photograph_of_very_many_scans_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    Image.new("RGB", (64, 64), "teal").save(path, progressive=True)
    whole = path.read_bytes()
    path.write_bytes(whole[:-2] + whole[whole.rindex(b"\xff\xda") : -2] * 200 + b"\xff\xd9")
    with pytest.raises(InputError, match="has over 100 scans"):
        load_image(path)


@pytest.mark.parametrize("kind", ["AVIF", "WEBP", "TIFF", "GIF", "PNG", "JPEG", "DDS"])
def test_every_cut_and_every_changed_byte_is_one_line_or_a_picture(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.img"
    try:
        Image.new("RGB", (12, 10), "teal").save(path, kind)
    except (KeyError, OSError):
        pytest.skip(f"this Pillow writes no {kind}")
    whole = path.read_bytes()
    for at in range(0, min(len(whole), 400), 3):
        for broken in (whole[:at], whole[:at] + b"\xff" + whole[at + 1 :], whole[:at] + whole[at + 4 :]):
            path.write_bytes(broken)
            with suppress(InputError):
                load_image(path)
