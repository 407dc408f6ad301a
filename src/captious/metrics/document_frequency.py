"""Document frequencies for CIDEr: in how many images' references each n-gram occurs.

They come from the references of the corpus that is scored, as coco-caption takes them, or from a
table that was saved before, so that one image can be scored and numbers on different samples can
be compared. A table is an `.npz` file of integers and UTF-8 text; it is never a pickle, because
loading a pickle can run whatever code its author put there.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import FloatArray, IntArray
from captious.errors import InputError
from captious.files import atomically
from captious.text.lookup import Lookup, chunks, group_keys, sorted_distinct
from captious.text.ngrams import MAX_ORDER, NgramIndex, NgramTable, count_ngrams, moved_keys
from captious.text.tokens import token_table

FORMAT = "captious-document-frequencies-1"
CORPUS = "corpus"
_SEPARATOR = "\n"  # no tokeniser leaves white space inside a token
_CHUNK = 1 << 16  # n-grams counted at once: few enough for the processor's cache


@dataclass(frozen=True, eq=False)
class DocumentFrequencies:
    """Counts of documents by n-gram; a document is the reference list of one image.

    >>> table = DocumentFrequencies.build([["a dog", "a dog runs"], ["a cat"]], tokeniser="space")
    >>> table.documents, table.count("a"), table.count("a dog"), table.count("zebra")
    (2, 2, 1, 0)
    """

    index: NgramIndex
    counts: NDArray[np.int32]
    documents: int
    tokeniser: str = "ptb"
    source: str = CORPUS

    @classmethod
    def build(
        cls,
        references: Mapping[Any, Sequence[str]] | Iterable[Sequence[str]],
        n: int = MAX_ORDER,
        tokeniser: str = "ptb",
    ) -> DocumentFrequencies:
        """Count the n-grams of each image's references."""
        lists = list(references.values() if isinstance(references, Mapping) else references)
        sizes = np.array([len(item) for item in lists], dtype=np.int64)
        table = count_ngrams(token_table([text for item in lists for text in item], tokeniser), n)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        counts = count_documents(table, np.arange(len(table)), offsets)
        return cls(table.index, counts, len(lists), tokeniser)

    @property
    def order(self) -> int:
        """Length of the longest n-grams."""
        return len(self.index.keys) + 1

    @property
    def n_grams(self) -> int:
        """How many n-grams occur in some document."""
        return int(np.count_nonzero(self.counts))

    @property
    def label(self) -> str:
        """Where the counts are from and of how many documents: `corpus:5000`."""
        return f"{self.source}:{self.documents}"

    def count(self, ngram: str) -> int:
        """Documents that hold one n-gram, its tokens separated by spaces."""
        index = count_ngrams(token_table([ngram], "space"), self.order).index
        return int(self.counts_in(index)[-1])

    def counts_in(self, index: NgramIndex) -> NDArray[np.int32]:
        """Documents of each n-gram of another index; 0 where it is not in this table."""
        if index is self.index:
            return self.counts
        return np.append(self.counts, np.int32(0))[index.find_in(self.index)]

    def inverse(self, index: NgramIndex) -> FloatArray:
        """log(N / max(1, documents)) of each n-gram of `index`; N is the number of documents."""
        counts = np.maximum(self.counts_in(index), 1)
        return np.asarray(np.log(float(self.documents)) - np.log(counts), dtype=np.float64)

    def canonical(self) -> DocumentFrequencies:
        """The same table without n-grams of no document, its words in alphabetical order."""
        words = sorted(w for w, c in zip(self.index.vocabulary, self.counts, strict=False) if c)
        return _in_index(_joined_index([self], words), [self])

    def save(self, path: str | PathLike[str]) -> None:
        """Write the table to an `.npz` file."""
        table = self.canonical()
        with atomically(Path(path)) as temporary, temporary.open("wb") as file:
            np.savez_compressed(
                file,
                format=_text(FORMAT),
                tokeniser=_text(table.tokeniser),
                vocabulary=_text(_SEPARATOR.join(table.index.vocabulary)),
                documents=np.array(table.documents),
                counts=table.counts,
                allow_pickle=False,
                **{f"keys{n}": keys for n, keys in enumerate(table.index.keys, start=2)},
            )

    @classmethod
    def load(cls, path: str | PathLike[str]) -> DocumentFrequencies:
        """Read a table that `save` wrote."""
        arrays = _read_arrays(Path(path))
        try:
            table = _from_arrays(arrays)
        except (KeyError, ValueError, TypeError, UnicodeDecodeError):
            table = None
        if table is None or not _is_sound(table):
            raise InputError(
                f"{path}: is not a complete table of document frequencies. "
                "Rebuild it with `captious data df`."
            )
        digest = _digest(arrays)
        return cls(table.index, table.counts, table.documents, table.tokeniser, f"file:{digest[:8]}")


