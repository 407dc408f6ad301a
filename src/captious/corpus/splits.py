"""Which part an image is in: training, validation or test. A value that is stored with what was trained.

An image is one image however its id is spelled (`loose_id`), and in one part only.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from captious.corpus.ids import clean_ids, loose_id
from captious.corpus.readers import Rows, every_column, open_source, read_every_column
from captious.corpus.readers.names import roles_of
from captious.corpus.readers.rows import MISSING
from captious.errors import InputError, as_written, one_line
from captious.files import atomically

PARTS = ("train", "validation", "test")
Shares = tuple[float, float, float]
# Scott et al. 2023, 4.2.
PAPER_SHARES: Shares = (0.64, 0.16, 0.20)
COLUMNS = ("split", "subset", "part")
_NAMES = {
    "train": "train",
    "training": "train",
    "restval": "train",  # Karpathy and Fei-Fei 2015: the rest of COCO's validation images
    "validation": "validation",
    "val": "validation",
    "valid": "validation",
    "dev": "validation",
    "development": "validation",
    "test": "test",
    "testing": "test",
}


@dataclass(frozen=True)
class Split:
    """The part of each image, by its loose id, and what says so.

    >>> split = Split({"42": "test"}, "my file")
    >>> split.part("COCO_val2014_000000000042.jpg")
    'test'
    """

    part_of: Mapping[str, str]
    source: str

    def part(self, image: str) -> str:
        """The part of an image; one that is in none is refused."""
        found = self.part_of.get(loose_id(image))
        if found is None:
            raise InputError(
                f'{self.source}: image "{one_line(image, 60)}" is in no part. Add a row for it, or split by '
                "shares, such as 64/16/20."
            )
        return found

    def images(self, *parts: str) -> frozenset[str]:
        """Loose ids of the images in some parts."""
        return frozenset(image for image, part in self.part_of.items() if part in parts)

    def write(self, path: Path) -> None:
        """Write rows of image and part, which `read_split` reads."""
        with atomically(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(("image", "part"))
            table.writerows(sorted(self.part_of.items()))


def hashed_part(image: str, shares: Shares = PAPER_SHARES) -> str:
    """The part of an image by a hash of its id, so that it depends on nothing else.

    The first 8 bytes of SHA-256, as a share of their range, fall in the training share, the validation
    share or the rest. Other images, other data sets and seeds change nothing.

    >>> hashed_part("391895"), hashed_part("COCO_val2014_000000391895.jpg")
    ('train', 'train')
    """
    digest = hashlib.sha256(f"captious split\n{loose_id(image)}".encode(errors="surrogatepass")).digest()
    place = int.from_bytes(digest[:8], "big") / 2**64
    train, validation, _ = shares
    if place < train:
        return "train"
    return "validation" if place < train + validation else "test"


def hashed_split(images: Iterable[str], shares: Shares = PAPER_SHARES) -> Split:
    """Split images by `hashed_part`.

    >>> len(hashed_split(map(str, range(1000))).images("test"))
    208
    """
    said = "/".join(f"{100 * share:g}" for share in shares)
    return Split({loose_id(image): hashed_part(image, shares) for image in images}, f"hash {said}")


def read_split(path: Path) -> Split:
    """Read a file of images and parts: CSV, TSV, JSON or Parquet."""
    found = find_split(path)
    if found is None:
        raise InputError(
            f"{path}: contains no split. It needs the columns image and part, with the parts train, "
            "validation and test."
        )
    return found


def find_split(path: Path) -> Split | None:
    """The split that a file names in a column `split`, `subset` or `part`; None where it names none.

    A column with other values, such as the names of data sets, is no split.
    """
    rows = _rows(path)
    names = {name.strip().casefold(): name for name in rows.columns}
    image = roles_of(rows.columns).get("image")
    column = next((names[one] for one in COLUMNS if one in names and _tells(rows.columns[names[one]])), None)
    if image is None or column is None:
        return None
    return Split(dict(_parts(rows, rows.columns[image], column)), f'column "{column}" of {path.name}')


def _rows(path: Path) -> Rows:
    source = open_source(path)
    if source.data[:1] != b"[":
        return read_every_column(path)
    try:
        found = orjson.loads(source.data)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{path}: is not valid JSON ({error}).") from None
    return every_column([row for row in found if isinstance(row, dict)], str(path))


def _tells(cells: Sequence[object]) -> bool:
    return any(_part(cell) for cell in cells)


def _part(cell: object) -> str | None:
    return _NAMES.get(cell.strip().casefold()) if isinstance(cell, str) else None


def _parts(rows: Rows, images: Sequence[object], column: str) -> Iterator[tuple[str, str]]:
    """Image and part of each row; an image in two parts is refused."""
    seen: dict[str, tuple[str, int]] = {}
    for row, (image, cell) in enumerate(zip(clean_ids(images), rows.columns[column], strict=True)):
        part = _part(cell)
        if part is None:
            written = "" if cell is MISSING else as_written(cell, 30)
            raise InputError(
                f'{rows.source}: {rows.places[row]}: the {column} is "{written}". '
                "Write train, validation or test."
            )
        key = loose_id(image or "")
        earlier, place = seen.setdefault(key, (part, row))
        if earlier != part:
            raise InputError(
                f'{rows.source}: image "{one_line(image or "", 60)}" is in two parts: {earlier} at '
                f"{rows.places[place]} and {part} at {rows.places[row]}. Put each image in one part."
            )
        yield key, part
