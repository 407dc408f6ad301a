"""`vlm_judge`: a vision-language model scores captions by THumB's rubric (Kasai et al. 2022)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.corpus.findings import Place
from captious.errors import CaptiousWarning, InputError, NotSetUpError, UnknownNameError
from captious.metrics.base import Metric, Need
from captious.metrics.batch import Batch
from captious.metrics.image_notes import Noted
from captious.metrics.registry import register
from captious.metrics.vlm_judge import rubric
from captious.metrics.vlm_judge.requests import STRUCTURES, Request, Settings
from captious.metrics.vlm_judge.spans import places
from captious.models.chat import (
    Answers,
    Endpoint,
    EndpointError,
    Patience,
    Stored,
    TransientError,
    UnreadableError,
    ask,
)
from captious.models.images import load_image
from captious.text.normalise import thumb_normalise

_MILLION = 1_000_000


class _Failure(NamedTuple):
    image_id: str
    error: EndpointError


@register("vlm_judge")
@dataclass(frozen=True)
class VlmJudge(Metric):
    """Scores that a vision-language model gives by THumB's rubric.

    The model sees the image, the caption and the rubric, and fills in the raters' form: precision P
    and recall R from 1 to 5, and the errors in fluency, conciseness and inclusive language, which
    cost what the rubric says. The total is (P + R) / 2 less the penalties (Kasai et al. 2022, 2.2).
    Answers are stored by what was asked; nothing is sent unless `send=yes`.

    >>> VlmJudge(model="a-model", aspect="precision").bounds
    (1.0, 5.0)
    """

    summary: ClassVar[str] = "THumB's rubric, filled in by a vision-language model of your choice"
    citation: ClassVar[str] = "Kasai et al. 2022"
    needs: ClassVar[frozenset[Need]] = frozenset({"image"})
    bounds: ClassVar[tuple[float, float]] = (-math.inf, 5.0)
    percent: ClassVar[bool] = False
    neural: ClassVar[bool] = True

    model: str = ""
    endpoint: str = ""
    aspect: str = rubric.TOTAL
    send: bool = False
    store: str = ""
    price_in: float = 0.0  # dollars for a million tokens, for the estimate
    price_out: float = 0.0
    workers: int = 4
    retries: int = 5
    wait: float = 1.0  # seconds before the first retry
    timeout: float = 60.0
    temperature: float = 0.0
    max_side: int = 1024
    clean: bool = True
    structured: str = STRUCTURES[0]
    spans: bool = False  # ask for the wrong words too, which become findings

    def __post_init__(self) -> None:
        if self.aspect not in rubric.REPORTS:
            raise UnknownNameError(f"aspect of {self.name}", self.aspect, rubric.REPORTS)
        if self.structured not in STRUCTURES:
            raise UnknownNameError(f"structured of {self.name}", self.structured, STRUCTURES)
        least = {"workers": 1, "retries": 0, "wait": 0, "timeout": 0.001, "temperature": 0, "max_side": 32}
        for option, low in (least | {"price_in": 0, "price_out": 0}).items():
            if not low <= getattr(self, option) < math.inf:
                raise InputError(f"{self.name}: {option} is {getattr(self, option)}; give at least {low}.")
        if self.aspect != rubric.TOTAL:
            low, high = (1.0, 5.0) if self.aspect in ("precision", "recall") else (-math.inf, 0.0)
            object.__setattr__(self, "bounds", (low, high))

    def ready(self) -> None:
        """A model must be named: nothing is sent by default."""
        if not self.model:
            raise NotSetUpError(
                "vlm_judge needs a model at an OpenAI-compatible endpoint. "
                'Name the metric as "vlm_judge[model=NAME,endpoint=URL]"'
            )

    @property
    def corpus_wide(self) -> bool:
        """What it collects goes into notes and signature, not into scores."""
        return False

    def collect(self, batch: Batch) -> Noted:
        """Images that cannot be read; those whose answers are all stored need not be decoded."""
        self.ready()
        broken: dict[str, str] = {}
        requests = [request for request in self._requests(batch.corpus, {}) if request.readable(broken)]
        known = self._stored(requests)
        for image, request in {r.image_id: r for r in requests if r.key not in known}.items():
            try:
                load_image(request.image_path)
            except InputError as error:
                broken[image] = str(error)
        return Noted.of(len(np.unique(batch.corpus.image_of)), broken, [])

    def merge(self, parts: Sequence[Noted]) -> Noted:
        """The notes of all batches."""
        return Noted.together(parts)

    def check(self, corpus: Corpus, knowledge: Noted) -> None:
        """Say what the run will cost before anything is sent; refuse where `send` is not set."""
        knowledge.refuse_nothing_read(self.name)
        if self.send:
            Endpoint.at(self.endpoint)  # a wrong address or a missing key shows before the estimate
        requests = self._requests(corpus, knowledge.broken)
        known = self._stored(requests)
        pending = {request.key: request for request in requests if request.key not in known}
        if not pending:
            return
        estimate = self._estimate(list(pending.values()))
        if not self.send:
            raise InputError(
                f"vlm_judge: {len(pending):,} of {len({r.key for r in requests}):,} answers are not "
                f"stored. Getting them takes {estimate}. Nothing was sent: add send=yes to send."
            )
        warnings.warn(f"vlm_judge sends {estimate}.", CaptiousWarning, stacklevel=2)

    def score_examples(self, batch: Batch, knowledge: Noted) -> FloatArray:
        """The asked aspect of each example, NaN where its image cannot be read."""
        requests = self._requests(batch.corpus, knowledge.broken)
        known = self._stored(requests)
        pending = {request.key: request for request in requests if request.key not in known}
        if pending:
            known |= self._send(pending)
        scores = np.full(len(batch), np.nan)
        for request in requests:
            scores[request.row] = known[request.key].scores[self.aspect]
        return scores

    @property
    def gives_findings(self) -> bool:
        """Whether it asks for the wrong words."""
        return self.spans

    def findings(self, batch: Batch, knowledge: Noted) -> list[list[Place] | None]:
        """The words that the judge quotes as wrong, from its stored answers."""
        found: list[list[Place] | None] = [None] * len(batch)
        for row, marked, _ in self._quoted(batch.corpus, knowledge):
            found[row] = marked
        return found

    def _quoted(self, corpus: Corpus, knowledge: Noted) -> Iterator[tuple[int, list[Place], int]]:
        """For each answered caption its row, its places, and how many quotes are not in it."""
        requests = self._requests(corpus, knowledge.broken)
        known = self._stored(requests)
        for request in requests:
            if (answer := known.get(request.key)) is not None:
                yield request.row, *places(corpus.captions[request.row], answer.quoted)

    def notes(self, corpus: Corpus, knowledge: Noted) -> list[str]:
        """Images without a score, and quotes that no caption has."""
        notes = knowledge.notes(self.name, "")
        lost = sum(lost for _, _, lost in self._quoted(corpus, knowledge)) if self.spans else 0
        if lost:
            notes.append(f"{self.name}: {lost:,} quoted words are not in their captions and mark nothing.")
        return notes

    def unscored(self, knowledge: Noted) -> dict[str, str]:
        """Images that could not be read, each with the reason."""
        return dict(knowledge.broken)

    def facts(self, corpus: Corpus, knowledge: Noted) -> dict[str, str]:
        """The model, where it runs, the rubric, and how it was asked; never a key."""
        unread = {"unread": str(len(knowledge.broken))} if knowledge.broken else {}
        return unread | {
            "model": self.model,
            "host": Endpoint.named(self.endpoint),
            "rubric": rubric.rubric_label(self.spans),
            "aspect": self.aspect,
            "temp": f"{self.temperature:g}",
            "side": str(self.max_side),
            "clean": "yes" if self.clean else "no",
            "format": self.structured,
        }

    def _requests(self, corpus: Corpus, broken: Mapping[str, str]) -> list[Request]:
        host = Endpoint.named(self.endpoint)
        settings = Settings(host, self.model, self.temperature, self.max_side, self.structured, self.spans)
        found = []
        for row in range(len(corpus)):
            example = corpus.example(row)
            if example.image_id in broken:
                continue
            caption = thumb_normalise(example.caption) if self.clean else example.caption
            found.append(Request(settings, row, example.image_id, example.image_path or "", caption))
        return found

    def _stored(self, requests: list[Request]) -> dict[str, rubric.Judged]:
        found = {}
        for key, answer in Answers(self.store).read(request.key for request in requests).items():
            try:
                found[key] = rubric.read_answer(answer.text, self.spans)
            except UnreadableError:
                continue  # damaged, or of another rubric: ask again
        return found

    def _estimate(self, requests: list[Request]) -> str:
        counts = [request.tokens() for request in requests]
        tokens_in, tokens_out = (sum(column) for column in zip(*counts, strict=True))
        said = f"{len(requests):,} requests to {Endpoint.named(self.endpoint)}, "
        said += f"about {tokens_in:,} tokens in and {tokens_out:,} out"
        if not self.price_in and not self.price_out:
            return said + " (give price_in= and price_out=, dollars per million tokens, to see the cost)"
        cost = (tokens_in * self.price_in + tokens_out * self.price_out) / _MILLION
        return said + f", about ${cost:,.2f}"

    def _send(self, pending: dict[str, Request]) -> dict[str, rubric.Judged]:
        """Ask for every pending answer, a few at a time; each is stored as soon as it is there."""
        endpoint, answers = Endpoint.at(self.endpoint), Answers(self.store)
        patience = Patience(self.retries, self.wait, self.timeout)

        def one(key: str, request: Request) -> rubric.Judged:
            read = partial(rubric.read_answer, marks=self.spans)
            found = ask(endpoint, request.body(), read, patience)
            answers.write(key, Stored(found.model, found.text, found.tokens_in, found.tokens_out))
            return found.value

        scores: dict[str, rubric.Judged] = {}
        failures: list[_Failure] = []
        pool = ThreadPoolExecutor(self.workers)
        jobs = {pool.submit(one, key, request): (key, request) for key, request in pending.items()}
        try:
            for job in as_completed(jobs):
                key, request = jobs[job]
                try:
                    scores[key] = job.result()
                except EndpointError as error:
                    failures.append(_Failure(request.image_id, error))
                    if not isinstance(error, TransientError):
                        break  # the others would fail as well
        finally:
            pool.shutdown(cancel_futures=True)  # who interrupts a run does not pay for the rest of it
        if failures:
            came = [job for job in jobs if not job.cancelled() and job.exception() is None]
            raise _said(failures, len(came), len(pending))
        return scores


def _said(failures: list[_Failure], done: int, asked: int) -> InputError:
    first = next((f for f in failures if not isinstance(f.error, TransientError)), failures[0])
    return InputError(
        f'vlm_judge: image "{first.image_id}": {first.error} {done:,} of {asked:,} answers were received and '
        "stored; run the command again for the rest."
    )
