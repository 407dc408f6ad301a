"""AMBER's CHAIR, Cover, Hal and Cog: a caption's objects against annotations (Wang et al. 2023).

The counting is that of the benchmark's program (github.com/junyangwang0410/AMBER, Apache-2.0), whose files
annotations.json, relation.json and safe_words.txt are read from a folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.corpus.findings import Place
from captious.corpus.readers.open import open_source
from captious.corpus.readers.parse import parse_json
from captious.errors import InputError, NotSetUpError, UnknownNameError, one_line
from captious.metrics.base import Need
from captious.metrics.batch import Batch
from captious.metrics.count_share import CountShare
from captious.metrics.registry import register
from captious.text.lemma import lemma
from captious.text.places import PlacedWord, placed_words
from captious.text.vectors.table import DEFAULT, WordVectors, load_vectors, require_vectors

FILES = ("annotations.json", "relation.json", "safe_words.txt")
GENERATIVE = "generative"
CAPTION, NLTK = "caption", "nltk"
NLTK_DATA = "punkt_tab averaged_perceptron_tagger_eng wordnet"
_NUMBER = re.compile(r"(\d+)(?:\.\w+)?$")
# The columns of the statistics.
INVENTED, NOUNS, COVERED, TRUTH, EXPECTED, HALLU, FAULTY, CAPTIONS = range(8)
Similar = Callable[[str, str], bool]


class Image(NamedTuple):
    """The objects in an image, and those that models are prone to invent there."""

    truth: list[str]
    hallu: list[str]


class Rules(NamedTuple):
    """The benchmark's files: images by number, near synonyms by word, words that are never wrong."""

    images: dict[int, Image]
    related: dict[str, list[str]]
    safe: frozenset[str]
    known: frozenset[str]


class Counted(NamedTuple):
    """A caption's nouns that the benchmark knows, which are invented, and which objects are named."""

    nouns: list[PlacedWord]
    invented: list[PlacedWord]
    covered: set[int]
    expected: set[int]
    image: Image


def count(nouns: Sequence[PlacedWord], image: Image, rules: Rules, similar: Similar) -> Counted:
    """Count one caption, noun by noun, in the order of the program's questions."""
    truth, hallu = (_words(objects, rules.related) for objects in image)
    own = [noun for noun in nouns if noun.word in rules.known]
    found = Counted(own, [], set(), set(), image)
    for noun in own:
        if noun.word in rules.safe:
            continue
        if (same := _first(truth, noun.word.__eq__)) is not None:
            found.covered.add(same)
            continue

        def near(word: str, noun: str = noun.word) -> bool:
            return similar(noun, word)

        expected = _first(hallu, noun.word.__eq__), _first(hallu, near)
        found.expected.update(one for one in expected if one is not None)
        if (close := _first(truth, near)) is not None:
            found.covered.add(close)
        else:
            found.invented.append(noun)
    return found


def _words(objects: Sequence[str], related: dict[str, list[str]]) -> list[tuple[str, int]]:
    """Every word for an object with the object's place: near synonyms first, then the objects."""
    synonyms = [(word, place) for place, name in enumerate(objects) for word in related.get(name, ())]
    return [*synonyms, *((name, place) for place, name in enumerate(objects))]


def _first(words: Sequence[tuple[str, int]], fits: Callable[[str], bool]) -> int | None:
    return next((place for word, place in words if fits(word)), None)


