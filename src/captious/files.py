"""Files that captious writes: whole or not at all, and never over something precious; and small texts."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from captious.errors import InputError


class WriteError(InputError):
    """A file cannot be written: a full disk, a folder that is not ours. Trying again will not help."""


def cache_folder() -> Path:
    """`$CAPTIOUS_CACHE`, else `$XDG_CACHE_HOME/captious`, else `~/.cache/captious`."""
    own = os.environ.get("CAPTIOUS_CACHE")
    if own:
        return Path(own)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "captious"


def check_output(path: Path, inputs: Iterable[Path | str] = (), *, ending: str = "") -> None:
    """Refuse, before any work is done, a path that must not or cannot be written.

    That is a name without the `ending` of its kind, one of the inputs, something that is no regular
    file (a folder, a device, a pipe), or a place where no folder can be made. Folders that are missing
    are made when the file is written.
    """
    if ending and path.suffix.lower() != ending:
        raise InputError(f"{path}: the name must end in {ending}.")
    if path.is_dir():
        raise InputError(f"{path}: is a folder. Give the name of a file to write.")
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is not a regular file, and cannot be written over.")
    check_folder(path.parent)
    for given in inputs:
        if Path(given).exists() and path.exists() and path.samefile(given):
            raise InputError(f"{path}: is one of the inputs. Give the output another name.")


def check_folder(path: Path) -> None:
    """Refuse, before any work is done, a folder to write to that cannot be one."""
    nearest = next(place for place in (path, *path.resolve().parents) if place.exists())
    if not nearest.is_dir():
        raise InputError(f"{path}: {_whose(nearest, path)}is a file. Give a folder to write to.")
    if not os.access(nearest, os.W_OK):
        raise InputError(f"{path}: cannot be written: Permission denied.")


def _whose(place: Path, path: Path) -> str:
    return "" if place == path else f"{place} "


def text_of(path: Path) -> str:
    """The text of a small file in UTF-8, or one line that says why it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file. Check the path.") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder. Give a file.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text. Save it as plain text in UTF-8.") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}.") from None


@contextmanager
def atomically(path: Path, *, durable: bool = False) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place only if the block succeeds.

    A symbolic link is followed: what it points to is replaced, not the link. A full disk, or
    whatever else keeps the block from writing, is told with the file's name. What is `durable` is
    on the disk, not only on its way there, before the name is.
    """
    check_output(path)
    target = path.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise WriteError(f"{path}: cannot be written: {error.strerror}.") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        if durable:
            _to_disk(temporary)
        temporary.replace(target)
        if durable:
            _to_disk(target.parent)
    except OSError as error:
        raise WriteError(f"{path}: cannot be written: {error.strerror or error}.") from None
    finally:
        temporary.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
