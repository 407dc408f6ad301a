"""From a tree to a graph: collapsed, conjunction-processed dependencies.

The scene graph rules of Schuster et al. (2015) read a graph in which prepositions are labels and
conjuncts share what their first member has: "a red and blue car" has amod(car, red) and
amod(car, blue). Parsers give trees; this is the step between, which CoreNLP calls collapsed and
CC-processed dependencies (de Marneffe and Manning 2008).

Prepositions become labels: nmod(cat, mat) and case(mat, on) make nmod:on(cat, mat). Those of several
words, such as "next to", are joined first: those that the reference parser was seen to join in
captions, and others of the same form.
"""

from __future__ import annotations

from captious.text.parse import Parse
from captious.text.scene_graph.dependencies import Edge, Graph

_BELOW = "next to|out of|outside of|close to|away from|far from"
_BESIDE = (
    "across from|along with|alongside of|apart from|aside from|because of|compared to|"
    "compared with|except for|far from|followed by|inside of|instead of|near to|next to|"
    "off of|out of|outside of|such as|thanks to|together with"
)
_THREE = (
    "by means of|in accordance with|in addition to|in case of|in front of|in lieu of|"
    "in place of|in spite of|on account of|on behalf of|on top of|with regard to|with respect to"
)
# Joined where the second word's noun hangs from the first: "parked outside | of the door".
JOINED_BELOW = frozenset(tuple(phrase.split()) for phrase in _BELOW.split("|"))
# Joined where both words hang from the noun.
JOINED_BESIDE = frozenset(tuple(phrase.split()) for phrase in _BESIDE.split("|"))
JOINED_THREE = frozenset(tuple(phrase.split()) for phrase in _THREE.split("|"))
_FIRST_OF_TWO = frozenset(pair[0] for pair in JOINED_BELOW | JOINED_BESIDE)
_MIDDLE_OF_THREE = frozenset(triple[1] for triple in JOINED_THREE)
# "next" in "sits next to": whatever it was to its head, the noun that replaces it is an nmod.
_BECOMES_NMOD = frozenset({"nmod", "advmod", "dep", "dobj", "xcomp", "amod"})
_MARKERS = frozenset({"case", "mark"})


def join_prepositions(words: list[str], heads: list[int], labels: list[str]) -> None:
    """Make each preposition of several words one `case` with `mwe` parts, in place.

    Word `i` has its head at `heads[i]`; place 0 is the root and holds nothing.
    """
    for place in range(1, len(words)):
        word = words[place - 1]
        if word in _FIRST_OF_TWO:
            _join_two(place, words, heads, labels)
        elif word in _MIDDLE_OF_THREE and place > 1:
            _join_three(place, words, heads, labels)


def _join_two(first: int, words: list[str], heads: list[int], labels: list[str]) -> None:
    second = first + 1
    pair = (words[first - 1], words[second - 1])
    noun = heads[second]
    if labels[second] != "case" or noun in (0, first):
        return
    if heads[noun] == first and pair in JOINED_BELOW:
        if labels[first] not in _BECOMES_NMOD:
            labels[noun] = labels[first]
        heads[noun] = heads[first]
        _hand_over(first, noun, heads, but=second)
        heads[first], labels[first] = noun, "case"
    elif heads[first] == noun and pair in JOINED_BESIDE and labels[first] in ("advmod", "case"):
        if first in heads:
            return
        labels[first] = "case"
    else:
        return
    heads[second], labels[second] = first, "mwe"


def _join_three(middle: int, words: list[str], heads: list[int], labels: list[str]) -> None:
    first, last = middle - 1, middle + 1
    triple = (words[first - 1], words[middle - 1], words[last - 1])
    noun = heads[last]
    if (
        triple not in JOINED_THREE
        or heads[first] != middle
        or labels[first] != "case"
        or labels[last] not in _MARKERS
        or noun in (0, middle)
        or heads[noun] != middle
    ):
        return
    # "in front of a", cut off after the article, is taken for a clause.
    kind = "mark" if labels[noun] == "acl" else labels[last]
    if labels[middle] != "nmod":
        labels[noun] = labels[middle]
    heads[noun] = heads[middle]
    _hand_over(middle, noun, heads, but=0)
    heads[first], labels[first] = noun, kind
    heads[middle] = heads[last] = first
    labels[middle] = labels[last] = "mwe"


def _hand_over(giver: int, taker: int, heads: list[int], but: int) -> None:
    for word in range(1, len(heads)):
        if heads[word] == giver and word not in (taker, but):
            heads[word] = taker


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
