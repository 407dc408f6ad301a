"""Where shards are: files, folders, patterns, and addresses that fsspec understands."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from captious.corpus.readers.open import PathText, stem_of
from captious.errors import InputError, MissingDependencyError

SUFFIXES = (".parquet", ".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_PATTERN = "*?["


def is_address(text: str) -> bool:
    """Whether a place is one for fsspec, as `s3://bucket/captions`."""
    return "://" in text


def holds_shards(given: PathText) -> bool:
    """Whether a place can only be a set of shards: a folder, an address or a pattern of shards.

    >>> holds_shards("captions/*.parquet"), holds_shards("s3://bucket/m2"), holds_shards("m2.json")
    (True, True, False)
    """
    text = _plain(given)
    return is_address(text) or Path(text).is_dir() or (_is_pattern(text) and not files_of(given))


def files_of(given: PathText) -> list[str]:
    """The files of a pattern that matches no shard, such as `m2/*.json` in quotes; none for other places."""
    text = _plain(given)
    if is_address(text) or not _is_pattern(text) or Path(text).exists():
        return []
    found = sorted(path for path in glob.glob(text, recursive=True) if Path(path).is_file())  # noqa: PTH207
    return [] if any(_is_shard(Path(path).name) for path in found) else found


def expand(given: PathText) -> list[str]:
    """The files at a place, in the order of their names: one file, a folder's, or a pattern's."""
    text = _plain(given)
    if is_address(text):
        return _expand_address(text)
    if Path(text).is_dir():
        found = [str(path) for path in sorted(Path(text).rglob("*")) if _is_shard(path.name)]
        other = Path(text) / "*.json"
        none = f"contains no shards ({', '.join(SUFFIXES[:2])}); name other files themselves, such as {other}"
        return _some(found, text, none)
    if _is_pattern(text) and not Path(text).exists():
        found = sorted(path for path in glob.glob(text, recursive=True) if Path(path).is_file())  # noqa: PTH207
        return _some(found, text, "no file matches")
    if not Path(text).exists():
        raise InputError(f"{text}: there is no such file. Check the path.")
    return [text]


def name_of(given: PathText) -> str:
    """What the captions at a place are called: the file's stem, the folder, the pattern's beginning.

    >>> name_of("out/m2.parquet"), name_of("out/m2/"), name_of("out/m2-*.parquet"), name_of("s3://b/m2/*.jsonl")
    ('m2', 'm2', 'm2', 'm2')
    """
    text = str(given).rstrip("/")
    if not _is_pattern(text):
        return stem_of(text) if text.lower().endswith(SUFFIXES) else text.rpartition("/")[2]
    parts = text.split("/")
    place = next(i for i, part in enumerate(parts) if _is_pattern(part))
    own = parts[place][: next(i for i, sign in enumerate(parts[place]) if sign in _PATTERN)].rstrip("-_.")
    return own or (parts[place - 1] if place else "") or "candidates"


@contextmanager
def opened(address: str) -> Iterator[BinaryIO]:
    """A file at a path or address, open for reading."""
    with ExitStack() as stack:
        try:
            if is_address(address):
                file = stack.enter_context(_fs(address)[0].open(address, "rb"))
            else:
                file = stack.enter_context(Path(address).open("rb"))
        except OSError as error:
            raise InputError(f"{address}: cannot be read ({error.strerror or error}).") from None
        yield file


def size_of(address: str) -> int:
    """Bytes of a file."""
    return int(_fs(address)[0].size(address)) if is_address(address) else Path(address).stat().st_size


def absolute(address: str) -> str:
    """The same place for a process that runs elsewhere."""
    plain = _plain(address)
    return plain if is_address(plain) else str(Path(plain).resolve())


def filesystem(address: str) -> tuple[Any, str]:
    """What fsspec has for an address: the file system, and the path in it."""
    return _fs(address)


def _fs(address: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ImportError:
        raise MissingDependencyError(f"{address}: addresses need fsspec", "shards") from None
    try:
        return fsspec.core.url_to_fs(address)  # type: ignore[no-any-return]
    except ImportError as error:  # s3fs, gcsfs, …
        raise MissingDependencyError(f"{address}: {error}", command="pip install s3fs (or gcsfs)") from None
    except ValueError as error:
        raise InputError(f"{address}: {error}. Give a path, or an address as s3://bucket/folder.") from None


def _expand_address(address: str) -> list[str]:
    files, path = _fs(address)
    try:
        if _is_pattern(path):
            found = [own for own in files.glob(path) if files.isfile(own)]
        elif files.isdir(path):
            found = [own for own in files.find(path) if _is_shard(own.rpartition("/")[2])]
        elif files.exists(path):
            found = [path]
        else:
            raise InputError(f"{address}: there is no such file. Check the address.")
    except OSError as error:
        raise InputError(f"{address}: cannot be read ({error.strerror or error}).") from None
    scheme = address.partition("://")[0]
    named = [own if is_address(own) else f"{scheme}://{own}" for own in sorted(found)]
    return _some(named, address, "holds no shards")


def _plain(given: PathText) -> str:
    """A place as text; a file's address as its path."""
    return str(given).removeprefix("file://")


def _is_pattern(text: str) -> bool:
    return any(sign in text for sign in _PATTERN)


def _is_shard(name: str) -> bool:
    return name.lower().endswith(SUFFIXES) and not name.startswith((".", "_"))


def _some(found: list[str], place: str, otherwise: str) -> list[str]:
    if not found:
        raise InputError(f"{place}: {otherwise}. Check the path.")
    return found
