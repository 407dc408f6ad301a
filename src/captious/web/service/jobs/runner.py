"""The thread of a server that works on jobs, some lines at a time, while no request waits."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator
from itertools import islice

import orjson

from captious.errors import CaptiousError, InputError
from captious.web.service.jobs.store import INPUT, Job, JobStore, parse_line
from captious.web.service.limits import LIMITS, Limits
from captious.web.service.queue.scoring_queue import ScoringQueue, Waiting
from captious.web.service.requests.offer import Offer
from captious.web.service.requests.request import checked
from captious.web.service.scoring.together import INTERNAL, Answer, refusal

LINES = 256  # that are scored, written and made safe together
LINE_BYTES = 32 * 2**20
LOOK_SECONDS = 5.0
SWEEP_SECONDS = 600.0
AGAIN_SECONDS = 30.0
_log = logging.getLogger("captious.web")


class JobRunner:
    """Takes one job after the other, the oldest first."""

    def __init__(self, store: JobStore, queue: ScoringQueue, offer: Offer, limits: Limits = LIMITS) -> None:
        self.store, self.queue, self.offer, self.limits = store, queue, offer, limits
        self._wake = threading.Event()
        self._stopping = False
        self._swept = 0.0
        self._later: dict[str, float] = {}  # jobs that failed, and when they are tried again
        self._thread = threading.Thread(target=self._run, name="captious-jobs", daemon=True)

    def start(self) -> None:
        """Begin, with the jobs that an earlier server left."""
        self._thread.start()

    def wake(self) -> None:
        """A job has come."""
        self._wake.set()

    def stop(self) -> None:
        """Stop after the queue has; the job goes on when a server runs again."""
        self._stopping = True
        self._wake.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping:
            self._wake.clear()
            try:
                worked = self._one_round()
            except (OSError, CaptiousError) as error:  # a full disk, a folder that is gone
                _log.error("jobs: %s", error)
                worked = False
            if not worked:
                self._wake.wait(LOOK_SECONDS)

    def _one_round(self) -> bool:
        if time.monotonic() - self._swept > SWEEP_SECONDS or not self._swept:
            self.store.sweep()
            self._swept = time.monotonic()
        for job in self.store.all():
            if job.has_ended or self._stopping or time.monotonic() < self._later.get(job.id, 0.0):
                continue
            with self.store.held(job) as mine:
                if mine:
                    self._try(job)
                    return True
        return False

    def _try(self, job: Job) -> None:
        """Work on a job; one that fails makes way for the others for a while."""
        self._later.pop(job.id, None)
        try:
            self._work(job)
        except Exception as error:
            self._later[job.id] = time.monotonic() + AGAIN_SECONDS
            if isinstance(error, (OSError, CaptiousError)):  # a full disk, a folder that is gone
                raise
            _log.exception("%s: failed; trying again in %.0f seconds", job.id, AGAIN_SECONDS)

    def _work(self, job: Job) -> None:
        done = self.store.resume_at(job)
        job = self.store.progress(job, state="running", done=done)
        with (
            (self.store.folder / job.id / INPUT).open("rb") as lines,
            self.store.results(job).open("ab") as results,
        ):
            for _ in islice(lines, done):
                pass
            for chunk in _chunks(lines):
                if self.store.is_cancelled(job):
                    return
                found = self._scored(job, chunk, done)
                if found is None:
                    return  # the server stops; whoever runs next goes on here
                results.writelines(found)
                results.flush()
                os.fsync(results.fileno())
                done += len(chunk)
                job = self.store.progress(job, done=done)
        self.store.progress(job, state="done", ended=time.time())

    def _scored(self, job: Job, chunk: list[bytes], first: int) -> list[bytes] | None:
        """The result lines of some lines, or None where the server stops."""
        answers: list[Answer | None] = [None] * len(chunk)
        ids: list[str] = []
        left = threading.Semaphore(0)
        sent: list[Waiting] = []
        for place, line in enumerate(chunk):
            custom_id, body = parse_line(line, first + place + 1)
            ids.append(custom_id)
            try:
                request = self.offer.settled(checked(body, self.limits, metrics=job.metrics))
            except InputError as error:
                answers[place] = refusal(str(error))
                continue
            except Exception:  # noqa: BLE001 - whatever a line holds, the other lines are scored
                _log.exception("%s: line %d cannot be read", job.id, first + place + 1)
                answers[place] = refusal(INTERNAL, 500)
                continue

            def deliver(answer: Answer, place: int = place) -> None:
                answers[place] = answer
                left.release()

            sent.append(Waiting(request, deliver))
        self.queue.put_lines(sent)
        for _ in sent:
            while not left.acquire(timeout=1.0):
                if self._stopping and self.queue.stopping:
                    return None
        if self.queue.stopping:
            return None
        return [_result(name, one) for name, one in zip(ids, answers, strict=True) if one is not None]


def _chunks(lines: Iterator[bytes]) -> Iterator[list[bytes]]:
    """Lines in groups, small ones many and large ones few."""
    chunk: list[bytes] = []
    size = 0
    for line in lines:
        chunk.append(line)
        size += len(line)
        if len(chunk) >= LINES or size > LINE_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _result(custom_id: str, answer: Answer) -> bytes:
    key = b'"body":' if answer.status == 200 else b'"error":'
    content = answer.body if answer.status == 200 else orjson.dumps(orjson.loads(answer.body)["error"])
    return b'{"custom_id":%s,"status":%d,%s%s}\n' % (orjson.dumps(custom_id), answer.status, key, content)
