"""Score several requests in one call, each with the very numbers that it would get alone.

A metric that knows nothing of the corpus scores the captions of all requests as one batch; the
engine's results for one caption do not depend on its neighbours (tests/web/service/scoring/test_together.py
holds every metric to that, bit by bit). A metric that gathers knowledge, as CIDEr does its document
frequencies, scores each request alone: the request is the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import orjson
from msgspec.structs import asdict

from captious.corpus import Corpus, Scores
from captious.corpus.columns import IntArray
from captious.corpus.types import Ragged
from captious.engine import Run, run_metrics
from captious.errors import CaptiousError, InputError
from captious.metrics import Metric
from captious.metrics.base import most_words
from captious.metrics.image_notes import OfTexts
from captious.metrics.languages import markup_notes, refused_for_language, text_notes
from captious.models.images import decode_image
from captious.scoring import assemble, without_findings
from captious.text.languages import languages_of
from captious.text.markup import marked_up
from captious.web.service.requests import Offer, ScoreRequest
from captious.web.service.scoring.answer import PICTURES, Failures, score_answer
from captious.web.service.scoring.singles import Facts, score_singles
from captious.web.service.settings import LIMITS, Limits

REFUSED = 422
INTERNAL = "Internal error. The log of the server has the details."


class Answer(NamedTuple):
    """The HTTP status and the JSON that one request gets."""

    status: int
    body: bytes


def refusal(line: str, status: int = REFUSED) -> Answer:
    """An error of one line."""
    return Answer(status, orjson.dumps({"error": line}))


@dataclass
class _Work:
    """One request on its way: its images' paths, what cannot be scored and why, what the engine gave."""

    request: ScoreRequest
    paths: Mapping[str, str]
    failures: Failures
    runs: dict[str, Run] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    english: bool = True  # and nothing that an English encoder could not read

    @cached_property
    def corpus(self) -> Corpus:
        """The request is the corpus."""
        return Corpus.from_lists(
            self.request.captions,
            self.request.references,
            image_ids=self.request.images,
            systems=self.request.systems,
            image_paths=self.paths or None,
            objects=self.request.objects,
            encoders=self.request.encoders,
        )


def score_together(
    requests: Sequence[ScoreRequest], offer: Offer, limits: Limits = LIMITS, facts: Facts | None = None
) -> list[Answer]:
    """An answer for each request, all of one kind (`ScoreRequest.kind`); `facts` are kept between calls."""
    try:
        metrics = offer.named(requests[0].metrics)
    except CaptiousError as error:
        return [refusal(str(error))] * len(requests)
    with _pictures_on_disk(requests) as places:
        may_fail = _Doubts(metrics, limits)
        works = [
            _Work(request, paths, _failures(request, metrics, limits) if may_fail(request) else {})
            for request, paths in zip(requests, places, strict=True)
        ]
        for work in works:
            _look_at_language(work, metrics)
        whole = [work for work in works if not work.failures and not _may_be_long(work, metrics)]
        alone = [] if requests[0].findings else whole
        single = [work for work in alone if len(work.request.captions) == 1 and work.english]
        answers = _single_answers(single, metrics, Facts() if facts is None else facts)
        _run_joined([work for work in whole if id(work) not in answers], metrics)
        return [answers.get(id(work)) or _answer(work, metrics) for work in works]


def joins(metric: Metric) -> bool:
    """Whether captions of different requests may be in one batch of this metric."""
    own = type(metric)
    alone = own.collect not in (Metric.collect, OfTexts.collect)
    return own.__module__.startswith("captious.") and not alone and not own.by_batch


def _may_be_long(work: _Work, metrics: Mapping[str, Metric]) -> bool:
    """Whether a text may have too many tokens, each of a byte or more: then more is said of it."""
    limits = [m.longest.most for m in metrics.values() if m.longest is not None and isinstance(m, OfTexts)]
    texts = [*work.request.captions, *(text for own in work.request.references or () for text in own)]
    return bool(limits) and max(len(text.encode()) for text in texts) > min(limits) - 2


