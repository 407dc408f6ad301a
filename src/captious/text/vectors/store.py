"""Word vectors compiled once into files that map into memory.

A compiled folder holds `vectors.f32` (rows of 32-bit floats), `hashes.npy` (64-bit hashes of the
words, ascending), `rows.npy` (the row of each hash) and `facts.json`, written last. Looking up a
word is a binary search in a mapped column, so that opening three million words takes no time.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError
from captious.files import cache_folder
from captious.text.vectors.read import Block

_FACTS = "facts.json"
_VECTORS = "vectors.f32"
_LAYOUT = 1  # raise it where the files of a folder change


class Compiled(NamedTuple):
    """What a compiled folder holds, mapped."""

    vectors: NDArray[np.float32]
    hashes: NDArray[np.uint64]
    rows: NDArray[np.int32]
    digest: str


def compiled(key: str, blocks: Callable[[], Iterator[Block]]) -> Compiled:
    """The vectors stored under `key`, compiled from `blocks` first where they are not there."""
    name = hashlib.sha256(f"{_LAYOUT} {key}".encode()).hexdigest()[:24]
    folder = cache_folder() / "vectors" / name
    stored = _open(folder)
    if stored is not None:
        return stored
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder.parent))
    except OSError:
        # A read-only home costs the time to compile in every process, not the answer.
        folder = fresh = Path(tempfile.mkdtemp(prefix="captious-vectors-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        _compile(fresh, blocks())
        if fresh != folder:
            shutil.rmtree(folder, ignore_errors=True)
            fresh.rename(folder)
    finally:
        if fresh != folder:
            shutil.rmtree(fresh, ignore_errors=True)
    made = _open(folder)
    if made is None:
        raise InputError(f"{folder}: the compiled vectors cannot be read. Free some disk space.")
    return made


def hash_words(words: Iterable[str]) -> NDArray[np.uint64]:
    """64-bit hashes; two of three million words share one with a chance of one in four million.

    >>> bool(hash_words(["dog"])[0] == hash_words(["cat", "dog"])[1])
    True
    """
    packed = b"".join(
        hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest() for word in words
    )
    return np.frombuffer(packed, dtype="<u8").astype(np.uint64)


def _compile(folder: Path, blocks: Iterator[Block]) -> None:
    hashes: list[NDArray[np.uint64]] = []
    dimension = count = 0
    digest = hashlib.sha256()
    with (folder / _VECTORS).open("wb") as file:
        for words, vectors in blocks:
            hashes.append(hash_words(words))
            packed = np.ascontiguousarray(vectors, dtype="<f4").tobytes()
            digest.update(hashes[-1].tobytes())
            digest.update(packed)
            file.write(packed)
            dimension, count = vectors.shape[1], count + len(words)
    if not count:
        raise InputError("the word vectors contain no words. Use another file.")
    # The first of several rows with one word counts, as in gensim.
    distinct, first = np.unique(np.concatenate(hashes), return_index=True)
    np.save(folder / "hashes.npy", distinct, allow_pickle=False)
    np.save(folder / "rows.npy", first.astype(np.int32), allow_pickle=False)
    facts = {"words": count, "dimension": dimension, "digest": digest.hexdigest()}
    (folder / _FACTS).write_text(json.dumps(facts), "utf-8")


def _open(folder: Path) -> Compiled | None:
    try:
        facts = json.loads((folder / _FACTS).read_text("utf-8"))
        shape = (int(facts["words"]), int(facts["dimension"]))
        if (folder / _VECTORS).stat().st_size != 4 * shape[0] * shape[1]:
            return None
        return Compiled(
            np.memmap(folder / _VECTORS, dtype="<f4", mode="r", shape=shape),
            np.load(folder / "hashes.npy", mmap_mode="r", allow_pickle=False),
            np.load(folder / "rows.npy", mmap_mode="r", allow_pickle=False),
            str(facts["digest"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
