"""Train the prior of the metric `invented` on marked captions, and measure it on unseen images."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious._version import __version__
from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.corpus.findings import NO_PLACE, Findings, Place
from captious.corpus.ids import loose_id
from captious.corpus.splits import Split
from captious.errors import InputError
from captious.learn.splits import folds_by_image
from captious.metrics import Batch
from captious.metrics.invented import Invented
from captious.metrics.invented.metric import THRESHOLD, Judged
from captious.metrics.invented.prior import Prior, Sentence, fit
from captious.stats.correlation import spearman
from captious.stats.resample import DEFAULT_SEED
from captious.stats.span_f1 import touching
from captious.stats.spans import Mark, covered
from captious.tables import Table

FEWEST_IMAGES = 20
PRECISION = 0.75
EVIDENCE, PRIOR = "evidence", "prior"
_STEPS, _EVEN = 50, 0.5


class Figures(NamedTuple):
    """What findings of some captions are worth beside those of raters.

    `precision` is the share of findings that touch a marked place, `confidence` their mean confidence (equal
    to the precision if it is calibrated), `recall` the share of marked places that a finding touches.
    `shares` is Spearman's correlation of the shares of characters in findings and in marked places, `score`
    that of the metric's score with the latter.
    """

    mode: str
    part: str
    captions: int
    findings: int
    precision: float
    confidence: float
    recall: float
    shares: float
    score: float

    def to_dict(self) -> dict[str, Any]:
        """The figures by name; None where there is none."""
        return {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in self._asdict().items()
        }


class Trained(NamedTuple):
    """A prior and its figures: of each fold, of all folds together, and of the test part if there is one."""

    prior: Prior
    figures: list[Figures]

    def table(self) -> Table:
        """The figures."""
        columns = (
            "mode",
            "part",
            "captions",
            "findings",
            "precision",
            "confidence",
            "recall",
            "shares",
            "score",
        )
        return Table("Findings against marked places", columns, tuple(self.figures))


class _Marked(NamedTuple):
    """Captions with what raters marked."""

    judged: list[Judged]
    images: list[str]
    spans: list[list[Mark]]
    marks: list[FloatArray]  # of each character the share of raters who mark it


def corpus_of(findings: Findings, references: Mapping[str, Sequence[str]] | None = None) -> Corpus:
    """The marked captions as a corpus, row `i` being example `i` of the findings."""
    images = [image for image, _ in findings.keys]
    texts = None
    if references is not None:
        known = {loose_id(image): list(own) for image, own in references.items()}
        missing = [image for image in images if loose_id(image) not in known]
        if missing:
            raise InputError(f'references: image "{missing[0]}" has none. Give references of every image.')
        texts = [known[loose_id(image)] for image in images]
    systems = [system or "candidates" for _, system in findings.keys]
    return Corpus.from_lists(findings.captions, texts, image_ids=images, systems=systems)


def train_prior(
    corpus: Corpus,
    findings: Findings,
    *,
    precision: float = PRECISION,
    folds: int = 5,
    seed: int = DEFAULT_SEED,
    split: Split | None = None,
    captions_of: str = "",
) -> Trained:
    """Fit a prior to captions that raters marked.

    Row `i` of the corpus is example `i` of the findings. Predictions for each fold of images, by a regression
    fitted to the others, give the curve from predicted shares to probabilities, and the threshold: the lowest
    at which a share `precision` of the flagged sentences is marked. Figures of a fold are with the curve and
    the threshold of the other folds. Images in the test part of `split` only give figures.
    """
    marked = _marked(corpus, findings)
    own = np.arange(len(corpus))
    tested = own[:0]
    if split is not None:
        part = np.array([split.part(image) == "test" for image in marked.images])
        own, tested = np.flatnonzero(~part), np.flatnonzero(part)
    if len({marked.images[row] for row in own.tolist()}) < FEWEST_IMAGES:
        raise InputError(
            f"findings: captions of fewer than {FEWEST_IMAGES} images are too few to learn from. Mark more."
        )
    sentences, caption_of, shares, touched = _sentences(marked)
    target = (shares + touched) / 2
    predicted = np.full(len(sentences), np.nan)
    parts = [
        (own[held], _fitted_apart(sentences, caption_of, target, own[fitted], own[held], predicted))
        for fitted, held in folds_by_image([marked.images[row] for row in own.tolist()], folds, seed)
    ]
    figures: list[Figures] = []
    together: list[tuple[IntArray, list[list[Place]]]] = []
    for number, (held, rows) in enumerate(parts, start=1):
        others = np.concatenate([rest for place, (_, rest) in enumerate(parts, start=1) if place != number])
        slope, offset = _curve(predicted[others], touched[others])
        threshold = _threshold(_chance(predicted[others], slope, offset), touched[others], precision)
        sure = dict(zip(rows.tolist(), _chance(predicted[rows], slope, offset).tolist(), strict=True))
        found = [
            marked.judged[row].places(
                [sure[one] for one in np.flatnonzero(caption_of == row).tolist()], threshold, whole=True
            )
            for row in held.tolist()
        ]
        figures.append(_figures(PRIOR, f"fold {number}", marked, held, found))
        together.append((held, found))
    everyone = np.concatenate([held for held, _ in together])
    figures.append(
        _figures(PRIOR, "all folds", marked, everyone, [one for _, found in together for one in found])
    )
    figures.append(_figures(EVIDENCE, "all folds", marked, everyone, _by_evidence(marked, everyone)))
    used = np.flatnonzero(np.isin(caption_of, own))
    slope, offset = _curve(predicted[used], touched[used])
    fitted = fit([sentences[row] for row in used.tolist()], target[used])
    prior = Prior(
        *fitted,
        slope=slope,
        offset=offset,
        threshold=_threshold(_chance(predicted[used], slope, offset), touched[used], precision),
        card={},
        images=frozenset(loose_id(marked.images[row]) for row in own.tolist()),
    )
    if len(tested):
        found = [
            one.places(prior.probabilities(one.sentences()).tolist(), prior.threshold, whole=True)
            for one in (marked.judged[row] for row in tested.tolist())
        ]
        figures.append(_figures(PRIOR, "test", marked, tested, found))
        figures.append(_figures(EVIDENCE, "test", marked, tested, _by_evidence(marked, tested)))
    card: dict[str, Any] = {
        "captions of": captions_of or ", ".join(sorted(corpus.systems)),
        "captions": len(own),
        "images": len(prior.images),
        "raters": sorted(findings.sources),
        "precision asked for": precision,
        "split": split.source if split is not None else "none: all images were learnt from",
        "figures": [one.to_dict() for one in figures],
        "limits": "It knows how the captioners of these captions write. Others may invent elsewhere.",
        "version": __version__,
    }
    return Trained(replace(prior, card=card), figures)


def _marked(corpus: Corpus, findings: Findings) -> _Marked:
    batch, metric = Batch(corpus), Invented()
    metric.check(corpus, None)
    raters = np.zeros(len(corpus))
    for example, _ in findings.looked:
        raters[example] += 1
    marks = [np.zeros(len(caption)) for caption in corpus.captions]
    spans: list[list[Mark]] = [[] for _ in corpus.captions]
    per_rater: dict[tuple[int, int], NDArray[np.bool_]] = {}
    columns = (findings.example_of, findings.source_of, findings.starts, findings.ends)
    for example, source, start, end in zip(*(column.tolist() for column in columns), strict=True):
        if start != NO_PLACE:
            spans[example].append(Mark(start, end))
            own = per_rater.setdefault((example, source), np.zeros(len(marks[example]), dtype=np.bool_))
            own[start:end] = True
    for (example, _), own in per_rater.items():
        marks[example] += own / raters[example]
    images = [corpus.image_ids[image] for image in corpus.image_of.tolist()]
    return _Marked(metric.judged(batch), images, spans, marks)


def _sentences(marked: _Marked) -> tuple[list[Sentence], IntArray, FloatArray, FloatArray]:
    """Every sentence, its caption, the share of it that is marked, and whether any of it is."""
    sentences: list[Sentence] = []
    caption_of: list[int] = []
    shares: list[float] = []
    touched: list[float] = []
    for row, (one, marks) in enumerate(zip(marked.judged, marked.marks, strict=True)):
        for described, words in zip(one.sentences(), one.reading.sentences, strict=True):
            start, end = one.reading.place(words)
            sentences.append(described)
            caption_of.append(row)
            shares.append(float(marks[start:end].mean()))
            touched.append(float(marks[start:end].max()))
    return sentences, np.array(caption_of, dtype=np.int64), np.array(shares), np.array(touched)


def _fitted_apart(
    sentences: Sequence[Sentence],
    caption_of: IntArray,
    target: FloatArray,
    fitted: IntArray,
    held: IntArray,
    predicted: FloatArray,
) -> IntArray:
    """Predict the sentences of the captions `held` from those of `fitted`; the rows that were predicted."""
    learnt = np.flatnonzero(np.isin(caption_of, fitted))
    rows = np.flatnonzero(np.isin(caption_of, held))
    model = fit([sentences[row] for row in learnt.tolist()], target[learnt])
    predicted[rows] = model.predict([sentences[row] for row in rows.tolist()])
    return rows


def _chance(shares: FloatArray, slope: float, offset: float) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-(slope * shares + offset))), dtype=np.float64)


def _curve(shares: FloatArray, touched: FloatArray) -> tuple[float, float]:
    """Slope and offset of a logistic curve (Platt 1999), by Newton's method with a light penalty."""
    design = np.stack([shares, np.ones(len(shares))], axis=1)
    weights = np.zeros(2)
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-design @ weights))
        slope = design.T @ (chance - touched) + 1e-3 * weights
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design + 1e-3 * np.eye(2)
        move = np.linalg.solve(curvature, slope)
        weights -= move
        if np.abs(move).max() < 1e-9:
            break
    return float(weights[0]), float(weights[1])