@dataclass(frozen=True)
class AmberMetric(CountShare):
    """What AMBER's values share: nouns of the caption against the annotations of its image.

    `data` is the folder with the benchmark's files; an image's id ends in its number (`AMBER_7.jpg`). The
    program takes nouns from NLTK and near synonyms (cosine above .8) from spaCy's en_core_web_lg:
    `nouns=nltk,vectors=spacy:en_core_web_lg`. The defaults are the caption parser and GloVe.
    """

    citation: ClassVar[str] = "Wang et al. 2023"
    needs: ClassVar[frozenset[Need]] = frozenset()
    higher_is_better: ClassVar[bool] = False

    data: str = ""
    nouns: str = CAPTION
    vectors: str = DEFAULT
    similarity: float = 0.8

    def __post_init__(self) -> None:
        if self.nouns not in (CAPTION, NLTK):
            raise UnknownNameError(f"nouns of {self.name}", self.nouns, (CAPTION, NLTK))

    def languages(self) -> tuple[str, ...]:
        """English: the words are."""
        return ("en",)

    def ready(self) -> None:
        """The benchmark's files, and word vectors."""
        if not self.data:
            raise NotSetUpError(
                f"{self.name} needs AMBER's files ({', '.join(FILES)}, github.com/junyangwang0410/AMBER). "
                f'Name the metric as "{self.name}[data=FOLDER]"'
            )
        require_vectors(self.vectors)

    def check(self, corpus: Corpus, knowledge: None) -> None:
        """Refuse images that the benchmark does not annotate."""
        self.ready()
        images = read_rules(self.data).images
        for image in corpus.image_ids:
            if _number(image) not in images:
                raise InputError(
                    f'{self.name}: image "{one_line(image, 40)}" is no generative image of {self.data}. '
                    "An id ends in AMBER's number: AMBER_7.jpg."
                )

    def counted(self, batch: Batch) -> list[Counted]:
        """The counts of each example."""
        key = ("amber", self.data, self.nouns, self.vectors, self.similarity)
        return batch.once(key, lambda: list(self._count(batch)))

    def _count(self, batch: Batch) -> Iterator[Counted]:
        rules, corpus = read_rules(self.data), batch.corpus
        nouns = (_nltk_nouns if self.nouns == NLTK else _caption_nouns)(corpus.captions)
        similar = _similar(load_vectors(self.vectors), self.similarity)
        for own, image in zip(nouns, corpus.image_of.tolist(), strict=True):
            yield count(own, rules.images[_number(corpus.image_ids[image])], rules, similar)

    def statistics(self, batch: Batch, knowledge: None) -> FloatArray:
        """Invented nouns, nouns; covered objects, objects; expected inventions, their number; 0 or 1, 1."""
        rows = []
        for one in self.counted(batch):
            invented, nouns = len(one.invented), len(one.nouns)
            covered, expected = len(one.covered), len(one.expected)
            truth, hallu = map(len, one.image)
            rows.append((invented, nouns, covered, truth, expected, hallu, invented > 0, 1))
        return np.array(rows, dtype=np.float64).reshape(-1, 8)

    def facts(self, corpus: Corpus, knowledge: None) -> dict[str, str]:
        """What finds nouns and near synonyms."""
        return {
            "nouns": self.nouns,
            "vectors": load_vectors(self.vectors).label,
            "similarity": f"{self.similarity:g}",
        }


@register("amber_chair")
@dataclass(frozen=True)
class AmberChair(AmberMetric):
    """Nouns of objects that are not in the image, of all nouns of objects."""

    columns: ClassVar[tuple[int, int]] = (INVENTED, NOUNS)
    title: ClassVar[str] = "AMBER CHAIR"
    summary: ClassVar[str] = "share of a caption's nouns that are not in the image, by AMBER's annotations"

    def findings(self, batch: Batch, knowledge: None) -> list[list[Place]]:
        """The nouns of objects that are not in the image."""
        return [
            [Place(noun.start, noun.end, "object", evidence=noun.word) for noun in one.invented]
            for one in self.counted(batch)
        ]


@register("amber_cover")
@dataclass(frozen=True)
class AmberCover(AmberMetric):
    """Objects of the image that the caption names, of all objects of the image."""

    title: ClassVar[str] = "AMBER Cover"
    summary: ClassVar[str] = "share of AMBER's annotated objects that the caption names"
    higher_is_better: ClassVar[bool] = True
    columns: ClassVar[tuple[int, int]] = (COVERED, TRUTH)


