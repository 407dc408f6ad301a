"""`captious.Client`: scores from a scoring service (`captious serve --scoring`), as from `captious.score`."""

from __future__ import annotations

import base64
import math
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from email.message import Message
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import orjson

from captious.arguments import check_arguments
from captious.corpus import Corpus, CorpusScore, MetricScores, Scores
from captious.corpus.columns import FloatArray
from captious.corpus.findings import Findings, Place
from captious.corpus.scores import Aggregates
from captious.errors import CaptiousError, CaptiousWarning, InputError, one_line
from captious.metrics import find, resolve
from captious.metrics.registry import name_and_options, split_list
from captious.stats.resample import DEFAULT_SEED

PREFIX = "/api/v1"
LONGEST_PAUSE = 60.0
JSON = "application/json"
_AGAIN = (429, 503)


class ServiceError(CaptiousError):
    """The service refused or could not be reached; `status` is its HTTP status, 0 for none."""

    def __init__(self, line: str, status: int = 0, *, python: str = "", command: str = "") -> None:
        super().__init__(line, python=python, command=command)
        self.status = status


@dataclass(frozen=True)
class Elsewhere:
    """A metric that the service has and this machine has not: its statistics cannot be read here."""

    name: str
    percent: bool
    higher_is_better: bool

    def example_scores(self, statistics: FloatArray) -> FloatArray:
        """Refused: only the service knows how."""
        raise InputError(f"{self.name} is known only to the service. Resample it there with resamples=.")

    corpus_score = example_scores


class Client:
    """A scoring service.

    Requests that the service rejects because it is busy (429, 503) are retried at most `retries`
    times, after the time the service asks for.

    >>> Client("http://127.0.0.1:8000/").url
    'http://127.0.0.1:8000'
    """

    def __init__(self, url: str, token: str = "", *, timeout: float = 600.0, retries: int = 5) -> None:
        check_arguments(Client.__init__, locals())
        parts = urlsplit(str(url))
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(
                f'"{one_line(str(url))}" is not the address of a service. Write http://HOST or https://HOST.'
            )
        self.url, self.timeout, self.retries = url.rstrip("/").removesuffix(PREFIX), timeout, retries
        self._token = token

    def metrics(self) -> dict[str, Any]:
        """List the service's metrics, with what each needs and its options."""
        found: dict[str, Any] = orjson.loads(self._send("GET", "/metrics"))["metrics"]
        return found

    def score(
        self,
        corpus: Corpus,
        metrics: str | Sequence[str] = "classic",
        *,
        resamples: int = 0,
        level: float = 0.95,
        seed: int = DEFAULT_SEED,
        findings: bool = False,
    ) -> Scores:
        """Score a corpus. Equal to `captious.score` with the service's version of captious."""
        names = split_list(metrics) if isinstance(metrics, str) else list(metrics)
        body = request_body(corpus, names)
        if resamples:
            body["intervals"] = {"resamples": resamples, "level": level, "seed": seed}
        if findings:
            body["findings"] = True
        answer = orjson.loads(self._send("POST", "/score", orjson.dumps(body), JSON))
        for line in answer["notes"]:
            warnings.warn(line, CaptiousWarning, stacklevel=2)
        scores = _scores(corpus, answer, level)
        return replace(scores, found=_findings(corpus, answer)) if findings else scores

    def _send(self, method: str, path: str, body: bytes | None = None, kind: str = "") -> bytes:
        headers = {"Accept": JSON} | ({"Content-Type": kind} if kind else {})
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        request = urllib.request.Request(f"{self.url}{PREFIX}{path}", body, headers, method=method)
        for tries in range(self.retries + 1):
            try:
                with urllib.request.urlopen(request, timeout=self.timeout) as answer:
                    content: bytes = answer.read()
                    return content
            except urllib.error.HTTPError as error:
                with error:
                    line = _error_line(error.read(), error.code)
                if error.code == HTTPStatus.UNAUTHORIZED and not self._token:
                    raise ServiceError(
                        f"{self.url}: A token is needed.",
                        error.code,
                        python="Give it: Client(url, token).",
                        command="Give --token-file FILE, or set CAPTIOUS_TOKEN.",
                    ) from None
                if error.code not in _AGAIN or tries == self.retries:
                    raise ServiceError(line, error.code) from None
                time.sleep(_pause(error.headers, tries))
            except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
                reason = getattr(error, "reason", error)
                raise ServiceError(
                    f"{self.url}: cannot be reached ({reason}). Is the service running?"
                ) from None
        raise AssertionError  # the last try returned or raised


