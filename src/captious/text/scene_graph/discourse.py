"""Scene graph of several sentences about one picture.

Read one by one, the sentences of a long caption leave "it" and "they" open, name the same thing
again, and give tuples of what is no object ("the overall atmosphere") or is not in the picture
("suggesting a game"). Here they are one text: a pronoun means what was named before it, and what
is no object, or is compared, denied or concluded, gives no tuple. The conventions are those of
the experts of DiscoSG (Lin et al. 2025): clothes are worn, parts are had, two is "2".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from captious.text.parse import Parse
from captious.text.scene_graph import discourse_words as known
from captious.text.scene_graph.dependencies import Edge, Graph
from captious.text.scene_graph.enhance import enhance
from captious.text.scene_graph.rules import Tuple, graph_tuples
from captious.text.synsets import wordnet

_SINGULAR, _PLURAL = frozenset({"NN", "NNP"}), frozenset({"NNS", "NNPS"})
_NOUNS = _SINGULAR | _PLURAL
_SILENT = "-"  # a tag that no rule reads
_HE, _SHE = frozenset({"he", "him", "his", "himself"}), frozenset({"she", "her", "hers", "herself"})
_IT, _THEY = frozenset({"it", "its", "itself"}), frozenset({"they", "them", "their", "theirs", "themselves"})

_MARKUP = re.compile(r"[*#_`]+|^\s*(?:\d+[.)]|[-•])\s+", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[a-z][.!?])(?=[A-Z])|\n+")
_REMARK = re.compile(rf",\s+(?:(?:{'|'.join(sorted(known.REMARKS))})\b)[^,.;!?]*", re.IGNORECASE)
_CLAUSE = re.compile(r",\s+(?=(?:its|their|his|her)\b)|;\s+|:\s+|\s+[-–—]\s+|—|,\s+while\s+")


def clauses(text: str) -> list[str]:
    """Sentences and independent clauses of a text, without markup and remarks on the effect.

    >>> clauses("**A dog** runs, adding life to the scene. It holds a ball; its tail is up.")
    ['A dog runs.', 'It holds a ball', 'its tail is up.']
    """
    sentences = _SENTENCE_END.split(_MARKUP.sub("", text))
    parts = (part for sentence in sentences for part in _CLAUSE.split(_REMARK.sub("", sentence)))
    return [part.strip() for part in parts if part.strip()]


def discourse_tuples(parses: Iterable[Parse]) -> list[Tuple]:
    """Objects, attributes and relations that the clauses of one text name, each once."""
    found: dict[Tuple, None] = {}
    named: list[list[_Named]] = []
    for parse in parses:
        graph = enhance(parse)
        _read_colours(graph)
        _silence(graph, parse)
        _lift(graph)
        _read_passives(graph)
        _join_compounds(graph)
        named.append(_resolve(graph, named))
        found.update(dict.fromkeys(_tuples(graph)))
    return list(found)


def is_object(name: str) -> bool:
    """Whether a noun names something that can be pointed at.

    >>> [name for name in ("dog", "tranquility", "city", "image", "building") if is_object(name)]
    ['dog', 'city', 'building']
    """
    last = name.rpartition(" ")[2]
    if not last[:1].isalpha() or last in known.COLOURS:
        return False
    if name in known.NO_OBJECTS_ALONE or last in known.NO_OBJECTS:
        return False
    return last in known.THINGS or not (last.endswith(known.ABSTRACT_ENDINGS) and len(last) > 5)


@dataclass(frozen=True)
class _Named:
    """A noun that something later may mean."""

    name: str
    plural: bool
    subject: bool

    def agrees(self, pronoun: str) -> bool:
        person = self.name in known.PEOPLE
        if pronoun in _THEY:
            return self.plural
        if pronoun in _HE:
            return person and not self.plural and self.name not in known.FEMALE
        if pronoun in _SHE:
            return person and not self.plural and self.name not in known.MALE
        return pronoun in _IT and not self.plural and not person


def _read_colours(graph: Graph) -> None:
    """ "Light blue" is one attribute; what is said of a colour is said of the thing that has it."""
    for place, (degree, colour) in enumerate(pairwise(graph.words)):
        if degree in known.DEGREES and colour in known.COLOURS:
            graph.lemmas[place + 1] = f"{degree} {colour}"
            graph.edges = [edge for edge in graph.edges if edge.dependent != place + 1]
            graph.tags[place] = _SILENT
    copulas = {edge.head for edge in graph.edges if edge.label == "cop"}
    things: dict[int, int] = {}
    for label, head, word in graph.edges:
        if label in ("amod", "compound") and graph.words[word - 1] in known.COLOURS:
            things[word] = head
        elif label == "nsubj" and head in copulas and graph.words[head - 1] in known.COLOURS:
            things[head] = word
    attributes = [
        Edge("amod", things[edge.head], edge.dependent)
        for edge in graph.edges
        if edge.label in ("amod", "compound") and edge.head in things
    ]
    graph.edges = [e for e in graph.edges if e.label not in ("amod", "compound") or e.head not in things]
    graph.edges += attributes
    graph.edges += [Edge("amod", thing, colour) for colour, thing in things.items() if colour in copulas]


def _silence(graph: Graph, parse: Parse) -> None:
    """Take away the tags of what is compared, denied or concluded."""
    below: dict[int, list[int]] = {}
    for word, head in enumerate(parse.heads, start=1):
        below.setdefault(head, []).append(word)
    waiting: list[int] = []
    for word, (label, head) in enumerate(zip(parse.labels, parse.heads, strict=True), start=1):
        lemma = parse.lemmas[word - 1]
        compares = label == "case" and lemma in known.COMPARING
        if head and (compares or label == "neg" or (label == "det" and lemma == "no")):
            waiting.append(head)
        if lemma in known.CONCLUDING and parse.tags[word - 1].startswith("V"):
            waiting += [i for i in below.get(word, ()) if not parse.labels[i - 1].startswith("nsubj")]
    silent: set[int] = set()
    while waiting:
        word = waiting.pop()
        if word not in silent:
            silent.add(word)
            waiting += below.get(word, ())
    for word in silent:
        graph.tags[word - 1] = _SILENT


def _lift(graph: Graph) -> None:
    """In "a group of people" the people stand in the group's place."""
    for phrase in list(graph.edges):
        label, head, noun = phrase
        lemma = graph.lemmas[head - 1]
        if label != "nmod:of" or graph.tags[head - 1] not in _NOUNS:
            continue
        if lemma not in known.COLLECTIVE and lemma not in known.FORMS:
            continue
        graph.edges = [
            Edge(edge.label, noun if edge.head == head else edge.head, edge.dependent)
            if edge.dependent != head
            else Edge(edge.label, edge.head, noun)
            for edge in graph.edges
            if edge != phrase and not (edge.head == head and edge.label in ("det", "amod"))
        ]
        graph.edges = [edge for edge in graph.edges if edge.head != edge.dependent]
        graph.tags[head - 1] = _SILENT
        if lemma in known.COLLECTIVE:
            graph.lemmas[head - 1] = "group of" if lemma == "group" else lemma
            graph.edges.append(Edge("amod", noun, head))