@register("amber_hal")
@dataclass(frozen=True)
class AmberHal(AmberMetric):
    """The share of captions with a noun of an object that is not in the image."""

    title: ClassVar[str] = "AMBER Hal"
    summary: ClassVar[str] = "whether a caption has a noun that is not in the image, by AMBER's annotations"
    columns: ClassVar[tuple[int, int]] = (FAULTY, CAPTIONS)


@register("amber_cog")
@dataclass(frozen=True)
class AmberCog(AmberMetric):
    """Objects that people would expect in the image, and that the caption invents, of all such objects."""

    title: ClassVar[str] = "AMBER Cog"
    summary: ClassVar[str] = "share of AMBER's objects that one expects there wrongly which the caption names"
    columns: ClassVar[tuple[int, int]] = (EXPECTED, HALLU)


def read_rules(folder: str) -> Rules:
    """The benchmark's files in a folder."""
    paths = tuple(Path(folder).expanduser() / name for name in FILES)
    try:
        return _rules(paths, tuple(path.stat().st_mtime_ns for path in paths))
    except OSError as error:
        raise InputError(
            f"{error.filename}: cannot be read ({error.strerror}). Give AMBER's data folder."
        ) from None


@lru_cache(maxsize=4)
def _rules(paths: tuple[Path, ...], changed: tuple[int, ...]) -> Rules:
    annotations, related = (parse_json(open_source(path)) for path in paths[:2])
    try:
        images = {
            int(row["id"]): Image(list(row["truth"]), list(row["hallu"]))
            for row in annotations
            if row["type"] == GENERATIVE
        }
        known = frozenset(related).union(*related.values())
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError(
            f"{paths[0]}: is not AMBER's file. It is a list of {{id, type, truth, hallu}}; {FILES[1]} has "
            "{word: [words]}."
        ) from None
    safe = frozenset(paths[2].read_text(encoding="utf-8").split("\n"))
    return Rules(images, related, safe, known)


def _number(image: str) -> int:
    found = _NUMBER.search(image)
    return int(found[1]) if found else -1


def _similar(vectors: WordVectors, least: float) -> Similar:
    """Whether two words have vectors with a cosine above a limit."""

    @lru_cache(maxsize=1 << 16)
    def unit(word: str) -> FloatArray:
        vector: FloatArray = vectors.resolve([word])[0][0]
        return vector / (float(np.linalg.norm(vector)) or 1.0)

    return lambda one, other: float(unit(one) @ unit(other)) > least


def _caption_nouns(captions: Sequence[str]) -> Iterator[list[PlacedWord]]:
    """Nouns by the caption parser, as lemmas."""
    from captious.text.parser import parse_many

    placed = [placed_words(caption) for caption in captions]
    parses = parse_many([[one.word for one in own] for own in placed])
    for own, parse in zip(placed, parses, strict=True):
        tagged = zip(own, parse.tags, strict=True)
        yield [one._replace(word=lemma(one.word, tag)) for one, tag in tagged if tag.startswith("NN")]


def _nltk_nouns(captions: Sequence[str]) -> Iterator[list[PlacedWord]]:
    """Nouns as the program finds them, each at its next occurrence in the caption."""
    try:
        import nltk
        from nltk.stem import WordNetLemmatizer

        base: Any = WordNetLemmatizer()
        tagged = [nltk.pos_tag(nltk.word_tokenize(caption)) for caption in captions]
        nouns = [
            [(word, base.lemmatize(word)) for word, tag in own if tag.startswith("NN")] for own in tagged
        ]
    except (ImportError, LookupError):
        raise NotSetUpError(
            f"nouns=nltk needs the package nltk and its data: python -m nltk.downloader {NLTK_DATA}"
        ) from None
    for caption, own in zip(captions, nouns, strict=True):
        place, found = 0, []
        for word, name in own:
            start = caption.find(word, place)
            if start >= 0:
                place = start + len(word)
                found.append(PlacedWord(name, start, place))
        yield found
