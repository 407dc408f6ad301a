"""Scene graphs that can be merged and compared.

A graph holds concepts: words that mean the same, with all WordNet synsets that any of them is in.
Tuples enter one by one. A new word joins the concept with which it shares most (the highest share
of common synsets among all synsets of both), or becomes a concept of its own. Attributes are told
apart by object, relations by pair of objects. Naming an object in an attribute or relation makes
it an object of the graph.

That is how the reference implementation merges a caption's references (Anderson et al. 2016),
found by reproducing its counts for 17,230 candidates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from captious.text.scene_graph import Tuple
from captious.text.synsets import SynsetTable, wordnet


@dataclass(slots=True, eq=False)
class Concept:
    """Words of one meaning; the first is the one to show."""

    words: list[str]
    synsets: set[str]

    def matches(self, other: Concept) -> bool:
        """Whether the two share a word or a synset."""
        if not self.synsets.isdisjoint(other.synsets):
            return True
        return any(word in other.words for word in self.words)


@dataclass(slots=True)
class _Vocabulary:
    """Concepts that words enter one after the other."""

    concepts: list[Concept] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)

    def number(self, word: str, synsets: frozenset[str]) -> int:
        """Number of the concept that the word belongs to; makes one where none fits."""
        found = self.known.get(word)
        if found is None:
            found = self.known[word] = self._enter(word, synsets)
        return found

    def _enter(self, word: str, synsets: frozenset[str]) -> int:
        best, nearest = 0.0, -1
        if synsets:
            for number, concept in enumerate(self.concepts):
                if not synsets.isdisjoint(concept.synsets):
                    common = len(synsets & concept.synsets)
                    share = common / (len(synsets) + len(concept.synsets) - common)
                    if share > best:
                        best, nearest = share, number
        if nearest < 0:
            self.concepts.append(Concept([word], set(synsets)))
            return len(self.concepts) - 1
        self.concepts[nearest].words.append(word)
        self.concepts[nearest].synsets |= synsets
        return nearest


Concepts = tuple[Concept, ...]
# (object), (object, attribute, 2) or (subject, object, relation, 3), as numbers of concepts
Key = tuple[int, ...]
_NO_DETAILS = _Vocabulary()


class SceneGraph:
    """Objects, attributes and relations of one caption or of several merged.

    >>> graph = SceneGraph.of([[("tv", "large"), ("tv",)], [("television", "cat", "near")]])
    >>> [[concept.words for concept in parts] for parts in graph.tuples()]
    [[['tv', 'television']], [['tv', 'television'], ['large']], [['cat']],
     [['tv', 'television'], ['cat'], ['near']]]
    """

    def __init__(self, synsets: SynsetTable | None = None) -> None:
        self._table = synsets or wordnet()
        self._objects = _Vocabulary()
        self._details: dict[Key, _Vocabulary] = {}
        self._found: dict[Key, None] = {}

    @classmethod
    def of(cls, captions: Iterable[Iterable[Tuple]], synsets: SynsetTable | None = None) -> SceneGraph:
        """Merge the tuples of several captions, in order."""
        graph = cls(synsets)
        for tuples in captions:
            for parts in tuples:
                graph.add(parts)
        return graph

    def __len__(self) -> int:
        return len(self._found)

    def add(self, parts: Tuple) -> None:
        """Add (object), (object, attribute) or (subject, object, relation)."""
        size = len(parts)
        owner: Key = (self._object(parts[0]),)
        if size == 1:
            return
        detail = parts[-1]
        if size == 3:
            owner = (*owner, self._object(parts[1]))
            # "is next to" and "next to" are one relation.
            detail = detail.removeprefix("be ")
        details = self._details.setdefault(owner, _Vocabulary())
        self._found[(*owner, details.number(detail, self._table.of(detail)), size)] = None

    def _object(self, word: str) -> int:
        number = self._objects.number(word, self._table.of(word))
        self._found[(number,)] = None
        return number

    def numbered(self) -> list[Key]:
        """Every tuple by the numbers of its concepts, in the order of the captions."""
        return list(self._found)

    def concepts(self, key: Key) -> Concepts:
        """Concepts of the tuple with this key."""
        objects = self._objects.concepts
        if len(key) == 1:
            return (objects[key[0]],)
        owner = key[:-2]
        detail = self._details[owner].concepts[key[-2]]
        return (*(objects[number] for number in owner), detail)

    def tuples(self) -> list[Concepts]:
        """Every object, attribute and relation as concepts, in the order of the captions."""
        return [self.concepts(key) for key in self._found]

    def found_in(self, other: SceneGraph) -> list[list[Key]]:
        """For each tuple of this graph, the other's tuples that match it in every part."""
        alike = [
            [number for number, theirs in enumerate(other._objects.concepts) if mine.matches(theirs)]
            for mine in self._objects.concepts
        ]
        matches: list[list[Key]] = []
        for key in self._found:
            if len(key) == 1:
                matches.append([(number,) for number in alike[key[0]]])
                continue
            owners: list[Key] = [(number,) for number in alike[key[0]]]
            if key[-1] == 3:
                owners = [(*owner, number) for owner in owners for number in alike[key[1]]]
            detail = self._details[key[:-2]].concepts[key[-2]]
            matches.append(
                [
                    (*owner, number, key[-1])
                    for owner in owners
                    for number, theirs in enumerate(other._details.get(owner, _NO_DETAILS).concepts)
                    if detail.matches(theirs)
                ]
            )
        return matches
