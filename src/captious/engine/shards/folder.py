"""The folder that a run writes to: a local one, or one behind an address; files are written atomically."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from captious.corpus.shards.places import absolute, filesystem, is_address
from captious.errors import InputError
from captious.files import WriteError, atomically, check_folder


@dataclass(frozen=True)
class Folder:
    """Files under one address, named by their path below it."""

    address: str

    @classmethod
    def at(cls, place: str | os.PathLike[str]) -> Folder:
        """The folder at a path or address; made where it is missing."""
        folder = cls(absolute(str(place)))
        if not is_address(folder.address):
            check_folder(Path(folder.address))
            Path(folder.address).mkdir(parents=True, exist_ok=True)
        return folder

    def file(self, name: str) -> str:
        """The address of one of its files."""
        return f"{self.address.rstrip('/')}/{name}"

    def exists(self, name: str) -> bool:
        """Whether a file is there."""
        if is_address(self.address):
            return bool(filesystem(self.address)[0].exists(self.file(name)))
        return Path(self.file(name)).is_file()

    def read(self, name: str) -> bytes:
        """A file's content."""
        return self.read_range(name, 0, None)

    def read_range(self, name: str, begin: int, end: int | None) -> bytes:
        """Some bytes of a file."""
        try:
            if is_address(self.address):
                content: bytes = filesystem(self.address)[0].cat_file(self.file(name), begin, end)
                return content
            with Path(self.file(name)).open("rb") as file:
                file.seek(begin)
                return file.read(-1 if end is None else end - begin)
        except OSError as error:
            raise InputError(f"{self.file(name)}: cannot be read ({error.strerror or error}).") from None

    def names(self, below: str) -> list[str]:
        """Files in one of its folders, in order; also what a run that was killed has begun."""
        place = self.file(below)
        if is_address(self.address):
            files, path = filesystem(place)
            found = files.ls(path, detail=False) if files.exists(path) else []
            return sorted(f"{below}/{own.rstrip('/').rpartition('/')[2]}" for own in found)
        if not Path(place).is_dir():
            return []
        return sorted(f"{below}/{own.name}" for own in Path(place).iterdir())

    @contextmanager
    def writing(self, name: str, *, durable: bool = False) -> Iterator[Path]:
        """A local path whose content becomes the file if the block succeeds."""
        if not is_address(self.address):
            with atomically(Path(self.file(name)), durable=durable) as path:
                yield path
            return
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "content"
            yield path
            try:
                files, target = filesystem(self.file(name))
                files.makedirs(target.rpartition("/")[0], exist_ok=True)
                files.put_file(str(path), target)
            except OSError as error:
                raise WriteError(
                    f"{self.file(name)}: cannot be written: {error.strerror or error}."
                ) from None

    def write(self, name: str, content: bytes, *, durable: bool = False) -> None:
        """Write a file whole."""
        with self.writing(name, durable=durable) as path:
            path.write_bytes(content)

    def append(self, name: str, line: bytes) -> None:
        """Add a line to a file, on the disk when this returns; behind an address, one file per line."""
        if is_address(self.address):
            self.write(f"{name}.lines/{uuid4().hex}", line)
            return
        path = Path(self.file(name))
        try:
            with path.open("ab") as file:
                # A line that was cut off when the machine went down ends here.
                file.write((b"\n" if _cut_off(path) else b"") + line + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise WriteError(f"{path}: cannot be written: {error.strerror}.") from None

    def lines(self, name: str) -> list[bytes]:
        """The lines that were added to a file."""
        if is_address(self.address):
            return [self.read(own) for own in self.names(f"{name}.lines")]
        return self.read(name).split(b"\n") if self.exists(name) else []

    def remove(self, name: str) -> None:
        """Remove a file, or a folder with all that is in it."""
        if is_address(self.address):
            files, place = filesystem(self.file(name))
            if files.exists(place):
                files.rm(place, recursive=True)
            return
        path = Path(self.file(name))
        if path.is_dir():
            for own in path.iterdir():
                self.remove(f"{name}/{own.name}")
            path.rmdir()
        else:
            path.unlink(missing_ok=True)


def _cut_off(path: Path) -> bool:
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
