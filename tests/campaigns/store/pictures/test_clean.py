"""Whatever an image file carries beside its picture stays behind; the picture does not change."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms

from captious.campaigns.store.pictures import clean
from captious.campaigns.store.pictures.icc import rebuilt_profile
from captious.campaigns.store.pictures.jpeg import segment
from captious.campaigns.store.pictures.png import SIGNATURE, chunk
from captious.errors import InputError

NEEDLE = b"somebody private, 52.5N 13.4E"
# Format, mode and options of the files that are tried.
MADE: dict[str, tuple[str, str, dict[str, Any]]] = {
    "JPEG": ("JPEG", "RGB", {"quality": 90}),
    "progressive": ("JPEG", "RGB", {"progressive": True}),
    "restarts": ("JPEG", "RGB", {"restart_marker_blocks": 4}),
    "grey": ("JPEG", "L", {}),
    "PNG": ("PNG", "RGB", {}),
    "palette": ("PNG", "P", {}),
    "bits": ("PNG", "1", {}),
    "deep": ("PNG", "I;16", {}),
    "transparent": ("PNG", "RGBA", {}),
    "WEBP": ("WEBP", "RGB", {"quality": 80}),
    "lossless": ("WEBP", "RGB", {"lossless": True}),
    "see-through": ("WEBP", "RGBA", {"quality": 80}),
}


def photo(mode: str = "RGB", size: tuple[int, int] = (90, 61)) -> Image.Image:
    """Something with edges, shades and noise."""
    if mode == "I;16":
        return Image.fromarray(np.arange(size[0] * size[1], dtype=np.uint16).reshape(size[1], size[0]) * 9)
    shades = np.linspace(0, 200, size[0] * size[1] * 4).reshape(size[1], size[0], 4)
    noise = np.random.default_rng(3).integers(0, 55, shades.shape)
    return Image.fromarray((shades + noise).astype(np.uint8), "RGBA").convert(mode)


def file_of(name: str, **more: Any) -> bytes:
    kind, mode, options = MADE[name]
    out = io.BytesIO()
    photo(mode).save(out, kind, **(options | more))
    return out.getvalue()


def pixels(content: bytes) -> Any:
    with Image.open(io.BytesIO(content)) as picture:
        return np.asarray(picture.convert("RGBA") if picture.mode == "P" else picture).copy()


def archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("notes.txt", NEEDLE)
    return out.getvalue()


def chunks(content: bytes) -> list[bytes]:
    """The names of the parts of a PNG file."""
    found, at = [], len(SIGNATURE)
    while at < len(content):
        size, name = struct.unpack_from(">L4s", content, at)
        found.append(name)
        at += 12 + size
    return found


@pytest.mark.parametrize("name", list(MADE))
def test_a_file_of_known_parts_keeps_every_pixel(name: str) -> None:
    content = file_of(name)
    found = clean.cleaned(content, "x")
    assert found.type == Image.MIME[MADE[name][0]]
    assert found.size == (90, 61)
    assert np.array_equal(pixels(found.content), pixels(content))
    assert clean.cleaned(found.content, "x") == found  # and there is nothing left to take away


@pytest.mark.parametrize("name", list(MADE))
def test_what_was_appended_is_gone(name: str) -> None:
    content = file_of(name)
    found = clean.cleaned(content + archive() + NEEDLE, "x").content
    assert NEEDLE not in found
    assert b"PK\x03\x04" not in found
    assert np.array_equal(pixels(found), pixels(content))


JPEG_SEGMENTS = {
    "Exif": segment(0xE1, b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0" + NEEDLE),
    "XMP": segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x>" + NEEDLE),
    "C2PA": segment(0xEB, b"JP\0\x01\0\0\0\x01jumb" + NEEDLE),
    "Photoshop": segment(0xED, b"Photoshop 3.0\0" + NEEDLE),
    "comment": segment(0xFE, NEEDLE),
    "MPF": segment(0xE2, b"MPF\0" + NEEDLE),
    "thumbnail": segment(0xE0, b"JFXX\0\x10" + NEEDLE),
    "JFIF thumbnail": segment(0xE0, b"JFIF\0\x01\x01\0\0\x01\0\x01\x03\x03" + NEEDLE[:27]),
    "Adobe": segment(0xEE, b"Adobe\0\x64" + NEEDLE[:4] + b"\x01" + NEEDLE),
    "unknown": segment(0xE9, NEEDLE),
}


@pytest.mark.parametrize("what", list(JPEG_SEGMENTS))
@pytest.mark.parametrize("name", ["JPEG", "progressive"])
def test_no_segment_of_an_application_survives(name: str, what: str) -> None:
    content = file_of(name)
    planted = content[:2] + JPEG_SEGMENTS[what] + content[2:]
    found = clean.cleaned(planted, "x").content
    assert NEEDLE[:4] not in found
    assert np.array_equal(pixels(found), pixels(planted))


@pytest.mark.parametrize("name", ["JPEG", "progressive", "grey", "restarts"])
def test_what_hides_behind_the_compressed_picture_is_gone(name: str) -> None:
    content = file_of(name)
    assert content.endswith(b"\xff\xd9")
    planted = content[:-2] + archive() + content[-2:]
    assert np.array_equal(pixels(planted), pixels(content))  # a viewer sees no difference
    found = clean.cleaned(planted, "x")
    assert NEEDLE not in found.content
    # Encoded anew, for where the picture ends in there only a decoder knows.
    assert np.abs(pixels(found.content).astype(int) - pixels(content)).mean() < 2


def test_tables_that_carry_something_are_gone() -> None:
    content = file_of("JPEG")
    table = segment(0xDB, b"\x03" + NEEDLE + b"x" * (64 - len(NEEDLE)))
    planted = content[:2] + table * 500 + content[2:]
    assert NEEDLE not in clean.cleaned(planted, "x").content


PNG_CHUNKS = {
    "text": chunk(b"tEXt", b"Author\0" + NEEDLE),
    "packed text": chunk(b"zTXt", b"Author\0\0" + zlib.compress(NEEDLE, 0)),
    "Exif": chunk(b"eXIf", b"MM\0*\0\0\0\x08\0\0\0\0\0\0" + NEEDLE),
    "C2PA": chunk(b"caBX", NEEDLE),
    "private": chunk(b"prVt", NEEDLE),
    "time": chunk(b"tIME", NEEDLE[:7]),
    "history": chunk(b"hIST", NEEDLE),
    "suggested palette": chunk(b"sPLT", NEEDLE),
    "long gamma": chunk(b"gAMA", b"\0\0\xb1\x8f" + NEEDLE),
}


@pytest.mark.parametrize("what", list(PNG_CHUNKS))
def test_no_private_chunk_survives(what: str) -> None:
    content = file_of("PNG")
    after_head = len(SIGNATURE) + 25
    planted = content[:after_head] + PNG_CHUNKS[what] + content[after_head:]
    found = clean.cleaned(planted, "x").content
    assert NEEDLE[:7] not in found
    assert chunks(found) == [b"IHDR", b"IDAT", b"IEND"]
    assert np.array_equal(pixels(found), pixels(content))


@pytest.mark.parametrize("inside", [True, False], ids=["behind the last row", "behind the packed data"])
def test_what_hides_in_the_pixels_of_a_png_is_gone(inside: bool) -> None:
    rows = b"".join(b"\0" + bytes(range(30)) for _ in range(10))  # 10 by 10, three bytes a pixel
    head = struct.pack(">LLBBBBB", 10, 10, 8, 2, 0, 0, 0)
    packed = zlib.compress(rows + NEEDLE, 0) if inside else zlib.compress(rows) + NEEDLE
    planted = SIGNATURE + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    found = clean.cleaned(planted, "x")
    assert NEEDLE not in found.content
    assert found.type == "image/png"
    assert pixels(found.content)[9, 9].tolist() == [27, 28, 29]


def test_an_interlaced_png_is_rebuilt() -> None:
    # Adam7 on 3 by 2: the passes hold 1, 0, 0, 1, 0, 1 by 1, and 3 pixels; eight bits of grey each.
    rows = b"\0\x0a" + b"\0\x1e" + b"\0\x14" + b"\0\x28\x32\x3c"
    head = struct.pack(">LLBBBBB", 3, 2, 8, 0, 0, 0, 1)
    packed = zlib.compress(rows + NEEDLE, 0)
    planted = SIGNATURE + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    found = clean.cleaned(planted, "x").content
    assert NEEDLE not in found
    assert pixels(found).tolist() == [[10, 20, 30], [40, 50, 60]]


@pytest.mark.parametrize("name", ["WEBP", "lossless", "see-through"])
@pytest.mark.parametrize("what", [b"EXIF", b"XMP ", b"C2PA", b"abcd"])
def test_no_chunk_of_a_webp_survives(name: str, what: bytes) -> None:
    content = file_of(name, exif=b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0", xmp=NEEDLE)
    extra = struct.pack("<4sL", what, len(NEEDLE)) + NEEDLE + b"\0" * (len(NEEDLE) % 2)
    planted = b"RIFF" + struct.pack("<L", len(content) - 8 + len(extra)) + content[8:] + extra
    found = clean.cleaned(planted, "x").content
    assert NEEDLE not in found
    assert b"EXIF" not in found
    assert np.array_equal(pixels(found), pixels(content))


@pytest.mark.parametrize("name", ["WEBP", "lossless"])
def test_what_hides_behind_a_webp_picture_is_gone(name: str) -> None:
    content = file_of(name)
    size = struct.unpack_from("<L", content, 16)[0]
    hidden = archive() + b"\0" * (len(archive()) % 2)
    body = content[20 : 20 + size] + b"\0" * (size % 2) + hidden
    planted = (
        b"RIFF" + struct.pack("<L", 12 + len(body)) + content[8:16] + struct.pack("<L", len(body)) + body
    )
    found = clean.cleaned(planted, "x").content
    assert NEEDLE not in found
    assert np.array_equal(pixels(found), pixels(planted))  # encoded anew, without loss


def test_gif_becomes_png_with_the_same_pixels_and_nothing_else() -> None:
    out = io.BytesIO()
    photo("P").save(out, "GIF", comment=NEEDLE)
    planted = out.getvalue() + archive()
    found = clean.cleaned(planted, "x")
    assert found.type == "image/png"
    assert NEEDLE not in found.content
    assert np.array_equal(pixels(found.content)[..., :3], pixels(planted)[..., :3])


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_turned_picture_is_turned_upright(kind: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = orientation, NEEDLE.decode()
    left_red = Image.new("RGB", (48, 32), "blue")
    left_red.paste("red", (0, 0, 24, 32))
    out = io.BytesIO()
    left_red.save(out, kind, exif=exif.tobytes())
    found = clean.cleaned(out.getvalue(), "x")
    assert NEEDLE not in found.content
    # TIFF 6.0, tag 274: where the first row and the first column of the file are to be seen.
    red_at = {1: "left", 2: "right", 3: "right", 4: "left", 5: "top", 6: "top", 7: "bottom", 8: "bottom"}
    middle = {"left": (4, 16), "right": (43, 16), "top": (16, 4), "bottom": (16, 43)}[red_at[orientation]]
    assert found.size == ((48, 32) if orientation < 5 else (32, 48))
    with Image.open(io.BytesIO(found.content)) as picture:
        assert not picture.getexif()
        red, _, blue = picture.convert("RGB").getpixel(middle)
    assert (red > 200, blue < 60) == (True, True)


def profile_with_names() -> bytes:
    """Display P3's primaries in a profile that says whose screen it is."""
    made = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    at = made.index(b"desc", 128)
    entry = struct.unpack_from(">4sLL", made, at)
    text = made[entry[1] : entry[1] + entry[2]]
    planted = text[:28] + NEEDLE[: len(text) - 28].ljust(len(text) - 28, b"\0")
    return made[: entry[1]] + planted + made[entry[1] + entry[2] :]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_colours_stay_and_the_names_in_a_profile_go(kind: str) -> None:
    profile = profile_with_names()
    out = io.BytesIO()
    photo().save(out, kind, icc_profile=profile)
    found = clean.cleaned(out.getvalue(), "x").content
    assert NEEDLE[:8] in profile
    with Image.open(io.BytesIO(found)) as picture:
        kept = picture.info["icc_profile"]
        assert kept == rebuilt_profile(profile)
        assert NEEDLE[:8] not in kept
        lab = ImageCms.createProfile("LAB")
        seen = [
            np.asarray(
                ImageCms.profileToProfile(
                    picture.convert("RGB"), ImageCms.ImageCmsProfile(io.BytesIO(one)), lab, outputMode="LAB"
                )
            )
            for one in (profile, kept)
        ]
    assert np.array_equal(*seen)
    assert np.array_equal(pixels(found), pixels(out.getvalue()))