def _single_answers(works: Sequence[_Work], metrics: Mapping[str, Metric], facts: Facts) -> dict[int, Answer]:
    """Answers to requests of one caption, where all metrics may be joined; none where one is wrong."""
    if len(works) < 2 or not all(map(joins, metrics.values())):
        return {}
    try:
        for metric in metrics.values():
            if type(metric).check is not Metric.check:
                for work in works:
                    metric.check(work.corpus, None)
        bodies = score_singles([work.request for work in works], metrics, facts)
    except CaptiousError:
        return {}  # running each alone will tell which request is at fault
    return {id(work): Answer(200, body) for work, body in zip(works, bodies, strict=True)}


class _Doubts:
    """Whether some metric might fail on a request; most requests have all that is needed."""

    def __init__(self, metrics: Mapping[str, Metric], limits: Limits) -> None:
        needs = {need for metric in metrics.values() for need in metric.needs}
        most = [most for metric in metrics.values() if (most := most_words(metric)) is not None]
        # N words have at least 2 N - 1 characters.
        self.always = "image" in needs or any(2 * words < limits.text_characters for words in most)
        self.references, self.objects = "references" in needs, "objects" in needs

    def __call__(self, request: ScoreRequest) -> bool:
        if self.always or (self.objects and request.objects is None):
            return True
        return self.references and not (request.references and all(request.references))


def _failures(request: ScoreRequest, metrics: Mapping[str, Metric], limits: Limits) -> Failures:
    """For each metric the rows that it cannot score, with the reason."""
    found: Failures = {}
    broken: dict[str, str] | None = None
    for name, metric in metrics.items():
        reasons: dict[int, str] = {}
        if "references" in metric.needs:
            own = request.references or [[]] * len(request.captions)
            reasons |= {row: f"{name} needs references." for row, texts in enumerate(own) if not texts}
        if "objects" in metric.needs and request.objects is None:
            reasons |= dict.fromkeys(range(len(request.captions)), f"{name} needs objects.")
        if "image" in metric.needs:
            if broken is None:
                broken = _broken_pictures(request, limits)
            reasons |= {row: broken[image] for row, image in enumerate(request.images) if image in broken}
        if (most := most_words(metric)) is not None:
            reasons |= _too_many_words(request, name, most)
        if reasons:
            found[name] = reasons
    return found


def _look_at_language(work: _Work, metrics: Mapping[str, Metric]) -> None:
    """Refuse metrics that mean nothing for the request's language, note weaker ones and markup."""
    texts = [*work.request.captions, *(text for own in work.request.references or () for text in own)]
    if all(map(str.isascii, texts)) and all(one.code == "en" for one in languages_of(texts)):
        work.notes = markup_notes(list(metrics.values()), work.corpus) if marked_up(texts) else []
        return
    work.english = False
    for name, metric in metrics.items():
        if why := refused_for_language(metric, work.corpus):
            rows = range(len(work.request.captions))
            work.failures[name] = dict.fromkeys(rows, f"{name}: {why}") | work.failures.get(name, {})
    work.notes = text_notes([one for name, one in metrics.items() if name not in work.failures], work.corpus)


def _broken_pictures(request: ScoreRequest, limits: Limits) -> dict[str, str]:
    """Images that were not sent or cannot be read, each with the reason."""
    found = {}
    for image in dict.fromkeys(request.images):
        if image not in request.pictures:
            found[image] = f'image {image}: was not sent. Add it to "pictures", or upload it.'
            continue
        try:
            decode_image(request.pictures[image], f"image {image}", limits.pixels)
        except InputError as error:
            found[image] = str(error)
    return found


def _too_many_words(request: ScoreRequest, name: str, most: int) -> dict[int, str]:
    found = {}
    for row, caption in enumerate(request.captions):
        texts = [caption, *(request.references[row] if request.references else [])]
        words = max(len(text.split()) if len(text) > 2 * most else 0 for text in texts)
        if words > most:
            found[row] = f"{name}: the text has {words:,} words; at most {most:,} are allowed. Shorten it."
    return found


def _run_joined(works: Sequence[_Work], metrics: Mapping[str, Metric]) -> None:
    """Run what may be joined over all works as one batch; what fails so is left to be run alone."""
    joined = {name: metric for name, metric in metrics.items() if joins(metric)}
    if len(works) < 2 or not joined:
        return
    try:
        corpus = _one_corpus([work.corpus for work in works])
        runs = run_metrics(corpus, list(joined.values()), findings=works[0].request.findings)
    except CaptiousError:
        return  # some request is at fault, which running each alone will tell
    ends = np.cumsum([len(work.corpus) for work in works])
    for name, run in zip(joined, runs, strict=True):
        for work, end in zip(works, ends.tolist(), strict=True):
            own = slice(end - len(work.corpus), end)
            found = run.found[own] if run.found is not None else None
            work.runs[name] = Run(run.statistics[own], run.knowledge, found)


