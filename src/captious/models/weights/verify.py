"""Check whether installed weights are the published files.

There are three kinds of checksum, and each answer says which one was used: those of
`known.py`, computed from the published files; the names that the Hugging Face cache gives its files
(SHA-256 of a large file, Git's SHA-1 of a small one), which came from the hub; and what was written down
when a file was fetched from an address, which shows later damage but not a wrong download.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from captious.errors import InputError
from captious.models.locate import sha256
from captious.models.weights.find import checksum_file, command, search
from captious.models.weights.known import known

State = Literal["as published", "as fetched", "changed", "no checksum", "missing"]
_HEX = re.compile(r"[0-9a-f]+")
_SHA256, _SHA1 = 64, 40  # hexadecimal digits


class Verified(NamedTuple):
    """One file of weights: its state, its checksum, and where the expected one comes from."""

    weights: str
    file: str
    state: State
    sha256: str
    against: str


def verify(name: str) -> list[Verified]:
    """Compare every file of some weights with its checksum, without the network.

    >>> verify("no-such/weights")[0].state
    'missing'
    """
    found = search(name)
    if found is None:
        return [Verified(name, "", "missing", "", command(name))]
    one = known(name)
    published = dict(one.sha256) if one is not None else {}
    return [_file(name, path, published) for path in _files(found.path, set(published))]


def _files(path: Path, published: set[str]) -> Iterator[Path]:
    """The files that have a checksum, or all where none has."""
    if path.is_file():
        yield path
        return
    files = [file for file in sorted(path.rglob("*")) if file.is_file()]
    yield from [file for file in files if file.name in published] or files


def _file(name: str, path: Path, published: dict[str, str]) -> Verified:
    own = sha256(path)
    if path.name in published:
        right = own == published[path.name]
        return Verified(name, str(path), "as published" if right else "changed", own, "the published file")
    blob = path.resolve()
    if blob.parent.name == "blobs" and _HEX.fullmatch(blob.name):
        right = _is_blob(blob, own)
        return Verified(name, str(path), "as fetched" if right else "changed", own, "the hub")
    noted = checksum_file(path)
    if noted.is_file():
        right = noted.read_text("utf-8").split()[:1] == [own]
        return Verified(name, str(path), "as fetched" if right else "changed", own, noted.name)
    return Verified(name, str(path), "no checksum", own, "")


def _is_blob(path: Path, own: str) -> bool:
    """Whether a file of the hub's cache has the content of its name (a checksum)."""
    if len(path.name) == _SHA256:
        return path.name == own
    content = path.read_bytes()
    return len(path.name) == _SHA1 and path.name == git_sha1(content)


def git_sha1(content: bytes) -> str:
    """The name that Git gives a file.

    >>> git_sha1(b"hello\\n")  # as `echo hello | git hash-object --stdin` says
    'ce013625030ba8dba906f756967f9e9ca394464a'
    """
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


_FILES = (".safetensors", ".bin", ".pth", ".pt", ".gguf", ".onnx", ".pb")


class Status(NamedTuple):
    """Status of weights: whether and where they are installed, revision, size, and how to get them."""

    name: str
    present: bool
    path: str
    place: str
    revision: str
    size: str
    licence: str
    command: str


def status(name: str) -> Status:
    """Get the status of weights, without the network.

    >>> status("ViT-B-32/openai").licence
    'MIT (OpenAI)'
    """
    one = known(name)
    size, licence = (one.size, one.licence) if one is not None else ("", "")
    try:
        found = search(name)
    except InputError as error:
        return Status(name, False, "", "", "", size, licence, str(error))
    if found is None:
        return Status(name, False, "", "", "", size, licence, command(name))
    held = f"{_bytes(found.path) / 1e6:,.0f} MB"
    return Status(name, True, str(found.path), found.place, found.revision[:8], held, licence, "")


def _bytes(path: Path) -> int:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.suffix in _FILES]
    return sum(file.stat().st_size for file in files)