def test_pixels_have_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clean, "MOST_PIXELS", 90 * 61 - 1)
    for name in ("JPEG", "PNG", "WEBP"):
        with pytest.raises(InputError, match="too many pixels"):
            clean.cleaned(file_of(name), "x")


FILES = {name: file_of(name) for name in ("JPEG", "progressive", "PNG", "palette", "WEBP", "see-through")}


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(FILES)), st.data())
def test_a_broken_file_is_cleaned_or_refused(name: str, data: Any) -> None:
    content = bytearray(FILES[name])
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, 40))
    try:
        found = clean.cleaned(bytes(content[: len(content) - cut]), "x")
    except InputError as error:
        assert "\n" not in str(error)
    else:
        assert pixels(found.content).shape[:2] == found.size[::-1]


def test_broken_notes_of_a_camera_do_not_spoil_the_picture() -> None:
    """The width is a text, which no library can write again; how the camera was held is said well."""
    width = struct.pack(">HHLL", 0x0100, 2, 51, 38)
    held = struct.pack(">HHLHH", clean.ORIENTATION, 3, 1, 6, 0)
    notes = b"MM\0*" + struct.pack(">LH", 8, 2) + width + held + bytes(4) + NEEDLE.ljust(50, b"x") + b"\0"
    out = io.BytesIO()
    Image.new("RGB", (16, 8), "teal").save(out, "JPEG", exif=b"Exif\0\0" + notes)
    made = clean.cleaned(out.getvalue(), "a")
    assert made.size == (8, 16)
    assert NEEDLE not in made.content


