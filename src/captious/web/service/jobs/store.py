"""Jobs: many requests in one file of JSON lines, scored when there is time, and kept until fetched.

A job is a folder: `input.jsonl` as it was sent, `output.jsonl` with a line for each line that is done, in
the same order, `job.json` with its facts. The output says how far the job is, so that a server that is
killed goes on after the last whole line. A lock, which the system takes from a dead process, lets one of
several server processes work on a job. A file `cancel` stops it.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from captious.errors import InputError, one_line
from captious.files import atomically
from captious.web.service.limits import LIMITS, Limits

DAY = 86_400
INPUT, OUTPUT, FACTS, CANCEL, LOCK = "input.jsonl", "output.jsonl", "job.json", "cancel", "lock"
LINE_KEYS = frozenset({"custom_id", "body"})
LONGEST_ID = 200
LETTING_GO = 40  # tries
JOB_ID = re.compile(r"job_[0-9a-f]{24}")


@dataclass(frozen=True)
class Job:
    """The facts of a job. `owner` is the id of the token that sent it, empty for none.

    `state` is `queued`, `running`, `done` or `cancelled`; `done` counts lines that have a result.
    """

    id: str
    owner: str
    metrics: tuple[str, ...]
    created: float
    lines: int
    captions: int
    state: str = "queued"
    done: int = 0
    ended: float | None = None

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("done", "cancelled")


class JobStore:
    """The jobs of a service's folder."""

    def __init__(self, folder: Path, limits: Limits = LIMITS) -> None:
        self.folder, self.limits = folder / "jobs", limits

    def receive(self) -> Path:
        """A new folder for the upload of a job; `create` makes it one, `discard` takes it away."""
        self.folder.mkdir(parents=True, exist_ok=True)
        place = self.folder / f"job_{secrets.token_hex(12)}.part"
        place.mkdir()
        return place

    def create(
        self, place: Path, owner: str, metrics: tuple[str, ...], pay: Callable[[int], object] = bool
    ) -> Job:
        """The job of an upload, whose lines are checked first; `pay` may refuse its captions.

        Only what is paid for is a job: one that nobody has seen yet cannot be begun meanwhile.
        """
        living = [job for job in self.all(owner) if not job.has_ended]
        if len(living) >= self.limits.jobs:
            raise InputError(
                f"unfinished jobs: {len(living)}; at most {self.limits.jobs} are allowed. Wait until one "
                "ends, or cancel one."
            )
        lines, captions = check_lines(place / INPUT, self.limits, named=bool(metrics))
        job = Job(place.stem, owner, metrics, time.time(), lines, captions)
        _write(place, job)
        pay(captions)
        place.rename(place.with_suffix(""))
        return job

    def discard(self, place: Path) -> None:
        """Take an upload away that became no job."""
        shutil.rmtree(place, ignore_errors=True)

    def find(self, job_id: str, owner: str) -> Job | None:
        """A job of this owner."""
        if not JOB_ID.fullmatch(job_id):
            return None
        job = _read(self.folder / job_id)
        return job if job is not None and job.owner == owner else None

    def all(self, owner: str | None = None) -> list[Job]:
        """All jobs, or those of one owner, the oldest first."""
        if not self.folder.is_dir():
            return []
        places = [place for place in self.folder.iterdir() if JOB_ID.fullmatch(place.name)]
        found = [job for job in map(_read, places) if job is not None]
        return sorted((job for job in found if owner in (None, job.owner)), key=lambda job: job.created)

    def cancel(self, job: Job) -> Job:
        """Stop a job; what is done stays."""
        if not job.has_ended:
            (self.folder / job.id / CANCEL).touch()
        return _read(self.folder / job.id) or job

    def delete(self, job: Job) -> bool:
        """Take a job and its results away; False while a server works on it."""
        for _ in range(LETTING_GO):
            with self.held(job) as mine:
                if mine:
                    shutil.rmtree(self.folder / job.id, ignore_errors=True)
                    return True
            if not job.has_ended:
                break
            time.sleep(0.05)  # the server that ended it lets go of it now
        return False

    def results(self, job: Job) -> Path:
        """The file of results."""
        return self.folder / job.id / OUTPUT

    @contextmanager
    def held(self, job: Job) -> Iterator[bool]:
        """Whether this process alone may work on a job while the block runs."""
        try:
            descriptor = os.open(self.folder / job.id / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:  # deleted meanwhile
            yield False
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield True
        except BlockingIOError:
            yield False
        finally:
            os.close(descriptor)

    def sweep(self, now: float | None = None) -> int:
        """Delete jobs whose time is over, and uploads that nobody finished; returns how many."""
        now = time.time() if now is None else now
        gone = 0
        for job in self.all():
            if job.ended is not None and now - job.ended > self.limits.kept_days * DAY:
                gone += self.delete(job)
        for place in self.folder.glob("*.part") if self.folder.is_dir() else ():
            with suppress(OSError):
                if now - place.stat().st_mtime > DAY:
                    shutil.rmtree(place, ignore_errors=True)
                    gone += 1
        return gone

    def progress(self, job: Job, **changes: Any) -> Job:
        """Keep new facts of a job."""
        changed = replace(job, **changes)
        _write(self.folder / job.id, changed)
        return changed

    def resume_at(self, job: Job) -> int:
        """Lines that are done; what a killed server wrote of the next one is cut off."""
        path = self.results(job)
        if not path.exists():
            return 0
        done = end = 0
        with path.open("r+b") as file:
            for line in file:
                if line.endswith(b"\n"):
                    done, end = done + 1, end + len(line)
            file.truncate(end)
        return done

    def is_cancelled(self, job: Job) -> bool:
        """Whether somebody asked to stop it, or deleted it."""
        place = self.folder / job.id
        return (place / CANCEL).exists() or not place.exists()


def check_lines(path: Path, limits: Limits, *, named: bool) -> tuple[int, int]:
    """Lines and captions of a job; refuses, with the line, what cannot be worked on."""
    seen: set[str] = set()
    captions = 0
    with path.open("rb") as file:
        # A line is read no further than it may be long: 512 MB without an end would all be read.
        for number, line in enumerate(iter(lambda: file.readline(limits.upload_bytes + 1), b""), 1):
            if number > limits.job_lines:
                raise InputError(f"the job has more than {limits.job_lines:,} lines. Split it into several.")
            if len(line) > limits.upload_bytes:
                raise InputError(
                    f"line {number}: is larger than {limits.upload_bytes / 2**20:g} MB. Split it in two."
                )
            custom_id, body = parse_line(line, number)
            if custom_id in seen:
                raise InputError(
                    f'line {number}: custom_id "{one_line(custom_id, 40)}" is used twice. Change one.'
                )
            if not named and "metrics" not in body:
                raise InputError(
                    f'line {number}: "metrics" is missing. Add it, or send the job with ?metrics=…'
                )
            seen.add(custom_id)
            examples = body.get("examples")
            captions += len(examples) if isinstance(examples, list) else 0
    if not seen:
        raise InputError('the job has no lines. Send at least one: {"custom_id": …, "body": {…}}.')
    return len(seen), captions


def parse_line(line: bytes, number: int) -> tuple[str, dict[str, Any]]:
    """The custom id and the body of a request line.

    >>> parse_line(b'{"custom_id": "a", "body": {}}', 1)
    ('a', {})
    """
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InputError(f"line {number}: is not valid JSON: {one_line(str(error), 100)}.") from None
    if not isinstance(found, dict) or set(found) != LINE_KEYS or not isinstance(found["body"], dict):
        raise InputError(f'line {number}: must have the form {{"custom_id": …, "body": {{…}}}}.')
    custom_id = found["custom_id"]
    if not isinstance(custom_id, str) or not 0 < len(custom_id) <= LONGEST_ID:
        raise InputError(f"line {number}: custom_id must be a string of 1 to {LONGEST_ID} characters.")
    return custom_id, found["body"]


def _write(place: Path, job: Job) -> None:
    with atomically(place / FACTS) as fresh:
        fresh.write_bytes(orjson.dumps(asdict(job)))


def _read(place: Path) -> Job | None:
    try:
        facts = orjson.loads((place / FACTS).read_bytes())
        cancelled = (place / CANCEL).stat().st_mtime if (place / CANCEL).exists() else None
    except (OSError, orjson.JSONDecodeError):
        return None  # deleted meanwhile
    job = Job(**facts | {"metrics": tuple(facts["metrics"])})
    if cancelled is not None and job.state != "done":
        return replace(job, state="cancelled", ended=cancelled)
    return job
