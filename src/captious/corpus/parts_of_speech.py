"""Shares of parts of speech among the words of captions, by our caption parser or by spaCy.

Universal parts (Nivre et al. 2016) come from Penn Treebank tags and dependencies: the treebank tags
auxiliaries as verbs, and gives prepositions and subordinating conjunctions one tag; the relation to
the head distinguishes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from captious.errors import InputError, MissingDependencyError
from captious.text.languages import SOME, languages_of
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


CAPTION, SPACY, NONE = "caption", "spacy", "none"


class PartsOfSpeech(NamedTuple):
    """The share of each universal part of speech, the largest first, and what tagged them."""

    tagger: str
    shares: dict[str, float]


def parts_of_speech(captions: Sequence[str], tagger: str = CAPTION) -> PartsOfSpeech:
    """Tag captions and count; `tagger` is `caption`, `spacy`, or the name of a spaCy model.

    >>> parts_of_speech(["A dog runs.", "Two dogs."]).shares
    {'NOUN': 0.4, 'DET': 0.2, 'VERB': 0.2, 'NUM': 0.2}
    """
    if tagger == CAPTION:
        return _by_caption_parser(captions)
    return _by_spacy(captions, tagger)


def misread_by(tagger: str, captions: Sequence[str]) -> str:
    """Why an English tagger would misread captions, in a sentence; empty where it would not.

    >>> misread_by("caption", ["Zwei Hunde laufen über die Wiese."])
    'captions are German, and the tagger caption reads English.'
    """
    others = [one.language for one in languages_of(captions) if one.code != "en" and one.share >= SOME]
    if tagger not in (CAPTION, SPACY) or not others:
        return ""
    return f"captions are {' and '.join(others)}, and the tagger {tagger} reads English."


def missing_for_taggers() -> dict[str, str]:
    """For each tagger the command that gets it; empty where it can run.

    >>> missing_for_taggers()["caption"]
    ''
    """
    from captious.text.spacy_parser import installed_pipeline

    try:
        installed_pipeline()
    except MissingDependencyError:
        return {CAPTION: "", SPACY: 'pip install "captious[parse]"'}
    return {CAPTION: "", SPACY: ""}


def _by_caption_parser(captions: Sequence[str]) -> PartsOfSpeech:
    from captious.text.parser import parse_many, parser_name
    from captious.text.ptb.tokenise import tokenise_many

    parses = parse_many(tokenise_many(list(captions)))
    shares = _shares(tag for parse in parses for tag in universal_tags(parse))
    return PartsOfSpeech(f"{CAPTION}:{parser_name()}", shares)


def _by_spacy(captions: Sequence[str], tagger: str) -> PartsOfSpeech:
    from captious.text.spacy_parser import installed_pipeline

    name = installed_pipeline() if tagger == SPACY else tagger
    pipeline = _load(name)
    shares = _shares(
        token.pos_
        for document in pipeline.pipe(captions, batch_size=512)
        for token in document
        if token.pos_ not in ("PUNCT", "SPACE")
    )
    return PartsOfSpeech(f"spacy:{name}-{pipeline.meta['version']}", shares)


def _load(name: str) -> Any:
    from importlib import import_module

    try:
        spacy: Any = import_module("spacy")
    except ImportError:
        raise MissingDependencyError(f'the tagger "{name}" needs spaCy and a model of it', "parse") from None
    try:
        return spacy.load(name, exclude=["ner", "parser"])
    except OSError:
        raise InputError(
            f'no tagger "{name}": it is neither "{CAPTION}", "{SPACY}", "{NONE}" nor an installed '
            f"spaCy model. Install a model with: python -m spacy download {name}."
        ) from None


def _shares(tags: Iterable[str]) -> dict[str, float]:
    counts = Counter(tags)
    return {tag: count / counts.total() for tag, count in counts.most_common()}
