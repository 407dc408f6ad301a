"""Captions that a metric is not for, by their language or their markup: refused, noted, and marked.

A metric declares its languages (`Metric.languages`). A score is refused where it would mean nothing: the
text has no spaces between words and the metric needs them, its script is none that the metric's tables
or encoder know, or its encoder reads hardly a word. It is noted where it is only weaker: METEOR's
English stems and synonyms match German words less often, but never wrongly.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple
from weakref import WeakKeyDictionary

from captious.corpus import Corpus
from captious.errors import CaptiousWarning, InputError, one_line
from captious.metrics.base import Metric
from captious.text.languages import ANY, LATIN, SOME, SPACED, UNSPACED, Written, languages_of
from captious.text.markup import marked_up, without_markup
from captious.text.tokens import takes_clauses

_UNREAD = 0.7  # share of a text's word pieces from which the encoder reads nothing in it
_LOOKED_AT = 20_000  # texts whose markup is looked for, evenly spaced
_SAMPLE = 500  # texts whose word pieces are looked at
# The scripts of the languages that metrics name.
_SCRIPTS = {"ru": "Cyrillic", "zh": "Chinese", "ja": "Japanese", "ko": "Hangul", "th": "Thai"}


@dataclass(frozen=True)
class Finding:
    """What is wrong with a metric's scores of some texts."""

    metric: str
    what: str  # goes on after the metric's name
    way_out: str
    refused: bool


class _Sides(NamedTuple):
    captions: list[Written]
    references: list[Written]
    markup: dict[str, tuple[float, str]]  # side -> share of its texts with markup, and an example


_known: WeakKeyDictionary[Corpus, _Sides] = WeakKeyDictionary()


def _sides(corpus: Corpus) -> _Sides:
    found = _known.get(corpus)
    if found is None:
        captions, references = corpus.captions, corpus.references.values
        marked = {"captions": _markup(captions), "references": _markup(references)}
        markup = {side: one for side, one in marked.items() if one is not None}
        found = _Sides(languages_of(captions), languages_of(references), markup)
        _known[corpus] = found
    return found


