"""Where METEOR's language data come from: the files of the installed `pycocoevalcap` package."""

from __future__ import annotations

import gzip
import hashlib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

from captious.errors import MissingDependencyError

_SYNSETS = "synonym/english.synsets"
_EXCEPTIONS = "synonym/english.exceptions"
_FUNCTION_WORDS = "function/{}.words"
_ABBREVIATIONS = "nonbreaking/{}.prefixes"
_PHRASES_AT_A_TIME = 200_000


@dataclass(frozen=True)
class Sources:
    """METEOR 1.5's jar, of which only the plain-text tables are read, and its paraphrases."""

    jar: Path
    paraphrases: Path

    def digest(self) -> str:
        """SHA-256 over both files."""
        total = hashlib.sha256()
        for path in (self.jar, self.paraphrases):
            with path.open("rb") as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
        return total.hexdigest()

    def _lines(self, member: str) -> list[str]:
        with zipfile.ZipFile(self.jar) as archive:
            return archive.read(member).decode("utf-8").splitlines()

    def synsets(self) -> dict[str, list[int]]:
        """WordNet synset numbers of each lemma."""
        lines = self._lines(_SYNSETS)
        return {
            lemma: [int(number) for number in numbers.split()]
            for lemma, numbers in zip(lines[::2], lines[1::2], strict=True)
        }

    def irregular_forms(self) -> dict[str, list[str]]:
        """Lemmas of each irregularly inflected form."""
        lines = self._lines(_EXCEPTIONS)
        lemmas: dict[str, list[str]] = {}
        for lemma, forms in zip(lines[::2], lines[1::2], strict=True):
            for form in forms.split():
                lemmas.setdefault(form, []).append(lemma)
        return lemmas

    def function_words(self, language: str = "english") -> frozenset[str]:
        """Words that count less: articles, prepositions and the like; for some languages none."""
        lines = self._lines(_FUNCTION_WORDS.format(language))
        return frozenset(line.strip() for line in lines if line.strip())

    def abbreviations(self, language: str = "english") -> frozenset[str]:
        """Words whose full stop does not end a sentence."""
        lines = (line.strip() for line in self._lines(_ABBREVIATIONS.format(language)))
        return frozenset(line for line in lines if line and "#" not in line)

    def paraphrase_blocks(self) -> Iterator[tuple[int, list[bytes], list[bytes]]]:
        """How many bytes of the file are read, and many phrases and their paraphrases."""
        with self.paraphrases.open("rb") as packed, gzip.open(packed, "rb") as file:
            while block := [line[:-1] for line in islice(file, 3 * _PHRASES_AT_A_TIME)]:
                yield packed.tell(), block[1::3], block[2::3]


@cache
def find_sources() -> Sources:
    """The files in the installed `pycocoevalcap`."""
    spec = find_spec("pycocoevalcap")
    if spec is None or not spec.submodule_search_locations:
        raise MissingDependencyError(
            "meteor needs METEOR's word lists, which come with the package pycocoevalcap", "meteor"
        )
    folder = Path(next(iter(spec.submodule_search_locations))) / "meteor"
    sources = Sources(folder / "meteor-1.5.jar", folder / "data" / "paraphrase-en.gz")
    if not sources.jar.is_file() or not sources.paraphrases.is_file():
        raise MissingDependencyError(f"meteor's word lists are missing from {folder}", "meteor")
    return sources