def _threshold(chance: FloatArray, touched: FloatArray, precision: float) -> float:
    """The lowest probability from 1/2 on above which a share `precision` of the sentences is marked."""
    order = np.argsort(-chance, kind="stable")
    shares = np.cumsum(touched[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(shares >= precision)
    return max(_EVEN, float(chance[order[enough[-1]]])) if len(enough) else 1.0


def _by_evidence(marked: _Marked, rows: IntArray) -> list[list[Place]]:
    return [
        one.places(one.wrong(), THRESHOLD, whole=False)
        for one in (marked.judged[row] for row in rows.tolist())
    ]


def _figures(
    mode: str, part: str, marked: _Marked, rows: IntArray, found: Sequence[Sequence[Place]]
) -> Figures:
    hits = total = held = human = 0
    ours, theirs, scores = [], [], []
    sure = sum(place.confidence for places in found for place in places)
    for row, places in zip(rows.tolist(), found, strict=True):
        own = [Mark(one.start, one.end) for one in places if one.start is not None and one.end is not None]
        spans, one = marked.spans[row], marked.judged[row]
        total += len(own)
        human += len(spans)
        hits += touching(own, spans)
        held += touching(spans, own)
        length = max(1, len(one.reading.caption))
        ours.append(float(covered(own, length).mean()))
        theirs.append(float(marked.marks[row].sum()) / length)
        scores.append(one.share(places))
    return Figures(
        mode,
        part,
        len(rows),
        total,
        hits / total if total else float("nan"),
        sure / total if total else float("nan"),
        held / human if human else float("nan"),
        spearman(ours, theirs),
        spearman(scores, theirs),
    )
