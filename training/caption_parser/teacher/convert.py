"""From the older Stanford dependencies to those that the golden parses have.

Version 3.3.1 of the Stanford parser writes Stanford dependencies (de Marneffe & Manning 2008), version
3.6.0 an early form of Universal Dependencies: a preposition is a `case` of its noun, which takes its
place under the head, and a noun after "is in" is the predicate. The rules below were written by
comparing the output of both on captions of training images.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from captious.text.parse import Parse

RENAMED = {
    "nn": "compound",
    "num": "nummod",
    "vmod": "acl",
    "poss": "nmod:poss",
    "prt": "compound:prt",
    "rcmod": "acl:relcl",
    "possessive": "case",
    "npadvmod": "nmod:npmod",
    "tmod": "nmod:tmod",
    "acomp": "xcomp",
    "predet": "det:predet",
    "preconj": "cc:preconj",
    "number": "compound",
    "quantmod": "advmod",
    "pobj": "nmod",
    "prep": "nmod",
    "pcomp": "dep",
    "agent": "nmod",
}
BE = frozenset({"is", "are", "was", "were", "be", "been", "being", "'s", "'re", "am", "'m"})
_EDGE = re.compile(r"^(\S+?)\(.*-(\d+)'*, .*-(\d+)'*\)$")
_LEAF = re.compile(r"\((\S+) ([^()\s]+)\)")


class Tree:
    """A dependency tree that is being rewritten; words count from 1, head 0 is the root."""

    def __init__(
        self, top: str, words: list[str], tags: list[str], heads: list[int], labels: list[str]
    ) -> None:
        self.top = top  # category of the whole, such as S
        self.words, self.tags, self.heads, self.labels = words, tags, heads, labels

    def children(self, head: int, *labels: str) -> list[int]:
        """Dependents of a word, in order, of these relations or of any."""
        return [
            at
            for at, above in enumerate(self.heads, start=1)
            if above == head and (not labels or self.labels[at - 1] in labels)
        ]

    def put(self, word: int, head: int, label: str) -> None:
        """Hang a word under another."""
        self.heads[word - 1], self.labels[word - 1] = head, label

    def exchange(self, above: int, below: int) -> None:
        """Let a word take the place of its head, with all other dependents of that head."""
        for other in self.children(above):
            if other != below:
                self.heads[other - 1] = below
        self.put(below, self.heads[above - 1], self.labels[above - 1])
        self.heads[above - 1] = below


def converted(tree: Tree) -> Parse:
    """The tree with the relations of the golden parses; lemmas are left as the words.

    >>> tree = Tree("NP", ["dogs", "on", "ice"], ["NNS", "IN", "NN"], [0, 1, 2], ["root", "prep", "pobj"])
    >>> converted(tree).labels
    ('root', 'case', 'nmod')
    """
    words, tags = tree.words, tree.tags
    for word in range(1, len(words) + 1):
        _prepositional_predicate(tree, word)
    for word in range(len(words), 0, -1):
        _preposition(tree, word)
    for word in range(1, len(words) + 1):
        _rename(tree, word)
    return Parse(tuple(words), tuple(tags), tuple(words), tuple(tree.heads), tuple(tree.labels))


def _prepositional_predicate(tree: Tree, verb: int) -> None:
    """ "is in the sky": the preposition takes the verb's place; `_preposition` does the rest."""
    own = tree.labels[verb - 1]
    if tree.words[verb - 1] not in BE or own in ("aux", "auxpass", "cop"):
        return
    preps = [word for word in tree.children(verb, "prep") if word > verb and tree.children(word, "pobj")]
    if not preps or tree.children(verb, "expl", "dobj", "attr", "xcomp", "ccomp", "acomp"):
        return
    tree.exchange(verb, preps[0])
    tree.labels[verb - 1] = "cop"


def _preposition(tree: Tree, prep: int) -> None:
    """A noun, or a clause, after a preposition takes its place."""
    if tree.labels[prep - 1] in ("case", "mark"):
        return
    objects = tree.children(prep, "pobj")
    if objects and tree.tags[prep - 1] == "RB":  # "runs down a path"
        tree.labels[prep - 1], tree.labels[objects[0] - 1] = "advmod", "npadvmod"
        return
    clauses = tree.children(prep, "pcomp")
    own, head = tree.labels[prep - 1], tree.heads[prep - 1]
    if objects:
        tree.exchange(prep, objects[0])
        tree.labels[prep - 1] = "case"
        if own in ("prep", "pcomp"):
            tree.labels[objects[0] - 1] = "nmod" if own == "prep" else own
    elif clauses and own == "prep":
        clause = clauses[0]
        case = tree.tags[clause - 1] in ("IN", "TO")
        tree.exchange(prep, clause)
        noun = head and tree.tags[head - 1].startswith("N")
        fragment = tree.top == "FRAG" and head and not tree.heads[head - 1]
        nominal = tree.tags[clause - 1][0] in "NP"
        tree.labels[clause - 1] = "nmod" if nominal else "dep" if fragment else "acl" if noun else "advcl"
        tree.labels[prep - 1] = "case" if case or nominal else "mark"


def _rename(tree: Tree, word: int) -> None:
    label, tag = tree.labels[word - 1], tree.tags[word - 1]
    if label == "aux" and tag == "TO":
        tree.labels[word - 1] = "mark"
    elif label == "vmod" and not _is_noun(tree, tree.heads[word - 1]):
        tree.labels[word - 1] = "advcl"
    elif label == "dep" and tag in ("IN", "JJ", "RB") and _precedes_noun(tree, word):
        tree.labels[word - 1] = "case"
    elif label == "det" and tree.words[word - 1] == "no":
        tree.labels[word - 1] = "neg"
    else:
        tree.labels[word - 1] = RENAMED.get(label, label)


def _is_noun(tree: Tree, word: int) -> bool:
    return tree.tags[word - 1].startswith(("N", "P", "D", "C"))


def _precedes_noun(tree: Tree, word: int) -> bool:
    """ "next to a spoon": the first word of a phrase that has a preposition besides."""
    head = tree.heads[word - 1]
    return head > word and bool(tree.children(head, "case"))


def read_dependencies(lines: Iterable[str]) -> Iterator[list[tuple[str, int, int]]]:
    """Relation, head and dependent of each edge; a blank line ends a sentence."""
    edges: list[tuple[str, int, int]] = []
    for line in lines:
        found = _EDGE.match(line)
        if found:
            edges.append((found[1], int(found[2]), int(found[3])))
        elif edges:
            yield edges
            edges = []
    if edges:
        yield edges


def parse_of(tree: str, edges: list[tuple[str, int, int]]) -> Parse | None:
    """The converted parse of a tree in brackets and its edges; none where an edge is missing."""
    leaves = _LEAF.findall(tree)
    if len(edges) != len(leaves):
        return None
    heads, labels = [0] * len(leaves), [""] * len(leaves)
    for label, head, word in edges:
        heads[word - 1], labels[word - 1] = head, label
    words, tags = [word for _, word in leaves], [tag for tag, _ in leaves]
    return converted(Tree(tree.split("(", 3)[2].strip(), words, tags, heads, labels))
