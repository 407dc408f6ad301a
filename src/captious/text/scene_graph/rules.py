"""From a dependency graph to tuples: the rules of a scene graph.

A tuple is (object), (object, attribute) or (subject, object, relation), in lemmas. The rules are
those that Schuster et al. (2015) name: adjectives, subject-predicate-object and intransitive
constructions, copulas, prepositional phrases, possessives, passives and participles; SPICE
(Anderson et al. 2016) adds numbers and compounds. What each does in detail was learned from the
tuples that the reference implementation gives for 144,434 captions.

The noun that a pronoun means is found as there, by a simple form of Hobbs' (1978) search: the sentence's
graph is walked from the root, level by level and from left to right, and the first noun that agrees in
number is taken, if it comes before the pronoun.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from captious.text.parse import Parse
from captious.text.scene_graph.dependencies import Graph
from captious.text.scene_graph.enhance import enhance
from captious.text.scene_graph.quantifiers import QUANTITY, lift_quantified

PRONOUN_TAGS = frozenset({"PRP", "PRP$"})

_SINGULAR_WORDS = "he him his himself she her herself it its itself one"
_SINGULAR = frozenset(_SINGULAR_WORDS.split())
_SINGULAR_NOUNS = frozenset({"NN", "NNP"})


def antecedents(
    words: Sequence[str], tags: Sequence[str], children: Sequence[Sequence[int]]
) -> dict[int, int]:
    """Noun that each resolvable pronoun refers to; `children[0]` are the roots.

    >>> antecedents(["dog", "wags", "its", "tail"], ["NN", "VBZ", "PRP$", "NN"],
    ...             [[2], [], [1, 4], [], [3]])
    {3: 1}
    """
    found: dict[int, int] = {}
    for number, tag in enumerate(tags, start=1):
        if tag in PRONOUN_TAGS:
            fitting = _SINGULAR_NOUNS if words[number - 1] in _SINGULAR else _NOUNS
            noun = _first_noun(tags, children, fitting)
            if noun and noun < number:
                found[number] = noun
    return found


def _first_noun(tags: Sequence[str], children: Sequence[Sequence[int]], fitting: frozenset[str]) -> int:
    waiting = deque(sorted(children[0]))
    seen: set[int] = set()
    while waiting:
        word = waiting.popleft()
        if word in seen:
            continue
        if tags[word - 1] in fitting:
            return word
        seen.add(word)
        waiting.extend(sorted(children[word]))
    return 0


Tuple = tuple[str, ...]
Links = list[list[tuple[str, int]]]

_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_NOT_AN_OBJECT_OF_A_VERB = frozenset({"nmod:poss", "nmod:npmod", "nmod:agent"})
_PREDICATE = frozenset({"nsubj", "nsubjpass"})


def scene_tuples(parse: Parse) -> list[Tuple]:
    """Objects, attributes and relations of a parsed caption, each once.

    >>> parse = Parse(("a", "black", "cat", "sits", "on", "a", "mat"),
    ...               ("DT", "JJ", "NN", "VBZ", "IN", "DT", "NN"),
    ...               ("a", "black", "cat", "sit", "on", "a", "mat"),
    ...               (3, 3, 4, 0, 7, 7, 4),
    ...               ("det", "amod", "nsubj", "root", "case", "det", "nmod"))
    >>> scene_tuples(parse)
    [('cat', 'mat', 'sit on'), ('cat', 'black'), ('cat',), ('mat',)]
    """
    return graph_tuples(enhance(parse))


def graph_tuples(graph: Graph) -> list[Tuple]:
    """Tuples of a dependency graph (which is changed: quantifiers are lifted)."""
    lift_quantified(graph)
    return _Reader(graph).tuples()


class _Reader:
    """One graph, indexed by head and by dependent, and the tuples read from it so far."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        size = len(graph.words) + 1
        self.below: Links = [[] for _ in range(size)]
        self.above: Links = [[] for _ in range(size)]
        for label, head, dependent in graph.edges:
            self.below[head].append((label, dependent))
            self.above[dependent].append((label, head))
        self.names = ["", *graph.lemmas]
        self.tags = ["", *graph.tags]
        self.nominal = [tag in _NOUNS for tag in self.tags]
        self.meant: dict[int, int] = {}
        if not PRONOUN_TAGS.isdisjoint(graph.tags):
            children = [[word for _, word in links] for links in self.below]
            self.meant = antecedents(graph.words, graph.tags, children)
            for pronoun, noun in self.meant.items():
                self.names[pronoun] = self.names[noun]
        # What can be the subject or object of a verb: nouns and pronouns that stand for one.
        self.entity = list(self.nominal)
        for pronoun in self.meant:
            self.entity[pronoun] = True
        self.found: dict[Tuple, None] = {}

    def tuples(self) -> list[Tuple]:
        """Apply every rule; predicates come first, single objects last."""
        predicates = {head for label, head, _ in self.graph.edges if label in _PREDICATE}
        predicates.update(word for label, _, word in self.graph.edges if label == "acl")
        for word in sorted(predicates - {0}):
            self._predicate(word)
        in_compounds = self._modifiers()
        for word, nominal in enumerate(self.nominal):
            if nominal and word not in in_compounds:
                self._add(self.names[word])
        return list(self.found)

    def _add(self, *parts: str) -> None:
        self.found[parts] = None

    def _predicate(self, word: int) -> None:
        """Subjects and objects of a verb; copulas; participles that modify a noun."""
        below = self.below[word]
        labels = {label for label, _ in below}
        subjects = [i for label, i in below if label == "nsubj"]
        modified = [i for label, i in self.above[word] if label == "acl"]
        related = False
        if "cop" not in labels:
            related = self._relations(word, [i for i in subjects if self.entity[i]], modified)
            self._passive(word)
        for subject in subjects:
            if "case" in labels and self.entity[subject]:
                self._add(self.names[subject], self.names[word], self._preposition(word))
            says_nothing_else = "case" not in labels and not related and self.names[word] != "be"
            if self.tags[word].startswith("J") or (says_nothing_else and self.entity[subject]):
                self._add(self.names[subject], self.names[word])

    def _relations(self, verb: int, subjects: list[int], modified: list[int]) -> bool:
        """Relations of a verb's subjects, or of the nouns it modifies, to its objects."""
        name = self._verb(verb)
        related = False
        for subject in subjects + modified:
            for label, i in self.below[verb]:
                if not self.entity[i]:
                    continue
                if label in ("dobj", "iobj"):
                    self._add(self.names[subject], self.names[i], name)
                elif label == "nmod:agent" and subject in modified:
                    self._add(self.names[subject], self.names[i], name)
                    continue
                elif label.startswith("nmod:") and label not in _NOT_AN_OBJECT_OF_A_VERB:
                    self._add(self.names[subject], self.names[i], f"{name} {_spoken(label)}")
                else:
                    continue
                related = True
        return related

    def _passive(self, verb: int) -> None:
        """The agent of a passive is its subject: "held by a man" gives (man, ..., hold)."""
        below = self.below[verb]
        for subject in [i for label, i in below if label == "nsubjpass" and self.entity[i]]:
            for agent in [i for label, i in below if label == "nmod:agent" and self.entity[i]]:
                self._add(self.names[agent], self.names[subject], self._verb(verb))

    def _modifiers(self) -> set[int]:
        """What hangs from a noun; returns the words of compounds, which are no objects."""
        in_compounds: set[int] = set()
        names, nominal = self.names, self.nominal
        for label, head, word in self.graph.edges:
            if not head:
                continue
            if label == "amod":
                self._add(names[head], names[word])
            elif label in ("nummod", QUANTITY):
                if self.tags[head] == "NNS":
                    self._add(names[head], names[word])
            elif label == "compound":
                if nominal[head] and nominal[word]:
                    self._add(names[head], names[word])
                    in_compounds.update((head, word))
            elif label == "nmod:poss":
                if self.entity[word] and nominal[head] and self.meant.get(word) != head:
                    self._add(names[word], names[head], "have")
            elif nominal[head] and label.startswith("nmod:") and label != "nmod:agent":
                self._add(names[head], names[word], _spoken(label))
        return in_compounds

    def _verb(self, verb: int) -> str:
        particles = [self.names[i] for label, i in self.below[verb] if label == "compound:prt"]
        return " ".join([self.names[verb], *particles])

    def _preposition(self, word: int) -> str:
        # A pronoun is read as the noun it stands for, with that noun's preposition.
        owner = self.meant.get(word, word)
        cases = [i for label, i in self.below[owner] if label == "case"] or [
            i for label, i in self.below[word] if label == "case"
        ]
        rest = sorted(i for label, i in self.below[cases[0]] if label == "mwe")
        return " ".join(self.graph.words[i - 1] for i in (cases[0], *rest))


def _spoken(label: str) -> str:
    """`nmod:in_front_of` as it is said: "in front of"."""
    return label[5:].replace("_", " ")