def load_table(path: str) -> DocumentFrequencies:
    """The table at `path`, read once however many metrics use it, and again when it changed."""
    try:
        status = Path(path).stat()
    except OSError as error:
        raise _unreadable(path, error) from error
    return _load_version(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _load_version(path: str, changed: int, size: int) -> DocumentFrequencies:
    return DocumentFrequencies.load(path)


def _unreadable(path: str | PathLike[str], error: OSError) -> InputError:
    return InputError(f"{path}: cannot be read ({error.strerror or error}).")


def count_documents(
    table: NgramTable, texts: IntArray, offsets: IntArray, weights: IntArray | None = None
) -> NDArray[np.int32]:
    """In how many documents each n-gram of `table` occurs.

    Document `i` is the texts `texts[offsets[i]:offsets[i + 1]]` and counts `weights[i]` times.
    """
    bits = len(table.index).bit_length()
    counts = np.zeros(len(table.index), dtype=np.int32)
    sizes, work = np.diff(offsets), np.append(0, np.cumsum(table.sizes[texts]))
    for part in chunks(work[offsets[1:]] - work[offsets[:-1]] + 1, _CHUNK):
        first, last = int(offsets[part.start]), int(offsets[part.stop])
        entries, places = table.entries_of(texts[first:last])
        distinct = sorted_distinct(group_keys(sizes[part], bits)[places] + table.grams[entries])
        weight = np.int32(1) if weights is None else weights[part][distinct >> bits].astype(np.int32)
        np.add.at(counts, distinct & ((1 << bits) - 1), weight)
    return counts


def merge_tables(parts: Sequence[DocumentFrequencies]) -> DocumentFrequencies:
    """Join tables of disjoint documents.

    >>> a = DocumentFrequencies.build([["a dog"]], tokeniser="space")
    >>> b = DocumentFrequencies.build([["a cat"], ["a dog runs"]], tokeniser="space")
    >>> both = merge_tables([a, b])
    >>> both.documents, both.count("a"), both.count("a dog")
    (3, 3, 2)
    """
    if len(parts) == 1:
        return parts[0]
    words = list(dict.fromkeys(word for part in parts for word in part.index.vocabulary))
    return _in_index(_joined_index(parts, words), parts)


def _joined_index(parts: Sequence[DocumentFrequencies], words: list[str]) -> NgramIndex:
    """Index over `words` of every n-gram that occurs in a document of some part."""
    numbers = {word: number for number, word in enumerate(words)}
    tokens = [
        np.array([numbers.get(word, -1) for word in part.index.vocabulary], dtype=np.int64) for part in parts
    ]
    local, keys = list(tokens), []
    for level in range(max((part.order for part in parts), default=1) - 1):
        moved = []
        for place, part in enumerate(parts):
            start, end = part.index.starts[level + 1 : level + 3].tolist()
            own = moved_keys(
                part.index.keys[level], len(part.index.vocabulary), local[place], tokens[place], len(words)
            )
            own[part.counts[start:end] == 0] = -1
            moved.append(own)
        distinct = sorted_distinct(np.concatenate(moved))
        distinct = distinct[distinct >= 0]
        lookup = Lookup(distinct)
        local = [lookup.find(own).astype(np.int64) for own in moved]
        keys.append(distinct)
    return NgramIndex(words, tuple(keys))


def _in_index(index: NgramIndex, parts: Sequence[DocumentFrequencies]) -> DocumentFrequencies:
    counts = np.zeros(len(index), dtype=np.int32)
    for part in parts:
        places = part.index.find_in(index)
        known = places >= 0
        counts[places[known]] += part.counts[known]
    return DocumentFrequencies(
        index,
        counts,
        sum(part.documents for part in parts),
        parts[0].tokeniser if parts else "ptb",
        parts[0].source if parts else CORPUS,
    )


def _text(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(errors="surrogatepass"), dtype=np.uint8)


def _read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with path.open("rb") as file:
            if not zipfile.is_zipfile(file):
                raise InputError(
                    f"{path}: is not a table of document frequencies. Pickled tables such as "
                    "coco-val-df.p are not supported, because loading one can run code; "
                    "count the references again with `captious data df`."
                )
            file.seek(0)
            with np.load(file, allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files}
    except OSError as error:
        raise _unreadable(path, error) from error
    except (ValueError, zipfile.BadZipFile, EOFError) as error:
        raise InputError(f"{path}: is damaged. Rebuild it with `captious data df`.") from error


def _from_arrays(arrays: Mapping[str, NDArray[Any]]) -> DocumentFrequencies | None:
    if arrays["format"].tobytes().decode() != FORMAT:
        return None
    text = arrays["vocabulary"].tobytes().decode(errors="surrogatepass")
    orders = sorted(name for name in arrays if name.startswith("keys"))
    return DocumentFrequencies(
        index=NgramIndex(
            vocabulary=text.split(_SEPARATOR) if text else [],
            keys=tuple(arrays[name].astype(np.int64, casting="safe") for name in orders),
        ),
        counts=arrays["counts"].astype(np.int32, casting="same_kind"),
        documents=int(arrays["documents"]),
        tokeniser=arrays["tokeniser"].tobytes().decode(),
    )


def _is_sound(table: DocumentFrequencies) -> bool:
    """Whether every number points to something that is there."""
    if len(table.counts) != len(table.index):
        return False
    if len(table.counts) and not (table.counts.min() >= 1 and table.counts.max() <= table.documents):
        return False
    below, size = len(table.index.vocabulary), len(table.index.vocabulary)
    for keys in table.index.keys:
        if len(keys) and not (keys[0] >= 0 and keys[-1] < below * size and bool(np.all(np.diff(keys) > 0))):
            return False
        below = len(keys)
    return True


def _digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    content = hashlib.sha256()
    for name in sorted(arrays):
        content.update(name.encode() + b"\0" + np.ascontiguousarray(arrays[name]).tobytes())
    return content.hexdigest()
