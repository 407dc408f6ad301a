"""Which objects an image holds, and how often, by the sources that a metric was asked for.

Sources are named in a corpus's labels (`gold:dog`, `d80:dog`). `gold|d500` is the union of two
(Madhyastha et al. 2019, 4.1): a label that several name counts as often as the one that names it
most often, so that one dog seen by two detectors stays one dog (`largest`). The paper speaks of the
"unique object labels from the combination": with `unique` each label of a union counts once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from captious.corpus import Corpus
from captious.corpus.objects import split_source
from captious.errors import InputError, UnknownNameError
from captious.text.stop_words import is_content_word

ALL = "all"
FREQUENCY, BINARY = "frequency", "binary"
COUNTS = (FREQUENCY, BINARY)
LARGEST, UNIQUE = "largest", "unique"
UNIONS = (LARGEST, UNIQUE)


def wanted_sources(text: str) -> tuple[str, ...]:
    """The sources that an option names; none means all.

    >>> wanted_sources("gold|d500"), wanted_sources("all")
    (('gold', 'd500'), ())
    """
    names = tuple(filter(None, (name.strip() for name in re.split(r"[|+]", text))))
    return () if names == (ALL,) else names


def require_objects(metric: str, corpus: Corpus) -> None:
    """Refuse a corpus without objects."""
    if corpus.objects is None:
        raise InputError(
            f"{metric} needs the objects in each image, but the corpus has none.",
            python="Make the corpus with objects=.",
            command="Give them with --objects FILE.",
        )


def check_sources(corpus: Corpus, sources: tuple[str, ...]) -> None:
    """Refuse a source that no label carries."""
    if corpus.objects is None or not sources:
        return
    known = {split_source(label)[0] for label in set(corpus.objects.values)}
    for name in sources:
        if name not in known:
            raise UnknownNameError("source of objects", name, (known - {""}) | {ALL})


def object_counts(
    labels: Iterable[str], sources: tuple[str, ...] = (), counts: str = FREQUENCY, union: str = LARGEST
) -> dict[str, int]:
    """Labels of one image in lower case with their counts, in order of appearance.

    >>> object_counts(["gold:dog", "gold:dog", "d80:dog", "d80:cup"], ("gold", "d80"))
    {'dog': 2, 'cup': 1}
    >>> object_counts(["gold:dog", "gold:dog", "d80:dog", "d80:cup"], ("gold", "d80"), union="unique")
    {'dog': 1, 'cup': 1}
    >>> object_counts(["dog", "dog", "cup"], counts="binary")
    {'dog': 1, 'cup': 1}
    """
    seen: dict[str, Counter[str]] = {}
    for label in labels:
        source, own = split_source(label)
        if not sources or source in sources:
            seen.setdefault(source, Counter())[own.strip().lower()] += 1
    once = counts == BINARY or (union == UNIQUE and len(seen) > 1)
    merged: dict[str, int] = {}
    for counter in seen.values():
        for own, count in counter.items():
            merged[own] = max(merged.get(own, 0), 1 if once else count)
    return merged


def split_counts(counts: Mapping[str, int], stop: frozenset[str]) -> dict[str, int]:
    """Labels as the words that they are made of, stop words left out, each with its counts.

    >>> split_counts({"wine glass": 2, "glass": 1}, frozenset())
    {'wine': 2, 'glass': 3}
    """
    words: dict[str, int] = {}
    for label, count in counts.items():
        for word in re.split(r"[\s_-]+", label):
            if is_content_word(word, stop):
                words[word] = words.get(word, 0) + count
    return words