def _one_corpus(corpora: Sequence[Corpus]) -> Corpus:
    """All examples in one corpus, where images of different requests stay different images."""
    images = _starts([len(corpus.image_ids) for corpus in corpora])
    sets = _starts([len(corpus.references) for corpus in corpora])
    return Corpus(
        captions=[caption for corpus in corpora for caption in corpus.captions],
        systems=["requests"],
        system_of=np.zeros(sum(map(len, corpora)), dtype=np.int64),
        image_ids=[f"{place}/{image}" for place, corpus in enumerate(corpora) for image in corpus.image_ids],
        image_of=np.concatenate([c.image_of + start for c, start in zip(corpora, images, strict=True)]),
        references=Ragged.from_lists(texts for corpus in corpora for texts in corpus.references),
        references_of=np.concatenate(
            [
                np.where(c.references_of < 0, c.references_of, c.references_of + start)
                for c, start in zip(corpora, sets, strict=True)
            ]
        ),
        image_paths=[path for corpus in corpora for path in corpus.image_paths or []] or None,
        objects=_joined_objects(corpora),
    )


def _starts(sizes: Sequence[int]) -> list[int]:
    return [0, *np.cumsum(sizes)[:-1].tolist()]


def _joined_objects(corpora: Sequence[Corpus]) -> Ragged | None:
    if corpora[0].objects is None:
        return None
    return Ragged.from_lists(labels for corpus in corpora for labels in corpus.objects or [])


def _answer(work: _Work, metrics: Mapping[str, Metric]) -> Answer:
    try:
        scores = _scores(work, metrics)
    except CaptiousError as error:
        return refusal(str(error))
    notes = [*work.request.notes, *work.notes]
    if work.request.findings and (silent := without_findings(metrics)):
        notes.append(silent)
    return Answer(200, score_answer(work.request, metrics, scores, work.failures, notes))


def _scores(work: _Work, metrics: Mapping[str, Metric]) -> dict[str, tuple[Scores, IntArray]]:
    """Each metric's scores, with the rows that they are of."""
    found: dict[str, tuple[Scores, IntArray]] = {}
    for rows, names in _by_rows(work, metrics).items():
        if not rows:
            continue
        kept = np.array(rows, dtype=np.int64)
        whole = len(rows) == len(work.corpus)
        corpus = work.corpus if whole else work.corpus.select(kept).compact()
        missing = [name for name in names if name not in work.runs]
        own = run_metrics(corpus, [metrics[n] for n in missing], findings=work.request.findings)
        runs = dict(zip(missing, own, strict=True))
        for name in names:
            if name in work.runs:
                runs[name] = work.runs[name]
                metrics[name].check(corpus, runs[name].knowledge)
        scores = assemble(
            corpus,
            {name: metrics[name] for name in names},
            [runs[name] for name in names],
            **asdict(work.request.intervals),
        )
        found |= dict.fromkeys(names, (scores, kept))
    return found


def _by_rows(work: _Work, metrics: Mapping[str, Metric]) -> dict[tuple[int, ...], list[str]]:
    """Metrics by the rows that they can score; most often all metrics and all rows."""
    found: dict[tuple[int, ...], list[str]] = {}
    everything = tuple(range(len(work.corpus)))
    for name in metrics:
        bad = work.failures.get(name)
        rows = tuple(row for row in everything if row not in bad) if bad else everything
        found.setdefault(rows, []).append(name)
    return found


@contextmanager
def _pictures_on_disk(requests: Sequence[ScoreRequest]) -> Iterator[list[dict[str, str]]]:
    """The pictures of each request as files, image id -> path, while the block runs."""
    if not any(request.pictures for request in requests):
        yield [{}] * len(requests)
        return
    with TemporaryDirectory(prefix=PICTURES) as folder:
        places: list[dict[str, str]] = []
        for number, request in enumerate(requests):
            paths = {}
            for place, (image, content) in enumerate(request.pictures.items()):
                path = Path(folder) / f"{number}-{place}"
                path.write_bytes(content)
                paths[image] = str(path)
            places.append(paths)
        yield places
