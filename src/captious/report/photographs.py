"""Photographs for the page: small copies, embedded, beside the page, or links to the originals."""

from __future__ import annotations

import hashlib
import os
import warnings
from base64 import b64encode
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from captious.errors import CaptiousWarning, InputError
from captious.files import cache_folder

LONGEST_SIDE = 480
JPEG_QUALITY = 78
# Larger pages open slowly; beyond this the photographs lie beside the page.
EMBED_AT_MOST = 8 * 2**20


class ImageMode(StrEnum):
    """Where the photographs of a report are."""

    auto = "auto"
    embed = "embed"
    beside = "beside"
    link = "link"


class Photograph(NamedTuple):
    """What an `img` element needs: an address and a size."""

    src: str
    width: int
    height: int


class _Thumbnail(NamedTuple):
    name: str
    content: bytes
    width: int
    height: int


def photographs(
    paths: Sequence[str | None], page: Path, mode: ImageMode = ImageMode.auto
) -> list[Photograph | None]:
    """The photograph of each image, as the page at `page` will show it; `None` where there is none.

    `auto` embeds where the small copies take at most 8 MB in all, and else writes them to the
    folder `<page>_files`.
    """
    if not any(paths):
        return [None for _ in paths]
    if mode is ImageMode.link:
        return [_linked(path, page) if path else None for path in paths]
    made = _thumbnails(paths)
    total = sum(len(one.content) for one in made if one)
    if mode is ImageMode.embed or (mode is ImageMode.auto and total <= EMBED_AT_MOST):
        return [_embedded(one) if one else None for one in made]
    folder = page.with_name(f"{page.stem}_files")
    folder.mkdir(parents=True, exist_ok=True)
    return [_beside(one, folder) if one else None for one in made]


def _thumbnails(paths: Sequence[str | None]) -> list[_Thumbnail | None]:
    """A small copy of each; an image that cannot be read is left out with a warning."""

    def made(path: str | None) -> _Thumbnail | InputError | None:
        try:
            return _thumbnail(Path(path)) if path else None
        except InputError as error:
            return error

    # Pillow decodes and scales outside the interpreter's lock, so threads use every core.
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        found = list(pool.map(made, paths))
    broken = [one for one in found if isinstance(one, InputError)]
    if broken:
        more = f" ({len(broken) - 1:,} more are left out.)" if len(broken) > 1 else ""
        warnings.warn(f"{broken[0]}{more}", CaptiousWarning, stacklevel=2)
    return [None if isinstance(one, InputError) else one for one in found]


def _thumbnail(path: Path) -> _Thumbnail:
    """A JPEG of at most 480 pixels a side, kept under the hash of content and settings."""
    original = path.read_bytes()
    digest = hashlib.sha256(original)
    digest.update(f"{LONGEST_SIDE}/{JPEG_QUALITY}".encode())
    name = f"{digest.hexdigest()[:32]}.jpg"
    kept = cache_folder() / "thumbnails" / name
    if kept.is_file():
        content = kept.read_bytes()
    else:
        content = _scaled(original, path)
        _keep(kept, content)
    width, height = _size(content)
    return _Thumbnail(name, content, width, height)


def _scaled(original: bytes, path: Path) -> bytes:
    from io import BytesIO

    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(BytesIO(original)) as opened:
            # A JPEG can be decoded at a fraction of its size, which saves most of the work.
            opened.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
            picture = ImageOps.exif_transpose(opened).convert("RGB")
            picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            picture.info.clear()  # no comments of the camera or the photographer
            target = BytesIO()
            picture.save(target, "JPEG", quality=JPEG_QUALITY)
    except (UnidentifiedImageError, OSError) as error:
        raise InputError(
            f"{path}: cannot be read as an image. Replace the file, or leave it out of the folder."
        ) from error
    return target.getvalue()


def _size(content: bytes) -> tuple[int, int]:
    from io import BytesIO

    from PIL import Image

    with Image.open(BytesIO(content)) as opened:
        width, height = opened.size
    return width, height


def _keep(path: Path, content: bytes) -> None:
    """Put a file into the cache atomically; a cache that cannot be written is no error."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)


def _embedded(one: _Thumbnail) -> Photograph:
    text = b64encode(one.content).decode()
    return Photograph(f"data:image/jpeg;base64,{text}", one.width, one.height)


def _beside(one: _Thumbnail, folder: Path) -> Photograph:
    target = folder / one.name
    if not target.is_file() or target.stat().st_size != len(one.content):
        target.write_bytes(one.content)
    return Photograph(f"{quote(folder.name)}/{one.name}", one.width, one.height)


def _linked(path: str, page: Path) -> Photograph:
    from PIL import Image

    relative = os.path.relpath(Path(path).resolve(), page.resolve().parent)
    with Image.open(path) as opened:
        width, height = opened.size
    return Photograph(quote(Path(relative).as_posix()), width, height)