def _markup(texts: Sequence[str]) -> tuple[float, str] | None:
    """The share of texts with markup, and the begin of the first such place; None where there is none."""
    looked_at = texts[:: max(1, len(texts) // _LOOKED_AT)]
    places = marked_up(looked_at)
    if not places:
        return None
    text = looked_at[places[0]]
    plain = without_markup(text)
    pairs = enumerate(zip(text, plain, strict=False))
    same = next((place for place, (own, other) in pairs if own != other), len(plain))
    return len(places) / len(looked_at), one_line(text[same:].strip(), 30)


def marked_up_sides(metric: Metric, corpus: Corpus) -> list[str]:
    """Which texts that a metric reads have Markdown, HTML or a model's tokens: captions, references."""
    return [side for side in _sides(corpus).markup if side == "captions" or side in metric.needs]


def markup_notes(metrics: Sequence[Metric], corpus: Corpus) -> list[str]:
    """A line for captions with markup, and one for references.

    >>> from captious.metrics import resolve
    >>> markup_notes([resolve("bleu4")], Corpus.from_lists(["A dog.", "There is **a cat**."]))
    ['50.0% of the captions have markup, as in "**a cat**.", which most metrics read as words. \
captious data check --fix takes it out.']
    """
    told = _sides(corpus).markup
    sides = dict.fromkeys(side for metric in metrics for side in marked_up_sides(metric, corpus))
    return [
        f'{max(told[side][0], 0.001):.1%} of the {side} have markup, as in "{told[side][1]}", which most '
        "metrics read as words. captious data check --fix takes it out."
        for side in sides
    ]


def _written(metric: Metric, corpus: Corpus) -> Iterable[tuple[str, Written]]:
    """Every language of the texts that the metric reads, once."""
    sides = _sides(corpus)
    seen = set()
    for what, own in (("captions", sides.captions), ("references", sides.references)):
        if what == "references" and "references" not in metric.needs:
            continue
        for one in own:
            if one.code not in seen:
                yield what, one
            if one.share >= SOME:
                seen.add(one.code)


def claims(metric: Metric, written: Written) -> bool:
    """Whether the metric is right for texts in a language.

    >>> from captious.metrics import resolve
    >>> german, chinese = languages_of(["Der Hund rennt durch den Wald", "一只狗在跑"])
    >>> claims(resolve("cider"), german), claims(resolve("cider"), chinese), claims(resolve("lm"), german)
    (True, False, False)
    """
    claimed = metric.languages()
    return ANY in claimed or written.code in claimed or (SPACED in claimed and written.spaced)


def unclaimed(metric: Metric, corpus: Corpus) -> list[str]:
    """Codes of the languages of a corpus that a metric is not for."""
    if ANY in metric.languages():
        return []
    codes = [one.code for _, one in _written(metric, corpus) if one.share >= SOME and not claims(metric, one)]
    return sorted(set(codes))


def findings(metric: Metric, corpus: Corpus) -> list[Finding]:
    """What is wrong with a metric's scores of a corpus because of its languages."""
    if metric.any_language:
        return []
    found = []
    if ANY not in metric.languages():
        found = [
            _finding(metric, what, one, corpus)
            for what, one in _written(metric, corpus)
            if not claims(metric, one)
        ]
    if not any(one.refused for one in found):
        found += _unread(metric, corpus)
    return found


def _finding(metric: Metric, side: str, written: Written, corpus: Corpus) -> Finding:
    claimed = metric.languages()
    few = "" if written.share >= SOME else f"{written.texts:,} of the "
    what = f"{few}{side} are {written.language}"
    read = {_SCRIPTS.get(code, LATIN) for code in claimed if code != SPACED}
    refused = metric.strict_language or SPACED in claimed or written.script not in read
    if SPACED in claimed:
        tokeniser = getattr(metric, "tokeniser", "")
        why = (
            takes_clauses(tokeniser) if tokeniser else "which is written without spaces: a clause is one word"
        )
    elif refused:
        why = f"but it works only for {_listed(claimed)}: its scores are meaningless"
        why += _unread_share(metric, corpus.captions if side == "captions" else corpus.references.values)
    else:
        why = f"but it is made for {_listed(claimed)}: its scores are less reliable"
    return Finding(metric.name, f"{what}, {why}", metric.way_out(written.code), refused and not few)


def _listed(codes: Sequence[str]) -> str:
    names = [Written(code, "", 0, 0).language for code in codes if code != SPACED]
    names += ["languages with spaces between words"] if SPACED in codes else []
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def _unread_share(metric: Metric, texts: Sequence[str]) -> str:
    shares = metric.unread(_sample(texts))
    if shares is None or not shares.any():
        return ""
    return f", {shares.mean():.0%} of the word pieces unknown to its encoder or single letters"


def _unread(metric: Metric, corpus: Corpus) -> list[Finding]:
    """Texts of which the metric's encoder reads hardly a word, in whatever language."""
    found = []
    sides = [("captions", corpus.captions)]
    if "references" in metric.needs:
        sides.append(("references", corpus.references.values))
    for side, texts in sides:
        shares = metric.unread(_sample(texts))
        if shares is None or not (bad := shares >= _UNREAD).any():
            continue
        letters = bool(languages_of([t for t, one in zip(_sample(texts), bad, strict=True) if one]))
        what = f"its encoder reads hardly a word of {bad.mean():.0%} of the {side}"
        what += f" ({shares[bad].mean():.0%} of their word pieces are unknown or single letters)"
        found.append(Finding(metric.name, what, metric.way_out(""), letters and bad.mean() >= SOME))
    return found


def _sample(texts: Sequence[str]) -> Sequence[str]:
    return texts[:: max(1, len(texts) // _SAMPLE)]


def refused_for_language(metric: Metric, corpus: Corpus) -> str:
    """Why a metric's scores of the corpus would mean nothing, in a sentence; empty where they would not."""
    bad = [one for one in findings(metric, corpus) if one.refused]
    return " ".join(_sentence(one.what, one.way_out) for one in bad)


def refuse_languages(corpus: Corpus, metrics: Iterable[Metric]) -> None:
    """Refuse metrics whose scores of the corpus would mean nothing."""
    bad = [one for metric in metrics for one in findings(metric, corpus) if one.refused]
    if not bad:
        return
    raise InputError(
        " ".join(_lines(bad)) + " Leave out what does not fit, or score it all the same with",
        python="the option any_language=yes, which the signature tells.",
        command="--any-language, which the signature tells.",
    )


def text_notes(metrics: Sequence[Metric], corpus: Corpus) -> list[str]:
    """A line for the metrics whose scores are weaker, or mean nothing for a few captions, and one for markup.

    >>> from captious.metrics import resolve
    >>> corpus = Corpus.from_lists(["ein Hund läuft über die Wiese"], [["der Hund rennt im Gras"]])
    >>> for line in text_notes([resolve("bleu1"), resolve("spice")], corpus): print(line)
    spice: captions are German, but it is made for English: its scores are less reliable.
    """
    weaker = [one for metric in metrics for one in findings(metric, corpus) if not one.refused]
    return _lines(weaker) + markup_notes(metrics, corpus)


def _lines(found: Iterable[Finding]) -> list[str]:
    """A line for each thing that is wrong, with the metrics that it is wrong with."""
    names: dict[tuple[str, str], list[str]] = {}
    for one in found:
        names.setdefault((one.what, one.way_out), []).append(one.metric)
    return [f"{', '.join(dict.fromkeys(own))}: {_sentence(*key)}" for key, own in names.items()]


def _sentence(what: str, way_out: str) -> str:
    return f"{what}. Use {way_out}." if way_out else f"{what}."


def warn_of_texts(metrics: Iterable[Metric], corpus: Corpus) -> None:
    """Each of these lines as a warning; the command line shows it as a note."""
    for line in text_notes(list(metrics), corpus):
        warnings.warn(line, CaptiousWarning, stacklevel=3)


def joined_languages(declared: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The languages that all of several metrics are right for.

    >>> joined_languages([("spaced",), ("en",)]), joined_languages([("spaced",), ("any",)])
    (('en',), ('spaced',))
    """
    claimed = [set(own) for own in declared]
    named = set(chain.from_iterable(claimed)) - {ANY, SPACED}
    shared = [
        code
        for code in sorted(named)
        if all(own & {ANY, code} or (SPACED in own and _SCRIPTS.get(code) not in UNSPACED) for own in claimed)
    ]
    spaced = all(own & {ANY, SPACED} for own in claimed)
    if all(ANY in own for own in claimed):
        return (ANY,)
    return (*([SPACED] if spaced else []), *(code for code in shared))
