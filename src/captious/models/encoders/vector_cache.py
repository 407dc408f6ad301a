"""Sentence vectors kept on disk, by the text's content and the model.

One SQLite file per model has one row per text: a digest of the text and the vector's bytes, none for a
text without a word. Several processes may read and write at once. A cache that cannot be read or
written costs time, never the answer.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError
from captious.files import cache_folder
from captious.models.encoders.base import ImageFile, PairScorer, ScoredPairs
from captious.models.encoders.long_texts import CHUNK
from captious.models.encoders.vision_text import image_path
from captious.models.images import digest, read_file

Vectors = tuple[NDArray[np.float32], NDArray[np.bool_]]
_ROWS_A_QUERY = 500  # SQLite bounds the values of one query
_PATIENCE = 30.0  # seconds to wait for another process's write


def cached_vectors(label: str, texts: Sequence[str], make: Callable[[Sequence[str]], Vectors]) -> Vectors:
    """What `make` gives for `texts`; only texts that the cache does not hold are made.

    `label` names the model, its weights and what runs it.
    """
    path = cache_path(label)
    keys = [hashlib.sha256(text.encode(errors="surrogatepass")).digest() for text in texts]
    found = read_rows(path, keys)
    missing = [place for place, key in enumerate(keys) if key not in found]
    vectors, known = make([texts[place] for place in missing])
    if len(missing) == len(texts):
        write_rows(path, keys, vectors, known)
        return vectors, known
    write_rows(path, [keys[place] for place in missing], vectors, known)
    width = vectors.shape[1] if missing else max((len(v) for v in found.values()), default=1)
    together = np.zeros((len(texts), width), dtype=np.float32)
    present = np.zeros(len(texts), dtype=bool)
    together[missing], present[missing] = vectors if missing else 0.0, known
    for place, key in enumerate(keys):
        stored = found.get(key)
        if stored is not None and len(stored):
            together[place], present[place] = stored, True
    return together, present


def cache_path(label: str, room: str = "sentences") -> Path:
    """The file that holds a model's vectors."""
    return cache_folder() / room / f"{hashlib.sha256(label.encode()).hexdigest()[:24]}.db"


def read_rows(path: Path, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
    """The vectors that a file holds of some keys; none where it cannot be read."""
    if not path.is_file():
        return {}
    found: dict[bytes, NDArray[np.float32]] = {}
    try:
        with closing(sqlite3.connect(path, timeout=_PATIENCE)) as store:
            for start in range(0, len(keys), _ROWS_A_QUERY):
                part = keys[start : start + _ROWS_A_QUERY]
                marks = ",".join("?" * len(part))
                query = f"SELECT text, vector FROM vectors WHERE text IN ({marks})"
                found |= {k: np.frombuffer(v, np.float32) for k, v in store.execute(query, part)}
    except (sqlite3.Error, ValueError):
        return {}
    return found


def write_rows(
    path: Path, keys: Sequence[bytes], vectors: NDArray[np.float32], known: NDArray[np.bool_]
) -> None:
    """Keep vectors, nothing for keys that are not `known`; a file that cannot be written is left."""
    if not keys:
        return
    rows = [
        (key, vector.tobytes() if present else b"")
        for key, vector, present in zip(keys, vectors, known.tolist(), strict=True)
    ]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=_PATIENCE)) as store, store:
            store.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB)")
            store.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
    except (sqlite3.Error, OSError):
        return


# A `PairScorer` that remembers on disk what it scored, by the content of image and text.
# A score is known by the image's content (its file, or its region features), the text, how long
# texts are treated, and the facts of the model. Images that cannot be read are asked for again.


_ROOM = "pairs"


class Keyed(PairScorer, Protocol):
    """A scorer that names an image by its content; `InputError` where it has none."""

    def image_key(self, image: ImageFile) -> bytes:
        """A few bytes that change where the image does."""


class RememberedPairs:
    """The scores of another scorer, computed once on this machine."""

    def __init__(self, scorer: Keyed) -> None:
        self._scorer = scorer
        self.family = scorer.family

    @property
    def limit(self) -> int:
        """That of the scorer."""
        return self._scorer.limit

    def facts(self) -> dict[str, str]:
        """Those of the scorer."""
        return self._scorer.facts()

    def pairs(self, images: Sequence[ImageFile], texts: Sequence[Sequence[str]], long: str) -> ScoredPairs:
        """Scores of every image with each of its texts, flat, in order; only new pairs are computed."""
        broken: dict[str, str] = {}
        keys = [self._keys(image, own, broken) for image, own in zip(images, texts, strict=True)]
        flat = [key for own in keys for key in own]
        read = "chunk by sentences" if long == CHUNK else long  # windows were once of equal length
        path = cache_path(f"{read} {sorted(self.facts().items())}", _ROOM)
        known = read_rows(path, [key for key in flat if key is not None])
        missing = [
            [text for key, text in zip(own, told, strict=True) if key is not None and key not in known]
            for own, told in zip(keys, texts, strict=True)
        ]
        wanted = [place for place, own in enumerate(missing) if own]
        if wanted:
            asked = [missing[place] for place in wanted]
            found = self._scorer.pairs([images[place] for place in wanted], asked, long)
            broken |= found.broken
            made = [key for own in keys for key in own if key is not None and key not in known]
            rows = np.stack([found.scores, found.beyond], axis=1).astype(np.float32)
            scored = np.flatnonzero(~np.isnan(found.scores))
            kept = [made[place] for place in scored.tolist()]
            write_rows(path, kept, rows[scored], np.ones(len(kept), dtype=bool))
            known |= dict(zip(made, rows, strict=True))
        unread = np.array([np.nan, 0.0], dtype=np.float32)
        together = np.empty((len(flat), 2))
        for place, key in enumerate(flat):
            together[place] = known.get(key, unread) if key is not None else unread
        return ScoredPairs(together[:, 0], together[:, 1].astype(np.int64), broken)

    def _keys(
        self, image: ImageFile, texts: Sequence[str], broken: dict[str, str]
    ) -> list[bytes] | list[None]:
        try:
            content = self._scorer.image_key(image)
        except InputError as error:
            broken[image.id] = str(error)
            return [None] * len(texts)
        return [hashlib.sha256(content + text.encode(errors="surrogatepass")).digest()[:16] for text in texts]


def file_key(image: ImageFile) -> bytes:
    """An image's file by its content."""
    return digest(read_file(image_path(image)))
