"""Universal parts of speech (Nivre et al. 2016) from Penn Treebank tags and dependencies.

The treebank tags auxiliaries as verbs, and gives prepositions and subordinating conjunctions one
tag; the relation to the head distinguishes them.
"""

from __future__ import annotations

from collections.abc import Iterator

from captious.text.parse import Parse

_BY_TAG = {
    "CC": "CCONJ",
    "CD": "NUM",
    "DT": "DET",
    "EX": "PRON",
    "FW": "X",
    "IN": "ADP",
    "JJ": "ADJ",
    "JJR": "ADJ",
    "JJS": "ADJ",
    "LS": "X",
    "MD": "AUX",
    "NN": "NOUN",
    "NNS": "NOUN",
    "NNP": "PROPN",
    "NNPS": "PROPN",
    "PDT": "DET",
    "POS": "PART",
    "PRP": "PRON",
    "PRP$": "PRON",
    "RB": "ADV",
    "RBR": "ADV",
    "RBS": "ADV",
    "RP": "ADP",
    "SYM": "SYM",
    "TO": "ADP",
    "UH": "INTJ",
    "VB": "VERB",
    "VBD": "VERB",
    "VBG": "VERB",
    "VBN": "VERB",
    "VBP": "VERB",
    "VBZ": "VERB",
    "WDT": "PRON",
    "WP": "PRON",
    "WP$": "PRON",
    "WRB": "ADV",
    "$": "SYM",
    "#": "SYM",
}
_AUXILIARY = frozenset({"aux", "auxpass", "cop"})
_NEGATION = frozenset({"not", "n't"})


def universal_tags(parse: Parse) -> Iterator[str]:
    """The universal part of speech of each word.

    >>> parse = Parse(
    ...     words=("dogs", "are", "running", "to", "play"),
    ...     tags=("NNS", "VBP", "VBG", "TO", "VB"),
    ...     lemmas=("dog", "be", "run", "to", "play"),
    ...     heads=(3, 3, 0, 5, 3),
    ...     labels=("nsubj", "aux", "root", "mark", "xcomp"),
    ... )
    >>> list(universal_tags(parse))
    ['NOUN', 'AUX', 'VERB', 'PART', 'VERB']
    """
    for word, tag, label in zip(parse.words, parse.tags, parse.labels, strict=True):
        general = _BY_TAG.get(tag, "X")
        if general == "VERB" and label in _AUXILIARY:
            yield "AUX"
        elif general == "ADP" and label == "mark":
            yield "PART" if tag == "TO" else "SCONJ"
        elif general == "ADV" and word in _NEGATION:
            yield "PART"
        else:
            yield general
