"""Photographs as arrays, whatever their files hold: one clear line or upright 8-bit RGB.

Rotation by EXIF is applied, transparent parts are shown on white (as raters see them on a page),
of an animation or a document the first frame counts, and 16-bit greys keep their high byte.
"""

from __future__ import annotations

import hashlib
import struct
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from captious.corpus.ids import IMAGE_SUFFIX
from captious.errors import InputError, MissingDependencyError, one_line
from captious.files import BROKEN_PICTURE, refuse_scans

if TYPE_CHECKING:
    from PIL import Image

RGB = NDArray[np.uint8]
"""Height x width x 3, red first."""

# Pillow's own line between a photograph and a decompression bomb: a quarter of a gigabyte of RGB.
MAX_PIXELS = 89_478_485
MAX_BYTES = 512 * 2**20
POSTSCRIPT = (b"%!PS", b"\xc5\xd0\xd3\xc6")  # Pillow would hand it to Ghostscript, a program
_WITH_ALPHA = ("RGBA", "LA", "PA", "La", "RGBa")
_ORIENTATION = 274  # EXIF 2.32
_READING_NOTES = threading.Lock()


def load_image(path: str | Path, max_pixels: int = MAX_PIXELS) -> RGB:
    """The photograph in a file, upright, as 8-bit RGB; `InputError` says why it cannot be read.

    >>> load_image("no/such/photograph.jpg")
    Traceback (most recent call last):
    ...
    captious.errors.InputError: no/such/photograph.jpg: there is no such file. Check the path.
    """
    return decode_image(read_file(path), str(path), max_pixels)


def read_file(path: str | Path) -> bytes:
    """The bytes of an image file; folders, pipes, empty and giant files are refused by name."""
    file, shown = Path(path), one_line(str(path), 200)
    if file.is_dir():
        raise InputError(f"{shown}: is a folder. Give the image files in it.")
    if not file.exists():
        raise InputError(f"{shown}: there is no such file. Check the path.")
    if not file.is_file():
        raise InputError(f"{shown}: is not a regular file. Give an image file.")
    try:
        size = file.stat().st_size
        if size > MAX_BYTES:
            raise InputError(
                f"{shown}: takes {size / 2**20:,.0f} MB; an image may have "
                f"at most {MAX_BYTES // 2**20} MB. Save it smaller."
            )
        content = file.read_bytes()
    except OSError as error:
        raise InputError(f"{shown}: {error.strerror or error}. Check the file's permissions.") from error
    if not content:
        raise InputError(f"{shown}: the file is empty. Download it again.")
    return content


def decode_image(content: bytes, name: str, max_pixels: int = MAX_PIXELS) -> RGB:
    """The photograph in `content`; `name` is what errors call it."""
    pillow = _pillow()
    shown = one_line(name, 200)
    refuse_scans(content, shown)
    try:
        with _open(pillow, content) as opened:
            width, height = opened.size
            if width * height > max_pixels:
                raise InputError(
                    f"{shown}: has {width:,} x {height:,} pixels; at most {max_pixels:,} "
                    "are allowed. Save it smaller."
                )
            opened.load()
            picture = _rgb(_upright(opened))
    except pillow.UnidentifiedImageError:
        raise InputError(f"{shown}: is not an image that Pillow can read. Save it as JPEG or PNG.") from None
    except pillow.Image.DecompressionBombError:
        raise InputError(
            f"{shown}: has more than {2 * MAX_PIXELS:,} pixels; at most {max_pixels:,} "
            "are allowed. Save it smaller."
        ) from None
    except BROKEN_PICTURE as error:
        reason = one_line(str(error) or type(error).__name__, 80).rstrip(".")
        raise InputError(f"{shown}: the image is broken or cut off ({reason}). Download it again.") from error
    return picture


def digest(content: bytes) -> bytes:
    """The name of an image by its content: 16 bytes, for keys of a cache.

    >>> digest(b"a photograph").hex()[:8]
    'a249e87e'
    """
    return hashlib.sha256(content).digest()[:16]