def _read_passives(graph: Graph) -> None:
    """ "Is dressed in a coat" relates as an active verb does."""
    passive = [edge for edge in graph.edges if edge.label == "nsubjpass"]
    graph.edges += [Edge("nsubj", edge.head, edge.dependent) for edge in passive]


def _join_compounds(graph: Graph) -> None:
    """ "Traffic light" is one object, as in WordNet; a brick building is a building of brick."""
    for edge in [edge for edge in graph.edges if edge.label == "compound" and edge.head]:
        _, head, part = edge
        first, last = graph.lemmas[part - 1], graph.lemmas[head - 1]
        graph.edges.remove(edge)
        if last not in known.PEOPLE:
            whole = f"{first} {last}"
            if graph.tags[part - 1] in _NOUNS and first not in known.MATERIALS and wordnet().of(whole):
                graph.lemmas[head - 1] = whole
            else:
                graph.edges.append(Edge("amod", head, part))
        graph.tags[part - 1] = _SILENT


def _resolve(graph: Graph, before: list[list[_Named]]) -> list[_Named]:
    """Write in place of pronouns, and of "the animal", what they mean; what this sentence names."""
    subjects = {edge.dependent for edge in graph.edges if edge.label.startswith("nsubj")}
    definite = {
        edge.head
        for edge in graph.edges
        if edge.label == "det" and graph.words[edge.dependent - 1] in ("the", "this", "these")
    }
    here: list[_Named] = []
    for word, tag in enumerate(graph.tags, start=1):
        spoken, lemma = graph.words[word - 1], graph.lemmas[word - 1]
        meant = None
        if tag in ("PRP", "PRP$"):
            meant = _meant([here, *before[:-4:-1]], spoken)
            if meant is None:
                graph.tags[word - 1] = _SILENT
                continue
        elif tag not in _NOUNS:
            continue
        plural = tag in _PLURAL or lemma == "people"
        if meant is None and lemma in known.GENERIC and word in definite:
            meant = _meant(before[:-3:-1], "they" if plural else "", subject=True)
        if meant is not None:
            graph.lemmas[word - 1], plural = meant.name, meant.plural
            graph.tags[word - 1] = "NNS" if plural else "NN"
        if is_object(graph.lemmas[word - 1]):
            here.append(_Named(graph.lemmas[word - 1], plural, word in subjects))
    return here


