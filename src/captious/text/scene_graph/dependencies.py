"""Dependency graphs: words, and labelled edges between them.

A parser gives a tree (`Parse`). Scene graphs are read from a graph in which prepositions and
conjunctions have become labels: "a cat on a mat" has the edge nmod:on(cat, mat). `enhance` makes
that graph from a tree; `read_graph` reads one that another parser has printed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from captious.errors import InputError, one_line

_EDGE = re.compile(r"(\S+?)\((\d+)('\d+)?,\s*(\d+)('\d+)?\)")


class Edge(NamedTuple):
    """`label(head, dependent)`; words count from 1, and 0 is the root."""

    label: str
    head: int
    dependent: int


@dataclass(slots=True)
class Graph:
    """Words (each list holds word `i` at `i - 1`) and the edges between them.

    A word may occur twice: "runs over cars and into the air" holds two runs. Such copies stand
    after the words of the sentence.
    """

    words: list[str]
    tags: list[str]
    lemmas: list[str]
    edges: list[Edge]

    def copy_word(self, word: int) -> int:
        """Add a second node for `word` and return its number."""
        for column in (self.words, self.tags, self.lemmas):
            column.append(column[word - 1])
        return len(self.words)


def read_graph(words: Sequence[str], tags: Sequence[str], lemmas: Sequence[str], dependencies: str) -> Graph:
    """Read dependencies as CoreNLP prints them; `5'1` is the first copy of word 5.

    >>> read_graph(["a", "dog"], ["DT", "NN"], ["a", "dog"], "root(0,2) det(2,1)").edges[1]
    Edge(label='det', head=2, dependent=1)
    """
    graph = Graph(list(words), list(tags), [lemma.lower() for lemma in lemmas], [])
    copies: dict[tuple[str, str], int] = {}

    def node(word: str, copy: str | None) -> int:
        number = int(word)
        if number > len(words):
            raise InputError(
                f"dependencies name word {number}, but the sentence has {len(words)} words: "
                f'"{one_line(dependencies)}".'
            )
        if not copy or not number:
            return number
        if (word, copy) not in copies:
            copies[word, copy] = graph.copy_word(number)
        return copies[word, copy]

    for label, head, head_copy, dependent, dependent_copy in _EDGE.findall(dependencies):
        graph.edges.append(Edge(label, node(head, head_copy), node(dependent, dependent_copy)))
    return graph
