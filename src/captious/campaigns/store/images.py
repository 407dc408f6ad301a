"""Images of a campaign: checked by content, stripped of metadata, stored by what they hold.

A file is found by its digest only: no name that a person gives ever becomes a path.

Each is also kept in the widths of screens, so that a phone is not sent a camera's twenty megapixels.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, select

from captious.campaigns.records import Campaign
from captious.campaigns.store import schema
from captious.campaigns.store.columns import checked_id
from captious.campaigns.store.database import Database
from captious.campaigns.store.pictures.clean import MOST_BYTES, cleaned
from captious.campaigns.store.rows import insert_new
from captious.errors import InputError, one_line
from captious.files import atomically

WIDTHS = (640, 1280, 2560)
QUALITY = 75


def narrower(content: bytes) -> Mapping[int, bytes]:
    """The picture as WebP in each of `WIDTHS` that it exceeds; files that are no smaller are left out.

    `content` is a picture that `cleaned` has made.
    """
    from PIL import Image

    found: dict[int, bytes] = {}
    with Image.open(io.BytesIO(content)) as picture:
        whole = picture.width
        profile = picture.info.get("icc_profile")
        # JPEG is decoded at a fraction of its size where that is enough.
        picture.draft(None, (min(whole, max(WIDTHS)), 1))
        shown: Image.Image = picture
        for width in sorted((one for one in WIDTHS if one < whole), reverse=True):
            height = max(1, round(width * picture.height / picture.width))
            if shown.mode not in ("RGB", "RGBA"):
                shown = shown.convert("RGBA" if shown.has_transparency_data else "RGB")
            shown = shown.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=3.0)
            out = io.BytesIO()
            shown.save(out, "WEBP", quality=QUALITY, icc_profile=profile)
            if out.tell() < len(content):
                found[width] = out.getvalue()
    return found


_DIGEST = re.compile(r"[0-9a-f]{64}")


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
    clean = cleaned(content, checked_id(key, "image"))
    digest = hashlib.sha256(clean.content).hexdigest()
    path = path_of(db, digest)
    if path.exists():
        for one in (path, *(path_of(db, digest, width) for width in WIDTHS)):
            if one.exists():
                one.touch()  # nobody may take it for one that is left over
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        # The picture itself comes last: where it is, its smaller copies are.
        for width, content in narrower(clean.content).items():
            _write(path_of(db, digest, width), content)
        _write(path, clean.content)
    return Stored(digest, clean.type, *clean.size, len(clean.content))


def remember(connection: Connection, campaign: Campaign, stored: Sequence[tuple[str, Stored]]) -> None:
    """Give prepared images their keys; a key that is there already stays as it is."""
    rows = [{"campaign_id": campaign.id, "key": key, **one._asdict()} for key, one in stored]
    insert_new(connection, schema.image, rows)


def _write(path: Path, content: bytes) -> None:
    with atomically(path) as temporary:
        temporary.write_bytes(content)


def image_file(db: Database, campaign: Campaign, digest: str, width: int = 0) -> tuple[Path, str]:
    """The file of one of the campaign's images and its type, by digest.

    With `width`, a copy of about that width where there is one.
    """
    table = schema.image
    if _DIGEST.fullmatch(digest):
        wanted = select(table.c.type).where(table.c.campaign_id == campaign.id, table.c.digest == digest)
        with db.read() as connection:
            kind = connection.execute(wanted.limit(1)).scalar()
        path = path_of(db, digest)
        copy = path_of(db, digest, width)
        if kind is not None and width in WIDTHS and copy.is_file():
            return copy, "image/webp"
        if kind is not None and path.is_file():
            return path, kind
    raise InputError(f'image "{one_line(digest, 20)}": this campaign has no such image.')


def digest_of(db: Database, campaign: Campaign, image_key: str) -> str | None:
    """The digest of an image by its key; None where the campaign has no file of it."""
    table = schema.image
    wanted = select(table.c.digest).where(table.c.campaign_id == campaign.id, table.c.key == image_key)
    with db.read() as connection:
        return connection.execute(wanted).scalar()


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path}: too large for an image. Give {MOST_BYTES:,} bytes at most.")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from None


def path_of(db: Database, digest: str, width: int = 0) -> Path:
    """Where an image of that digest lies, once it is kept, or its copy of a width."""
    return db.files / "images" / digest[:2] / (f"{digest}.{width}.webp" if width else digest)
