"""Lemmas from words and their Penn Treebank tags: `riding` as VBG is `ride`, `dogs` as NNS `dog`.

The lemmas are those of Stanford CoreNLP's morphology, its habits included: only plural nouns,
verbs, pronouns and a few short words change, and `graffiti` is the plural of `graffitus`. Regular
endings are taken off by rule; where a rule leaves a choice (`hoping`, `hopping`), the verb is the
one that WordNet knows. Words on which the rules and CoreNLP disagree are listed in
`data/lemma_exceptions.txt`.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

from captious.text.synsets import wordnet

_SHORT_WORDS = {
    ("an", "DT"): "a",
    ("n't", "RB"): "not",
    ("ca", "MD"): "can",
    ("wo", "MD"): "will",
    ("'d", "MD"): "would",
    ("'ll", "MD"): "will",
    ("sha", "MD"): "shall",
}
_BRACKETS = frozenset({"-lrb-", "-rrb-", "-lsb-", "-rsb-"})
_PRONOUNS = {
    "him": "he",
    "his": "he",
    "her": "she",
    "them": "they",
    "their": "they",
    "us": "we",
    "our": "we",
    "your": "you",
}
_VERB_FORMS = {
    "is": "be",
    "are": "be",
    "am": "be",
    "was": "be",
    "were": "be",
    "been": "be",
    "being": "be",
    "'s": "be",
    "'re": "be",
    "'m": "be",
    "has": "have",
    "had": "have",
    "having": "have",
    "'ve": "have",
    "does": "do",
    "did": "do",
    "done": "do",
    "doing": "do",
    "goes": "go",
    "went": "go",
    "gone": "go",
}
_VOWELS = frozenset("aeiou")
_HISSING = ("ches", "shes", "sses", "xes", "zzes")


@lru_cache(maxsize=100_000)
def lemma(word: str, tag: str) -> str:
    """Lemma of a lower-case word with its tag.

    >>> [lemma(*pair) for pair in [("riding", "VBG"), ("children", "NNS"), ("riding", "NN")]]
    ['ride', 'child', 'riding']
    """
    if tag in ("PRP", "PRP$"):
        return "I" if word == "me" else _PRONOUNS.get(word, word)
    if tag == "NNS" or tag[:1] == "V":
        if word in _BRACKETS:
            return f"{word}_{tag}"
        return _exceptions().get((word, tag[:1])) or rule_lemma(word, tag)
    return _SHORT_WORDS.get((word, tag), word)


def rule_lemma(word: str, tag: str) -> str:
    """Lemma of a plural noun or a verb by rule alone, without the list of exceptions."""
    return _singular(word) if tag == "NNS" else _VERB_FORMS.get(word) or _infinitive(word)


@cache
def _exceptions() -> dict[tuple[str, str], str]:
    """Words that the rules get wrong, by word and kind (N or V)."""
    text = (files("captious.text") / "data" / "lemma_exceptions.txt").read_text(encoding="utf-8")
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {(word, kind): base for word, kind, base in rows}


def _singular(word: str) -> str:
    if word.endswith("men"):
        return word[:-2] + "an"
    irregular = wordnet().base_forms(word)
    if len(irregular) == 1 and word.endswith(("ves", "ren", "eet", "eeth", "ice", "eese")):
        return irregular[0]
    if word.endswith("i") and len(word) > 3:
        return word[:-1] + "us"
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return _without_s(word)


def _without_s(word: str) -> str:
    if not word.endswith("s") or word.endswith("ss") or len(word) < 3:
        return word
    return word[:-2] if word.endswith((*_HISSING, "oes")) else word[:-1]


def _infinitive(word: str) -> str:
    irregular = [base for base in wordnet().base_forms(word) if base != word]
    if irregular and not word.endswith(("ing", "s", "i")):
        return irregular[0]
    if word.endswith("ying") and len(word) == 5:
        return word[0] + "ie"
    if word.endswith(("ied", "ies")) and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and not word.endswith("eed") and _has_vowel(stem):
            return _verb_of_stem(stem)
    return _without_s(word)


def _verb_of_stem(stem: str) -> str:
    """The verb whose form was `stem` and an ending: rid -> ride, sitt -> sit, look -> look."""
    known = wordnet().knows
    doubled = len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in _VOWELS
    if doubled:
        return stem if stem[-1] in "lsfz" and known(stem) else stem[:-1]
    if known(stem + "e") and not (known(stem) and _keeps_its_form(stem)):
        return stem + "e"
    if known(stem):
        return stem
    return stem + "e" if _wants_e(stem) else stem


def _keeps_its_form(stem: str) -> bool:
    """Whether no e was lost: after two consonants, two vowels, or an unstressed ending."""
    if len(stem) < 3:
        return False
    short_vowel = stem[-1] not in _VOWELS and stem[-2] in _VOWELS and stem[-3] not in _VOWELS
    return not short_vowel


def _wants_e(stem: str) -> bool:
    return stem.endswith(("at", "iz", "v", "c", "u", "dg", "ag", "as", "us"))


def _has_vowel(stem: str) -> bool:
    return any(letter in "aeiouy" for letter in stem)
