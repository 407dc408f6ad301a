"""Whom a pronoun means.

As in the reference implementation of Schuster et al. (2015), a simple form of Hobbs' (1978)
search: the sentence's graph is walked from the root, level by level and from left to right, and
the first noun that agrees in number is taken, if it comes before the pronoun.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

PRONOUN_TAGS = frozenset({"PRP", "PRP$"})

_SINGULAR_WORDS = "he him his himself she her herself it its itself one"
_SINGULAR = frozenset(_SINGULAR_WORDS.split())
_SINGULAR_NOUNS = frozenset({"NN", "NNP"})
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})


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
