"""An image's bytes with nothing in them but the picture, decoded within a budget of memory.

JPEG, PNG and WebP are put together again from known parts, so that every pixel stays as it was; only
where that cannot be, or where something hides behind the compressed data, is the picture encoded
anew. EXIF, XMP, C2PA, comments, thumbnails, private chunks and whatever was appended all stay behind.
"""

from __future__ import annotations

import hashlib
import io
import threading
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from captious.campaigns.store.pictures.icc import rebuilt_profile
from captious.campaigns.store.pictures.jpeg import rebuild_jpeg
from captious.campaigns.store.pictures.parts import CannotRebuildError, Rebuilt
from captious.campaigns.store.pictures.png import rebuild_png
from captious.campaigns.store.pictures.webp import rebuild_webp
from captious.errors import InputError, MissingDependencyError, one_line
from captious.files import BROKEN_PICTURE, refuse_scans

if TYPE_CHECKING:
    from PIL import Image

MOST_BYTES = 30_000_000
MOST_PIXELS = 64_000_000
READ_FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
# What every browser shows; anything else becomes PNG, which loses nothing.
TYPES = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
REBUILD = {"JPEG": rebuild_jpeg, "PNG": rebuild_png, "WEBP": rebuild_webp}
PNG_MODES = ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")
JPEG_QUALITY = 95
ORIENTATION = 0x0112
PROBE_BYTES = 64
STRIP_BYTES = 1 << 20
# A picture takes four bytes a pixel, and up to four times that while WebP is decoded: a gigabyte at most,
# because there is never more than one, and never two of its copies.
_ONE_AT_A_TIME = threading.BoundedSemaphore(1)


class Clean(NamedTuple):
    """An image fit to be stored."""

    content: bytes
    type: str
    size: tuple[int, int]


def cleaned(content: bytes, name: str) -> Clean:
    """The picture alone: first frame only, turned upright as its camera meant it."""
    if len(content) > MOST_BYTES:
        raise InputError(
            f'image "{one_line(name)}": {len(content):,} bytes are too many. Give {MOST_BYTES:,} at most.'
        )
    refuse_scans(content, f'image "{one_line(name)}"')
    pillow = _pillow()
    try:
        with _ONE_AT_A_TIME, warnings.catch_warnings():
            warnings.simplefilter("error", pillow.DecompressionBombWarning)
            return _cleaned(pillow, content, name)
    except BROKEN_PICTURE:
        raise InputError(
            f'image "{one_line(name)}": this is not a readable image. Give JPEG, PNG, WebP or GIF.'
        ) from None
    except (pillow.DecompressionBombWarning, pillow.DecompressionBombError):
        raise _too_large(name) from None


def _cleaned(pillow: Any, content: bytes, name: str) -> Clean:
    found = _seen(pillow, content, name)
    if found.kind in REBUILD and found.upright:
        rebuilt = _rebuilt(pillow, found, content)
        if rebuilt is not None:
            return Clean(rebuilt, TYPES[found.kind], found.size)
    with pillow.open(io.BytesIO(content), formats=READ_FORMATS) as picture:
        picture.load()
        return _encoded(picture, found.kind)


class _Seen(NamedTuple):
    """What is known of a picture that is no longer held."""

    kind: str
    upright: bool
    size: tuple[int, int]
    pixels: tuple[object, ...]


def _seen(pillow: Any, content: bytes, name: str) -> _Seen:
    with pillow.open(io.BytesIO(content), formats=READ_FORMATS) as picture:
        if picture.width * picture.height > MOST_PIXELS:
            raise _too_large(name)
        picture.load()
        kind = "JPEG" if picture.format == "MPO" else str(picture.format)
        upright = picture.getexif().get(ORIENTATION, 1) in (0, 1)
        return _Seen(kind, upright, picture.size, _pixels(picture))


def _rebuilt(pillow: Any, found: _Seen, content: bytes) -> bytes | None:
    """The same picture from known parts; None where it would differ, or where something hides in it."""
    try:
        made: Rebuilt = REBUILD[found.kind](content)
    except CannotRebuildError:
        return None
    pixels = found.pixels
    if _decoded(pillow, made.content) != pixels:
        return None
    hides = any(_decoded(pillow, shorter) == pixels for shorter in made.shortened(PROBE_BYTES))
    return None if hides else made.content


def _decoded(pillow: Any, content: bytes) -> tuple[object, ...] | None:
    """The pixels of a file; None where it cannot be decoded."""
    try:
        with pillow.open(io.BytesIO(content), formats=tuple(REBUILD)) as picture:
            picture.load()
            return _pixels(picture)
    except BROKEN_PICTURE:
        return None


def _pixels(picture: Image.Image) -> tuple[object, ...]:
    """What makes two pictures the same; a strip at a time, for all at once would be a second picture."""
    palette = bytes(picture.getpalette() or ()) if picture.mode == "P" else b""
    transparency = picture.info.get("transparency")
    width, height = picture.size
    rows = max(1, STRIP_BYTES // (4 * max(1, width)))
    digest = hashlib.blake2b()
    for top in range(0, height, rows):
        digest.update(picture.crop((0, top, width, min(height, top + rows))).tobytes())
    return picture.mode, picture.size, palette, transparency, digest.digest()


def _encoded(picture: Image.Image, kind: str) -> Clean:
    """The picture encoded anew."""
    picture.seek(0)
    profile = picture.info.get("icc_profile")
    upright = _upright(picture)
    transparency = upright.info.get("transparency")
    if profile:
        try:
            profile = rebuilt_profile(profile)
        except CannotRebuildError:
            upright, profile = _in_srgb(upright, profile), None
    kind = kind if kind in TYPES else "PNG"
    if kind == "JPEG" and upright.mode not in ("L", "RGB"):
        upright = upright.convert("RGB")
    elif kind != "JPEG" and upright.mode not in PNG_MODES:
        upright = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    upright.info = {} if transparency is None else {"transparency": transparency}
    out = io.BytesIO()
    upright.save(out, kind, icc_profile=profile, **_options(kind))
    return Clean(out.getvalue(), TYPES[kind], upright.size)


def _upright(picture: Image.Image) -> Image.Image:
    """The picture as its camera was held; its other notes, which may be broken, are not looked at."""
    from PIL import Image

    ways = Image.Transpose
    turned = {
        2: ways.FLIP_LEFT_RIGHT,
        3: ways.ROTATE_180,
        4: ways.FLIP_TOP_BOTTOM,
        5: ways.TRANSPOSE,
        6: ways.ROTATE_270,
        7: ways.TRANSVERSE,
        8: ways.ROTATE_90,
    }
    way = turned.get(picture.getexif().get(ORIENTATION, 1))
    return picture if way is None else picture.transpose(way)


def _options(kind: str) -> dict[str, Any]:
    return {
        "JPEG": {"quality": JPEG_QUALITY, "subsampling": 0},
        "WEBP": {"lossless": True, "quality": 60, "method": 4},
    }.get(kind, {})


def _in_srgb(picture: Image.Image, profile: bytes) -> Image.Image:
    """The colours of a profile that cannot be kept, as every screen shows them without one."""
    from PIL import ImageCms

    try:
        given = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        turned = ImageCms.profileToProfile(picture, given, ImageCms.createProfile("sRGB"), outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError):
        return picture
    return picture if turned is None or "A" in picture.getbands() else turned


def _too_large(name: str) -> InputError:
    return InputError(f'image "{one_line(name)}": it has too many pixels. Give {MOST_PIXELS:,} at most.')


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise MissingDependencyError("Pillow is needed for images", "web") from None
    return Image