def image_files(paths: Sequence[str | Path]) -> dict[str, Path]:
    """Image id -> file, of files and of folders with everything below them.

    The id is the file's name; where two folders hold the same name, the path inside the folder or
    as given. Folders yield files with an image suffix that are not hidden, in the order of names.
    """
    found: dict[Path, str] = {}
    for given in map(Path, paths):
        for path, inside in _listed(given):
            found.setdefault(path, inside)
    if not found:
        raise InputError("no images were given. Give image files or a folder of them.")
    for name in (_base_name, lambda item: item[1], lambda item: item[0].as_posix()):
        ids = [name(item) for item in found.items()]
        if len(set(ids)) == len(ids):
            break
    return dict(zip(ids, found, strict=True))


def _base_name(item: tuple[Path, str]) -> str:
    return item[0].name


def _listed(given: Path) -> Iterable[tuple[Path, str]]:
    if not given.is_dir():
        return [(given, given.as_posix())]
    inside = [
        (path, path.relative_to(given).as_posix())
        for path in sorted(given.rglob("*"))
        if IMAGE_SUFFIX.search(path.name) and not path.name.startswith(".")
    ]
    if not inside:
        raise InputError(f"{given}: contains no image files (jpg, png, gif, bmp, webp, tiff).")
    return inside


def _pillow() -> Any:
    try:
        import PIL
        import PIL.Image
        import PIL.ImageOps
    except ImportError:
        raise MissingDependencyError("reading images needs Pillow", "detect") from None
    return PIL


def _open(pillow: Any, content: bytes) -> Image.Image:
    if content.startswith(POSTSCRIPT):
        raise pillow.UnidentifiedImageError
    with _quiet():
        return pillow.Image.open(BytesIO(content))


@contextmanager
def _quiet() -> Iterator[None]:
    """Pillow's warnings of large images and odd notes are errors above, or of no consequence."""
    # Filters belong to the whole process, hence the lock; decoding runs outside of it.
    with _READING_NOTES, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _upright(picture: Image.Image) -> Image.Image:
    from PIL import ImageOps

    try:
        with _quiet():
            if picture.getexif().get(_ORIENTATION, 1) == 1:
                return picture  # transposing would copy it
            return ImageOps.exif_transpose(picture)
    except (SyntaxError, ValueError, KeyError, TypeError, OSError, struct.error, OverflowError):
        return picture  # broken notes of the camera do not spoil the photograph


def _rgb(picture: Image.Image) -> RGB:
    if picture.mode == "F" or picture.mode.startswith("I"):
        grey = eight_bit(np.asarray(picture))
        return np.ascontiguousarray(np.broadcast_to(grey[..., None], (*grey.shape, 3)))
    if picture.mode in _WITH_ALPHA or "transparency" in picture.info:
        picture = _on_white(picture)
    if picture.mode != "RGB":
        picture = picture.convert("RGB")
    return np.array(picture, dtype=np.uint8)


def _on_white(picture: Image.Image) -> Image.Image:
    from PIL import Image

    layered = picture.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", layered.size, "white"), layered)


def eight_bit(grey: NDArray[Any]) -> RGB:
    """Deep greys in 8 bits: 16-bit integers keep their high byte, the range of others decides.

    Wider integers and floats are taken for 8-bit where they stay below 256, for 16-bit where they
    stay below 65,536 (floats in 0..1 are scaled by 255), and else stretched over their range.

    >>> eight_bit(np.array([[0, 255, 256, 65535]], dtype=np.uint16)).tolist()
    [[0, 0, 1, 255]]
    >>> eight_bit(np.array([[0.0, 0.5, 1.0]], dtype=np.float32)).tolist()
    [[0, 127, 255]]
    """
    if grey.dtype == np.uint16:
        return (grey >> 8).astype(np.uint8)
    values = np.nan_to_num(grey.astype(np.float64), posinf=0.0, neginf=0.0)
    low, high = float(values.min()), float(values.max())
    if low < 0 or high >= 65536:
        values = (values - low) * (255 / (high - low))
    elif high >= 256:
        values = values / 256
    elif high <= 1 and np.issubdtype(grey.dtype, np.floating):
        values = values * 255
    return values.astype(np.uint8)
