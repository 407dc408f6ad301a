from __future__ import annotations

import io
import os
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from captious.campaigns.store import erasing, images
from captious.campaigns.store.database import Database
from captious.campaigns.store.images import WIDTHS, narrower
from captious.campaigns.store.pictures import clean
from captious.errors import InputError


def encoded(kind: str, mode: str = "RGB", size: tuple[int, int] = (40, 20), **options) -> bytes:
    pixels = np.random.default_rng(1).integers(0, 255, (size[1], size[0], 4), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels, "RGBA").convert(mode).save(out, kind, **options)
    return out.getvalue()


def with_exif(orientation: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "A camera of mine"
    exif.get_ifd(0x8825)[1] = "N"  # where it was taken
    return encoded("JPEG", exif=exif.tobytes())


@pytest.mark.parametrize(
    ("kind", "mode", "stored"),
    [
        ("JPEG", "RGB", "image/jpeg"),
        ("JPEG", "L", "image/jpeg"),
        ("PNG", "RGBA", "image/png"),
        ("PNG", "P", "image/png"),
        ("WEBP", "RGB", "image/webp"),
        ("GIF", "P", "image/png"),
        ("BMP", "RGB", "image/png"),
        ("TIFF", "CMYK", "image/png"),
        ("JPEG", "CMYK", "image/jpeg"),
    ],
)
def test_images_are_stored_by_what_they_hold(
    db: Database, make_campaign, kind: str, mode: str, stored: str
) -> None:
    campaign, _ = make_campaign()
    found = images.store_image(db, campaign, "i1", encoded(kind, mode))
    assert (found.type, found.width, found.height) == (stored, 40, 20)
    assert images.digest_of(db, campaign, "i1") == found.digest
    path, type_ = images.image_file(db, campaign, found.digest)
    assert path == db.files / "images" / found.digest[:2] / found.digest
    assert type_ == stored
    with Image.open(path) as picture:
        assert Image.MIME[picture.format] == stored
        assert picture.size == (40, 20)


def test_a_plain_image_keeps_its_bytes(db: Database, make_campaign) -> None:
    campaign, _ = make_campaign()
    content = encoded("JPEG")
    found = images.store_image(db, campaign, "i1", content)
    assert images.image_file(db, campaign, found.digest)[0].read_bytes() == content


def test_metadata_goes_and_the_picture_stands_upright(db: Database, make_campaign) -> None:
    campaign, _ = make_campaign()
    found = images.store_image(db, campaign, "i1", with_exif(6))
    assert (found.width, found.height) == (20, 40)  # turned by a quarter
    content = images.image_file(db, campaign, found.digest)[0].read_bytes()
    assert b"camera of mine" not in content
    with Image.open(io.BytesIO(content)) as picture:
        assert not picture.getexif()


def test_comments_and_text_chunks_go(db: Database, make_campaign) -> None:
    from PIL.PngImagePlugin import PngInfo

    notes = PngInfo()
    notes.add_text("Author", "somebody private")
    campaign, _ = make_campaign()
    for content in (encoded("PNG", pnginfo=notes), encoded("JPEG", comment=b"somebody private")):
        found = images.store_image(db, campaign, "i1", content)
        assert b"private" in content
        stored = images.image_file(db, campaign, found.digest)[0].read_bytes()
        assert b"private" not in stored


def test_only_the_first_frame_is_kept(db: Database, make_campaign) -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    campaign, _ = make_campaign()
    found = images.store_image(db, campaign, "i1", out.getvalue())
    with Image.open(images.image_file(db, campaign, found.digest)[0]) as picture:
        assert getattr(picture, "n_frames", 1) == 1
        red, _, blue = picture.convert("RGB").getpixel((4, 4))
        assert (red > 200, blue < 60) == (True, True)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"GIF89a",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>",
        b"%PDF-1.4 not an image",
        b"\xff\xd8\xff\xe0" + b"\x00" * 50,
        encoded("PNG")[:60],
    ],
)
def test_what_is_no_image_is_refused(content: bytes) -> None:
    with pytest.raises(InputError, match='image "x": this is not a readable image'):
        clean.cleaned(content, "x")


def test_too_large_images_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clean, "MOST_PIXELS", 500)
    with pytest.raises(InputError, match="too many pixels"):
        clean.cleaned(encoded("PNG"), "x")
    monkeypatch.setattr(clean, "MOST_BYTES", 100)
    with pytest.raises(InputError, match="bytes are too many"):
        clean.cleaned(encoded("PNG"), "x")


