"""The scoring process: metrics run outside the web server, weights are loaded once.

Scoring holds the interpreter for milliseconds to seconds, in which the server could answer nobody. The
process reads requests from its standard input and writes answers to its standard output, length first.
It ends with the server, since its input then ends; where its memory grows beyond the limit it is
replaced by a fresh one, between two calls.
"""

from __future__ import annotations

import os
import pickle
import select
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from captious.web.service.limits import LIMITS, Limits
from captious.web.service.offer import Offer
from captious.web.service.request import ScoreRequest
from captious.web.service.together import Answer, score_together

CHILD = "import sys; from captious.web.service.process import main; sys.exit(main())"
_LENGTH = struct.Struct("!Q")
_LEAVE_SECONDS = 5


class ScoringEnded(Exception):  # noqa: N818 - an event that the queue handles
    """The scoring process ended, or took too long and was ended, without an answer."""


class ScoringProcess:
    """A process that scores; started when it is first needed, and again after it ended."""

    def __init__(self, offer: Offer, limits: Limits = LIMITS, *, nice: int = 0) -> None:
        self.offer, self.limits, self.nice = offer, limits, nice
        self._child: subprocess.Popen[bytes] | None = None
        self._guard = threading.Lock()

    def start(self) -> None:
        """Start it before the first request, so that nobody waits for imports."""
        with self._guard:
            if self._child is None or self._child.poll() is not None:
                self._child = self._started()

    def ask(self, requests: Sequence[ScoreRequest]) -> list[Answer]:
        """Answers of the process, in order; `ScoringEnded` where it died or took too long."""
        self.start()
        child = self._child
        assert child is not None and child.stdin is not None and child.stdout is not None
        try:
            _write(child.stdin, list(requests))
            ready, _, _ = select.select([child.stdout], [], [], self.limits.seconds)
            if not ready:
                raise ScoringEnded(f"scoring took over {self.limits.seconds:,.0f} seconds and was stopped")
            answers, memory = _read(child.stdout)
        except (OSError, EOFError) as error:
            self.close()
            raise ScoringEnded("the scoring process ended, often because memory ran out") from error
        except ScoringEnded:
            self.close()
            raise
        if memory > self.limits.process_bytes:
            self.close()
        return list(answers)

    def close(self) -> None:
        """End it."""
        with self._guard:
            child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        with suppress(subprocess.TimeoutExpired):
            child.wait(_LEAVE_SECONDS)

    @property
    def process_id(self) -> int | None:
        """Its id, where it runs."""
        return self._child.pid if self._child is not None else None

    def _started(self) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=-1
        )
        assert child.stdin is not None
        _write(child.stdin, (self.offer.specifications, self.offer.tables, self.limits, self.nice))
        return child


def _write(stream: IO[bytes], value: Any) -> None:
    content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def _read(stream: IO[bytes]) -> Any:
    """What the other side wrote; both sides are ours, so that unpickling runs no stranger's code."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (size,) = _LENGTH.unpack(head)
    content = stream.read(size)
    if len(content) < size:
        raise EOFError
    return pickle.loads(content)


def main() -> int:
    """What the process does: read requests, answer them, until the server is gone."""
    # Whatever a library prints must not land among the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    requests = sys.stdin.buffer
    with suppress(EOFError, BrokenPipeError, KeyboardInterrupt):
        specifications, tables, limits, nice = _read(requests)
        os.nice(nice)
        offer = Offer(specifications, tables)
        while True:
            found = score_together(_read(requests), offer, limits)
            _write(answers, (found, resident_bytes()))
    return 0


def resident_bytes(process: int | str = "self") -> int:
    """Memory that a process holds now; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