def many_scans(times: int) -> bytes:
    """A progressive photograph whose last scan is there so many times more."""
    out = io.BytesIO()
    Image.new("RGB", (64, 64), "teal").save(out, "JPEG", progressive=True)
    whole = out.getvalue()
    last = whole[whole.rindex(b"\xff\xda") : -2]
    return whole[:-2] + last * times + b"\xff\xd9"


def test_scans_have_a_most() -> None:
    assert clean.cleaned(many_scans(0), "a").type == "image/jpeg"
    with pytest.raises(InputError, match=r'image "a": has over 100 scans'):
        clean.cleaned(many_scans(200), "a")


MEASURE = """
import io, sys
from PIL import Image
from captious.campaigns.store.pictures.clean import cleaned

def most():
    with open("/proc/self/status") as told:
        return int(told.read().split("VmHWM:")[1].split()[0]) * 1024

content = sys.stdin.buffer.read()
Image.new("RGB", (8, 8)).save(io.BytesIO(), "WEBP")  # what is loaded once is not counted
before = most()
made = cleaned(content, "a")
print((most() - before) / (made.size[0] * made.size[1]))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from Linux's /proc")
@pytest.mark.parametrize(("kind", "most"), [("WEBP", 18), ("PNG", 8)])
def test_memory_has_a_budget_of_bytes_a_pixel(kind: str, most: float) -> None:
    """A gigabyte for the largest picture, which WebP's decoder takes; PNG needs four bytes a pixel."""
    out = io.BytesIO()
    if kind == "PNG":
        head = struct.pack(">LLBBBBB", 3000, 3000, 16, 6, 0, 0, 0)
        rows = zlib.compress(bytes(3000 * (1 + 3000 * 8)))
        out.write(SIGNATURE + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b""))
    else:
        Image.new("RGB", (3000, 3000)).save(out, "WEBP", lossless=True, method=0)
    ran = subprocess.run(
        [sys.executable, "-c", MEASURE], input=out.getvalue(), check=True, stdout=subprocess.PIPE
    )
    assert float(ran.stdout) < most