def test_a_decompression_bomb_is_refused() -> None:
    out = io.BytesIO()
    Image.new("1", (20_000, 20_000)).save(out, "PNG")
    assert len(out.getvalue()) < 100_000  # small to send, 400 million pixels to hold
    with pytest.raises(InputError, match="too many pixels"):
        clean.cleaned(out.getvalue(), "bomb")


def test_a_file_that_is_gone_or_too_large_is_one_line(
    db: Database, make_campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign, _ = make_campaign()
    with pytest.raises(InputError, match="cannot be read"):
        images.store_image(db, campaign, "i1", tmp_path / "none.jpg")
    path = tmp_path / "large.png"
    path.write_bytes(encoded("PNG"))
    monkeypatch.setattr(images, "MOST_BYTES", 100)
    with pytest.raises(InputError, match="too large"):
        images.store_image(db, campaign, "i1", path)


def test_images_are_found_by_digest_in_their_campaign_only(db: Database, make_campaign) -> None:
    one, _ = make_campaign(title="One")
    two, _ = make_campaign(title="Two")
    found = images.store_image(db, one, "../../etc/passwd", encoded("PNG"))
    assert images.image_file(db, one, found.digest)[0].is_relative_to(db.files)
    nasty = ("../../../etc/passwd", "", found.digest.upper(), found.digest + "/..", "\x00", "0" * 64)
    for digest in (*nasty, found.digest):
        with pytest.raises(InputError, match="no such image"):
            images.image_file(db, two, digest)
    for digest in nasty:
        with pytest.raises(InputError, match="no such image"):
            images.image_file(db, one, digest)
    assert images.digest_of(db, one, "no such key") is None


def test_the_same_key_again_replaces_the_image(db: Database, make_campaign) -> None:
    campaign, _ = make_campaign()
    images.store_image(db, campaign, "i1", encoded("PNG"))
    second = images.store_image(db, campaign, "i1", encoded("JPEG"))
    assert images.digest_of(db, campaign, "i1") == second.digest


def test_a_wide_picture_has_copies_that_live_and_end_with_it(db: Database, make_campaign) -> None:
    campaign, _ = make_campaign()
    found = images.store_image(db, campaign, "i1", encoded("PNG", size=(1500, 60)))
    widths = []
    for width in (640, 1280, 2560, 7):
        path, kind = images.image_file(db, campaign, found.digest, width)
        with Image.open(path) as shown:
            widths.append((shown.width, kind))
    # The copy of 2560 would be larger than the picture: the file itself is sent, as for any other width.
    assert widths == [(640, "image/webp"), (1280, "image/webp"), (1500, "image/png"), (1500, "image/png")]
    copies = sorted((db.files / "images" / found.digest[:2]).iterdir())
    assert len(copies) == 3
    for path in copies:
        os.utime(path, (0, 0))
    assert erasing.finish(db) == 0  # nothing is left over
    images.store_image(db, campaign, "i1", encoded("PNG"))  # another picture takes its place
    for path in copies:
        os.utime(path, (0, 0))
    assert erasing.finish(db) == 3


PHONE = 300_000  # bytes


def photograph(width: int, height: int) -> bytes:
    """Clouds with the grain of a camera: what makes files of photographs large."""
    rng = np.random.default_rng(5)
    shape = (height // 40, width // 40, 3)
    coarse = Image.fromarray(rng.integers(0, 256, shape, dtype=np.uint8))
    smooth = np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC), dtype=np.int16)
    grain = rng.normal(0, 4, (height, width, 1)).astype(np.int16)
    out = BytesIO()
    Image.fromarray(np.clip(smooth + grain, 0, 255).astype(np.uint8)).save(out, "JPEG", quality=92)
    return out.getvalue()


def test_a_photograph_of_20_megapixels_is_small_on_a_phone() -> None:
    whole = photograph(5472, 3648)
    found = narrower(whole)
    assert sorted(found) == list(WIDTHS)
    for width, content in found.items():
        with Image.open(BytesIO(content)) as copy:
            assert copy.size == (width, round(width * 3648 / 5472))
    # 390 pixels at three dots each are 1170: the browser takes the copy of 1280.
    assert len(found[1280]) < PHONE
    assert len(whole) > 10 * len(found[1280])


def test_small_pictures_have_no_copies_and_transparency_is_kept() -> None:
    assert narrower(photograph(640, 480)) == {}
    out = BytesIO()
    rng = np.random.default_rng(1)
    Image.fromarray(rng.integers(0, 256, (500, 1000, 4), dtype=np.uint8)).save(out, "PNG")
    with Image.open(BytesIO(narrower(out.getvalue())[640])) as copy:
        assert (copy.mode, copy.size) == ("RGBA", (640, 320))