def _error_line(content: bytes, status: int) -> str:
    try:
        line = orjson.loads(content)["error"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        line = f"the address answered HTTP {status}, but not as a scoring service."
    return one_line(str(line), 500)


def _pause(headers: Message, tries: int) -> float:
    """As long as the service says, else longer each time."""
    said = headers.get("Retry-After", "")
    return min(LONGEST_PAUSE, float(said) if said.isascii() and said.isdigit() else 2.0**tries)


def request_body(corpus: Corpus, metrics: Sequence[str]) -> dict[str, Any]:
    """The body of `POST /api/v1/score` for a corpus.

    >>> request_body(Corpus.from_lists(["A dog."]), ["lm"])["examples"]
    [{'caption': 'A dog.', 'image': '0', 'system': 'candidates'}]
    """
    images = corpus.image_of.tolist()
    examples: list[dict[str, Any]] = [
        {"caption": caption, "image": corpus.image_ids[image], "system": corpus.systems[system]}
        for caption, image, system in zip(corpus.captions, images, corpus.system_of.tolist(), strict=True)
    ]
    body: dict[str, Any] = {"metrics": list(metrics), "examples": examples, "statistics": True}
    sets = corpus.references_of.tolist()
    if len(set(zip(images, sets, strict=True))) == len(set(images)):  # one list for each image
        pairs = {image: own for image, own in zip(images, sets, strict=True) if own >= 0}
        body["references"] = {corpus.image_ids[image]: corpus.references[own] for image, own in pairs.items()}
    else:
        for example, own in zip(examples, sets, strict=True):
            example["references"] = corpus.references[own] if own >= 0 else []
    if corpus.objects is not None:
        body["objects"] = dict(zip(corpus.image_ids, corpus.objects, strict=True))
    if corpus.image_paths is not None:
        body["pictures"] = _pictures(corpus)
    if corpus.encoders:
        body["encoders"] = dict(corpus.encoders)
    return body


def _pictures(corpus: Corpus) -> dict[str, str]:
    found = {}
    for image, path in zip(corpus.image_ids, corpus.image_paths or [], strict=True):
        if path is not None:
            try:
                found[image] = base64.b64encode(Path(path).read_bytes()).decode()
            except OSError as error:
                raise InputError(f"{path}: cannot be read ({error.strerror}).") from None
    return found


def _scores(corpus: Corpus, answer: Mapping[str, Any], level: float) -> Scores:
    found = {}
    for name, facts in answer["metrics"].items():
        if facts["signature"] is None:  # no caption could be scored
            first = next(iter(answer["examples"]))
            raise InputError(f"{name}: no caption could be scored. The first: {first['errors'][name]}")
        rows = [example["scores"][name] for example in answer["examples"]]
        systems = {
            system: CorpusScore(*(values[name].get(key) for key in CorpusScore._fields))
            for system, values in answer["systems"].items()
            if name in values
        }
        found[name] = MetricScores(
            name=name,
            signature=facts["signature"],
            values=np.array([np.nan if value is None else value for value in rows], dtype=np.float64),
            statistics=_column(answer["examples"], "statistics", name),
            systems=systems,
            metric=_metric(name, facts),
            percent=facts["percent"],
            details=_details(answer["examples"], name),
            title=facts["title"],
            notes=tuple(facts["notes"]),
            unscored={
                example["image"]: example["errors"][name]
                for example in answer["examples"]
                if name in example.get("errors", {})
            },
        )
    return Scores(corpus, found, level)


def _findings(corpus: Corpus, answer: Mapping[str, Any]) -> Findings:
    """The findings of every metric that gives any."""

    def place(given: Mapping[str, Any]) -> Place:
        sure = math.nan if given["confidence"] is None else given["confidence"]
        return Place(**({key: given[key] for key in Place._fields} | {"confidence": sure}))

    parts = []
    for name in answer["metrics"]:
        own = [example.get("findings", {}).get(name) for example in answer["examples"]]
        found = [None if places is None else [place(one) for one in places] for places in own]
        parts.append(Findings.from_places(corpus, name, found))
    return parts[0].merge(*parts[1:])


def _metric(name: str, facts: Mapping[str, Any]) -> Aggregates:
    if find(name_and_options(name)[0]) is not None:
        return resolve(name)
    return Elsewhere(name, facts["percent"], facts["higher_is_better"])


def _column(examples: Sequence[Mapping[str, Any]], key: str, name: str) -> FloatArray:
    """A row of numbers for each example; zeros where it has none."""
    rows = [example.get(key, {}).get(name) for example in examples]
    width = len(next((row for row in rows if row is not None), []))
    return np.array([[0.0] * width if row is None else row for row in rows], dtype=np.float64)


def _details(examples: Sequence[Mapping[str, Any]], name: str) -> dict[str, FloatArray]:
    given = (one.get("details", {}).get(name) for one in examples)
    known: Mapping[str, float] = next(filter(None, given), {})
    return {
        detail: np.array(
            [one.get("details", {}).get(name, {}).get(detail, np.nan) for one in examples], dtype=float
        )
        for detail in known
    }
