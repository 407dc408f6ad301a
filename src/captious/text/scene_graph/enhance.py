"""From a tree to a graph: collapsed, conjunction-processed dependencies.

The scene graph rules of Schuster et al. (2015) read a graph in which prepositions are labels and
conjuncts share what their first member has: "a red and blue car" has amod(car, red) and
amod(car, blue). Parsers give trees; this is the step between, which CoreNLP calls collapsed and
CC-processed dependencies (de Marneffe and Manning 2008).
"""

from __future__ import annotations

from captious.text.parse import Parse
from captious.text.scene_graph.dependencies import Edge, Graph
from captious.text.scene_graph.prepositions import join_prepositions

_TAKES_PREPOSITION = frozenset({"nmod", "acl", "advcl"})
_PARTICIPLES = frozenset({"VBN", "VBD", "VBG"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})


def enhance(parse: Parse) -> Graph:
    """Graph of a parsed sentence.

    >>> parse = Parse(("cat", "on", "mat"), ("NN", "IN", "NN"), ("cat", "on", "mat"),
    ...               (0, 3, 1), ("root", "case", "nmod"))
    >>> [f"{e.label}({e.head},{e.dependent})" for e in enhance(parse).edges]
    ['root(0,1)', 'case(3,2)', 'nmod:on(1,3)']
    """
    words = list(parse.words)
    heads = [0, *parse.heads]
    labels = ["", *parse.labels]
    join_prepositions(words, heads, labels)
    graph = Graph(words, list(parse.tags), [lemma.lower() for lemma in parse.lemmas], [])
    names = _names(words, heads, labels)
    graph.edges = [Edge(names[i], heads[i], i) for i in range(1, len(heads))]
    if "conj" in labels:
        _share(graph, heads, labels, names)
        graph.edges.sort(key=lambda edge: (edge.dependent, edge.head))
    return graph


def _names(words: list[str], heads: list[int], labels: list[str]) -> list[str]:
    """Labels with the preposition or conjunction in them: `nmod:on`, `conj:and`."""
    names = list(labels)
    passive = {heads[i] for i, label in enumerate(labels) if label == "auxpass"}
    prepositions = _prepositions(words, heads, labels)
    for word, label in enumerate(labels):
        if label in _TAKES_PREPOSITION and word in prepositions:
            name = prepositions[word]
            agent = label == "nmod" and name == "by" and heads[word] in passive
            names[word] = "nmod:agent" if agent else f"{label}:{name}"
        elif label == "conj":
            names[word] = _conjunction(word, words, heads, labels)
    return names


def _prepositions(words: list[str], heads: list[int], labels: list[str]) -> dict[int, str]:
    """Preposition of each word that has one; of several the longest, else the last."""
    found: dict[int, str] = {}
    parts: dict[int, list[str]] = {}
    for word, label in enumerate(labels):
        if label == "mwe":
            parts.setdefault(heads[word], []).append(words[word - 1])
    for word, label in enumerate(labels):
        if label == "case":
            name = "_".join([words[word - 1], *parts.get(word, ())])
            if "_" in name or "_" not in found.get(heads[word], ""):
                found[heads[word]] = name
    return found


def _conjunction(word: int, words: list[str], heads: list[int], labels: list[str]) -> str:
    first = heads[word]
    links = [i for i, label in enumerate(labels) if label == "cc" and heads[i] == first]
    if not links:
        return "conj"
    before = [i for i in links if i < word]
    link = before[-1] if before else links[0]
    as_well_as = words[link - 1 : link + 2] == ["as", "well", "as"]
    return "conj:and" if as_well_as else f"conj:{words[link - 1]}"


def _share(graph: Graph, heads: list[int], labels: list[str], names: list[str]) -> None:
    """Give each conjunct what the first has: its place under the head, its subject."""
    prepositions = _prepositions(graph.words, heads, labels)
    for word in range(1, len(heads)):
        if labels[word] != "conj":
            continue
        first = heads[word]
        own = prepositions.get(word)
        if own and heads[first] and labels[first] == "nmod" and first in prepositions:
            _share_phrase(graph, word, word, own, heads, names)
            continue
        if labels[first] == "case" and labels[heads[first]] == "nmod" and heads[heads[first]]:
            _share_phrase(graph, word, heads[first], graph.words[word - 1], heads, names)
            continue
        if heads[first]:
            graph.edges.append(Edge(names[first], heads[first], word))
        _share_subject(graph, word, first, heads, labels)


def _share_subject(graph: Graph, word: int, first: int, heads: list[int], labels: list[str]) -> None:
    own = [labels[i] for i in range(1, len(heads)) if heads[i] == word]
    if not graph.tags[word - 1].startswith(("V", "J")) or any(label in _SUBJECTS for label in own):
        return
    passive = "auxpass" in own
    may_be_passive = passive or graph.tags[word - 1] in _PARTICIPLES
    graph.edges.extend(
        Edge("nsubjpass" if passive else labels[i] if may_be_passive else "nsubj", word, i)
        for i in range(1, len(heads))
        if heads[i] == first and labels[i] in _SUBJECTS
    )


def _share_phrase(graph: Graph, word: int, noun: int, own: str, heads: list[int], names: list[str]) -> None:
    """Two phrases, "over cars and into the air": what they hang from gets a second node.

    `word` is the second conjunct: a noun with its own preposition, or, in "on or near a fence", a
    preposition; `noun` is what the preposition `own` belongs to.
    """
    first = heads[word]
    above = heads[first] if noun == word else heads[noun]
    twin = graph.copy_word(above)
    kept: list[Edge] = []
    for edge in graph.edges:
        label, head, dependent = edge
        if dependent == word and label.startswith("conj"):
            kept.append(Edge(f"nmod:{own}", twin, noun))
        elif label == "cc" and head == first:
            kept.append(Edge(label, above, dependent))
        else:
            kept.append(edge)
            if dependent == above and head:
                kept.append(Edge(label, head, twin))
            elif head == above and label in _SUBJECTS:
                kept.append(Edge(label, twin, dependent))
    kept.append(Edge(names[word], above, twin))
    graph.edges = kept
