"""Find the image files of a corpus in a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from captious.corpus.ids import IMAGE_SUFFIX, loose_id
from captious.corpus.readers.open import PathText
from captious.errors import InputError

# How files of each kind begin. A file that begins otherwise is no image, whatever its name says.
_BEGINNINGS = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF8", b"BM", b"RIFF", b"II*\0", b"MM\0*")


def looks_like_an_image(path: PathText) -> bool:
    """Whether a file begins as JPEG, PNG, GIF, BMP, WebP and TIFF files do; nothing is decoded."""
    try:
        with Path(path).open("rb") as file:
            return file.read(8).startswith(_BEGINNINGS)
    except OSError:
        return False


def find_images(
    folder: PathText, image_ids: Sequence[str], file_names: Mapping[str, str] | None = None
) -> list[str | None]:
    """The path of each image in a folder and the folders below it; `None` where there is none.

    An image is found, in this order, by the file name that COCO annotations give it, by its id as
    a path or file name, with or without suffix, and by number (`COCO_val2014_000000391895.jpg` and
    `000000391895.jpg` are 391895). The folder is listed once, ids are only looked up in that list,
    and so no id can lead out of the folder.
    """
    index = _index(Path(folder))
    known = file_names or {}
    return [
        next((index[key] for key in _keys(image, known.get(image)) if key in index), None)
        for image in image_ids
    ]


def _keys(image: str, file_name: str | None) -> list[str]:
    named = [file_name.casefold()] if file_name else []
    folded = image.replace("\\", "/").casefold()
    base = folded.rpartition("/")[2]
    return [*named, folded, base, IMAGE_SUFFIX.sub("", base), "number:" + loose_id(image)]


def _index(folder: Path) -> dict[str, str]:
    if not folder.exists():
        raise InputError(f"{folder}: there is no such folder of images. Check the path.")
    if not folder.is_dir():
        raise InputError(f"{folder}: is a file. Give the folder that holds the images.")
    index: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if IMAGE_SUFFIX.search(path.name) and path.is_file():
            inside = path.relative_to(folder).as_posix().casefold()
            name = path.name.casefold()
            for key in (inside, name, IMAGE_SUFFIX.sub("", name), "number:" + loose_id(name)):
                index.setdefault(key, str(path))
    if not index:
        raise InputError(f"{folder}: contains no image files (jpg, png, gif, bmp, webp, tiff).")
    return index