def _meant(sentences: Iterable[list[_Named]], pronoun: str, subject: bool = False) -> _Named | None:
    """The subject, else the first noun, that agrees, of the nearest sentence that has one."""
    for named in sentences:
        fitting = [one for one in named if (one.agrees(pronoun) if pronoun else not one.plural)]
        subjects = [one for one in fitting if one.subject]
        if subjects or (fitting and not subject):
            return (subjects or fitting)[0]
    return None


def _tuples(graph: Graph) -> Iterable[Tuple]:
    for label, head, word in graph.edges:
        if label == "amod" and graph.tags[word - 1] in ("VBN", "VBG"):
            graph.lemmas[word - 1], graph.tags[word - 1] = graph.words[word - 1], "JJ"
        elif label == "nummod" and graph.tags[head - 1] in _NOUNS and graph.words[word - 1] != "one":
            graph.tags[head - 1] = "NNS"  # "three sheep"
    pairs = list(zip(graph.lemmas, graph.tags, strict=True))
    verbs = {lemma for lemma, tag in pairs if tag.startswith("V")}
    nouns = {lemma for lemma, tag in pairs if tag in _NOUNS}
    for parts in graph_tuples(graph):
        if len(parts) == 3:
            yield from _relation(*parts, nouns)
        elif parts[0] in nouns and is_object(parts[0]):
            yield parts[:1]
            # "A tree stands" says no more than that there is one.
            if len(parts) == 2 and parts[1] not in verbs | known.VAGUE | {parts[0]}:
                yield parts[0], known.NUMBERS.get(parts[1], parts[1])


def _relation(subject: str, thing: str, relation: str, nouns: set[str]) -> Iterable[Tuple]:
    seen = [name for name in (subject, thing) if name in nouns and is_object(name)]
    yield from ((name,) for name in seen)
    verb, _, preposition = relation.partition(" ")
    if thing.rpartition(" ")[2] in known.COLOURS and seen == [subject]:
        yield subject, thing  # "painted in red", "a shade of red"
    elif len(seen) == 2 and subject != thing and verb not in known.EMPTY_VERBS:
        worn = thing in known.CLOTHES and subject in known.WEARERS and relation in ("in", "with", "have")
        if worn or (verb in known.WEARING and preposition in ("", "in")):
            yield subject, thing, "wear"
        elif relation == "with" or (verb in known.HAVING and preposition in ("", "with")):
            yield subject, thing, "have"
        elif relation == "of":
            yield thing, subject, "have"
        elif verb in known.COVERING and preposition == "with":
            yield thing, subject, verb
        else:
            yield subject, thing, preposition if verb == "be" and preposition else relation
