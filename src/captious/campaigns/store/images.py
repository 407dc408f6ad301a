"""Images of a campaign: checked by content, stripped of metadata, stored by what they hold.

A file is found by its digest only: no name that a person gives ever becomes a path.
"""

from __future__ import annotations

import hashlib
import io
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, select

from captious.campaigns.records import Campaign
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import insert_new, storable
from captious.errors import InputError, MissingDependencyError, one_line
from captious.files import atomically

if TYPE_CHECKING:
    from PIL import Image

MOST_BYTES = 30_000_000
MOST_PIXELS = 100_000_000
READ_FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
# What every browser shows; anything else becomes PNG, or JPEG where it has no transparency.
KEPT_FORMATS = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
JPEG_QUALITY = 92
_DIGEST = re.compile(r"[0-9a-f]{64}")
# What a file may say beside its picture without telling where, when or by whom it was taken.
_HARMLESS = frozenset(
    {
        "jfif",
        "jfif_version",
        "jfif_unit",
        "jfif_density",
        "dpi",
        "icc_profile",
        "progressive",
        "progression",
        "adobe",
        "adobe_transform",
        "gamma",
        "srgb",
        "aspect",
        "interlace",
        "transparency",
        "background",
        "loop",
        "timestamp",
        "duration",
        "chromaticity",
    }
)


class Stored(NamedTuple):
    """An image that lies in the folder of files."""

    digest: str
    type: str
    width: int
    height: int
    bytes: int


def store_image(db: Database, campaign: Campaign, key: str, source: Path | bytes) -> Stored:
    """Check an image and store it under a key of the campaign; the same key again replaces it."""
    stored = prepare(db, source, key)
    table = schema.image
    with db.write() as connection:
        connection.execute(table.delete().where(table.c.campaign_id == campaign.id, table.c.key == key))
        remember(connection, campaign, [(key, stored)])
    return stored


def prepare(db: Database, source: Path | bytes, key: str) -> Stored:
    """Check an image and put its file in place; no row tells of it yet."""
    content = source if isinstance(source, bytes) else _read(source)
    clean, kind, size = cleaned(content, storable(key, "image"))
    digest = hashlib.sha256(clean).hexdigest()
    path = _path(db, digest)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomically(path) as temporary:
            temporary.write_bytes(clean)
    return Stored(digest, kind, *size, len(clean))


def remember(connection: Connection, campaign: Campaign, stored: Sequence[tuple[str, Stored]]) -> None:
    """Give prepared images their keys; a key that is there already stays as it is."""
    rows = [{"campaign_id": campaign.id, "key": key, **one._asdict()} for key, one in stored]
    insert_new(connection, schema.image, rows)


def image_file(db: Database, campaign: Campaign, digest: str) -> tuple[Path, str]:
    """The file of one of the campaign's images and its type, by digest."""
    table = schema.image
    if _DIGEST.fullmatch(digest):
        wanted = select(table.c.type).where(table.c.campaign_id == campaign.id, table.c.digest == digest)
        with db.read() as connection:
            kind = connection.execute(wanted.limit(1)).scalar()
        path = _path(db, digest)
        if kind is not None and path.is_file():
            return path, kind
    raise InputError(f'image "{one_line(digest, 20)}": this campaign has no such image.')


def digest_of(db: Database, campaign: Campaign, image_key: str) -> str | None:
    """The digest of an image by its key; None where the campaign has no file of it."""
    table = schema.image
    wanted = select(table.c.digest).where(table.c.campaign_id == campaign.id, table.c.key == image_key)
    with db.read() as connection:
        return connection.execute(wanted).scalar()


def cleaned(content: bytes, name: str) -> tuple[bytes, str, tuple[int, int]]:
    """Return an image's bytes with nothing but the picture in them, its type and its size.

    Turned upright as its camera meant it, first frame only, no EXIF (where, when, whose camera).
    """
    if len(content) > MOST_BYTES:
        raise InputError(
            f'image "{one_line(name)}": {len(content):,} bytes are too many. Give {MOST_BYTES:,} at most.'
        )
    pillow = _pillow()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pillow.DecompressionBombWarning)
            with pillow.open(io.BytesIO(content), formats=READ_FORMATS) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    raise _too_large(name)
                picture.load()
                if _plain(picture):
                    return content, KEPT_FORMATS[str(picture.format)], picture.size
                return _encoded(picture, name)
    except (OSError, SyntaxError, ValueError, EOFError, ZeroDivisionError, OverflowError):
        raise InputError(
            f'image "{one_line(name)}": this is no image that can be read. Give JPEG, PNG, WebP or GIF.'
        ) from None
    except (pillow.DecompressionBombWarning, pillow.DecompressionBombError):
        raise _too_large(name) from None


def _plain(picture: Image.Image) -> bool:
    """Whether the file can stay as it is: a kept format, one frame, nothing but the picture."""
    return (
        picture.format in KEPT_FORMATS
        and getattr(picture, "n_frames", 1) == 1
        and set(picture.info) <= _HARMLESS
        and not picture.getexif()
    )


def _encoded(picture: Image.Image, name: str) -> tuple[bytes, str, tuple[int, int]]:
    from PIL import ImageOps

    kind = picture.format or ""
    profile = picture.info.get("icc_profile")
    picture.seek(0)
    upright = ImageOps.exif_transpose(picture)
    if kind not in KEPT_FORMATS:
        kind = "PNG" if upright.has_transparency_data else "JPEG"
    if kind == "JPEG" and upright.mode not in ("L", "RGB"):
        upright = upright.convert("RGB")
    elif kind != "JPEG" and upright.mode not in ("L", "LA", "RGB", "RGBA", "P", "1"):
        upright = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    out = io.BytesIO()
    options: dict[str, Any] = {"quality": JPEG_QUALITY} if kind == "JPEG" else {}
    if kind == "WEBP":
        options = {"quality": JPEG_QUALITY, "method": 4}
    # A colour profile is part of how the picture looks; nothing else is kept.
    upright.info = {name: value for name, value in upright.info.items() if name == "transparency"}
    upright.save(out, kind, icc_profile=profile, **options)
    return out.getvalue(), KEPT_FORMATS[kind], upright.size


def _too_large(name: str) -> InputError:
    return InputError(f'image "{one_line(name)}": it has too many pixels. Give {MOST_PIXELS:,} at most.')


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path}: too large for an image. Give {MOST_BYTES:,} bytes at most.")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from None


def _path(db: Database, digest: str) -> Path:
    return db.files / "images" / digest[:2] / digest


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise MissingDependencyError("Pillow is needed for images", "web") from None
    return Image
