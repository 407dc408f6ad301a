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
# A picture takes four bytes a pixel, and once more while it is looked at: half a gigabyte at most,
# because there is never more than one.
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
    pillow = _pillow()
    try:
        with _ONE_AT_A_TIME, warnings.catch_warnings():
            warnings.simplefilter("error", pillow.DecompressionBombWarning)
            return _cleaned(pillow, content, name)
    except (OSError, SyntaxError, ValueError, EOFError, ZeroDivisionError, OverflowError):
        raise InputError(
            f'image "{one_line(name)}": this is no image that can be read. Give JPEG, PNG, WebP or GIF.'
        ) from None
    except (pillow.DecompressionBombWarning, pillow.DecompressionBombError):
        raise _too_large(name) from None


def _cleaned(pillow: Any, content: bytes, name: str) -> Clean:
    with pillow.open(io.BytesIO(content), formats=READ_FORMATS) as picture:
        if picture.width * picture.height > MOST_PIXELS:
            raise _too_large(name)
        picture.load()
        kind = "JPEG" if picture.format == "MPO" else str(picture.format)
        upright = picture.getexif().get(ORIENTATION, 1) in (0, 1)
        if kind in REBUILD and upright:
            rebuilt = _rebuilt(pillow, kind, content, picture)
            if rebuilt is not None:
                return Clean(rebuilt, TYPES[kind], picture.size)
        return _encoded(picture, kind)


def _rebuilt(pillow: Any, kind: str, content: bytes, picture: Image.Image) -> bytes | None:
    """The same picture from known parts; None where it would differ, or where something hides in it."""
    try:
        made: Rebuilt = REBUILD[kind](content)
    except CannotRebuildError:
        return None
    pixels = _pixels(picture)
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
    except (OSError, SyntaxError, ValueError, EOFError):
        return None


def _pixels(picture: Image.Image) -> tuple[object, ...]:
    """What makes two pictures the same."""
    palette = bytes(picture.getpalette() or ()) if picture.mode == "P" else b""
    transparency = picture.info.get("transparency")
    digest = hashlib.blake2b(picture.tobytes()).digest()
    return picture.mode, picture.size, palette, transparency, digest


def _encoded(picture: Image.Image, kind: str) -> Clean:
    """The picture encoded anew."""
    from PIL import ImageOps

    picture.seek(0)
    profile = picture.info.get("icc_profile")
    upright = ImageOps.exif_transpose(picture)
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
