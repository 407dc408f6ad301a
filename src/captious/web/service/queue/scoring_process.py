"""The scoring process: metrics run outside the web server, weights are loaded once.

Scoring holds the interpreter for milliseconds to seconds, in which the server could answer nobody. The
process reads requests from its standard input and writes answers to its standard output, length first.
A second call may wait in its input while it works on the first, so that it need not wait for the server.
It ends with the server, since its input then ends; where its memory grows beyond the limit it is
replaced by a fresh one, between two calls.
"""

from __future__ import annotations

import gc
import os
import pickle
import select
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from captious.web.observe.observer import resident_bytes
from captious.web.service.requests import Offer, ScoreRequest
from captious.web.service.scoring.singles import Facts
from captious.web.service.scoring.together import Answer, score_together
from captious.web.service.settings import LIMITS, MEBIBYTE, Limits

CHILD = "import sys; from captious.web.service.queue.scoring_process import main; sys.exit(main())"
PIPE_BYTES = 2**20  # asked of the system for what waits in the input; it may give less
OBJECTS_BETWEEN_LOOKS = 50_000  # of the garbage collector
# Of glibc's malloc, other systems ignore them: memory of one call is kept for the next, up to 64 MB.
# Else the system gives and clears it again for every call.
KEEPING_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(16 * MEBIBYTE), "MALLOC_TRIM_THRESHOLD_": str(64 * MEBIBYTE)}
ENDED = "the scoring process ended, often because memory ran out"
_LENGTH = struct.Struct("!Q")
_LEAVE_SECONDS = 5


class ScoringEnded(Exception):  # noqa: N818 - an event that the queue handles
    """The scoring process ended, or took too long and was ended, without an answer."""


class ScoringProcess:
    """A process that scores; started when it is first needed, and again after it ended.

    One thread sends calls and receives their answers, in order; any may kill it.
    """

    def __init__(self, offer: Offer, limits: Limits = LIMITS, *, nice: int = 0) -> None:
        self.offer, self.limits, self.nice = offer, limits, nice
        self._child: subprocess.Popen[bytes] | None = None
        self._guard = threading.Lock()
        self._room = 0  # bytes that its input holds while nobody reads
        self._unanswered = 0
        self._grown = False

    def start(self) -> None:
        """Start it before the first request, so that nobody waits for imports."""
        with self._guard:
            if self._child is None or self._child.poll() is not None:
                self._child = self._started()
                self._unanswered, self._grown = 0, False

    def ask(self, requests: Sequence[ScoreRequest]) -> list[Answer]:
        """Answers of the process, in order; `ScoringEnded` where it died or took too long."""
        self.send(requests)
        assert self.outlet is not None
        if not readable([self.outlet], self.limits.seconds):
            self.give_up()
        return self.receive()

    def send(self, requests: Sequence[ScoreRequest], *, beside: bool = False) -> bool:
        """Begin a call; `beside` another only where that cannot block, else it returns False."""
        content = pickle.dumps(list(requests), protocol=pickle.HIGHEST_PROTOCOL)
        if beside and (self._grown or len(content) + _LENGTH.size > self._room):
            return False
        if not beside:
            self.start()
        try:
            _write(_open(self._child, "stdin"), content)
        except (OSError, EOFError) as error:
            self.close()
            raise ScoringEnded(ENDED) from error
        self._unanswered += 1
        return True

    @property
    def outlet(self) -> int | None:
        """The descriptor at which its answers can be read, for waiting."""
        child = self._child
        return None if child is None or child.stdout is None else child.stdout.fileno()

    def receive(self) -> list[Answer]:
        """The answers to the oldest call without any."""
        try:
            answers, memory = pickle.loads(_read(_open(self._child, "stdout")))
        except (OSError, EOFError) as error:
            self.close()
            raise ScoringEnded(ENDED) from error
        self._unanswered -= 1
        self._grown |= memory > self.limits.process_bytes
        if self._grown and not self._unanswered:
            self.close()
        return list(answers)

    def give_up(self) -> None:
        """End a call that took too long."""
        self.close()
        raise ScoringEnded(f"scoring took longer than {self.limits.seconds:,.0f} seconds and was stopped")

    def kill(self) -> None:
        """End it from another thread: whoever waits for an answer is told so."""
        with self._guard:
            if self._child is not None:
                self._child.kill()

    def close(self) -> None:
        """End it and forget it."""
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
        # Without buffers: what was read is what was asked for, and `poll` sees the rest.
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=KEEPING_MEMORY | os.environ,
        )
        assert child.stdin is not None
        self._room = _widened(child.stdin.fileno())
        first = self.offer.specifications, self.offer.tables, self.limits, self.nice
        with suppress(OSError):  # a process that has ended already is noticed at the first call
            _write(child.stdin, pickle.dumps(first, protocol=pickle.HIGHEST_PROTOCOL))
        return child


def readable(descriptors: Sequence[int], seconds: float | None) -> list[int]:
    """Those of the descriptors at which something can be read, after waiting for it if need be."""
    waiting = select.poll()
    for one in descriptors:
        waiting.register(one, select.POLLIN)
    return [one for one, _ in waiting.poll(None if seconds is None else max(0.0, seconds) * 1000)]


def _widened(pipe: int) -> int:
    """Let a pipe hold more, and return how much it holds; 0 where the system does not tell."""
    if not sys.platform.startswith("linux"):
        return 0
    import fcntl

    with suppress(OSError):  # over the limit of the user
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    try:
        return fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
    except OSError:
        return 0


def _open(child: subprocess.Popen[bytes] | None, which: str) -> IO[bytes]:
    stream: IO[bytes] | None = getattr(child, which, None)
    if stream is None:
        raise EOFError
    return stream


def _write(stream: IO[bytes], content: bytes) -> None:
    left = memoryview(_LENGTH.pack(len(content)) + content)
    while left:
        left = left[stream.write(left) :]


def _read(stream: IO[bytes]) -> bytes:
    """What the other side wrote; both sides are ours, so that unpickling runs no stranger's code."""
    (size,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return _exactly(stream, size)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = stream.read(size)
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def main() -> int:
    """What the process does: read requests, answer them, until the server is gone."""
    # Whatever a library prints must not land among the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    requests = sys.stdin.buffer
    with suppress(EOFError, BrokenPipeError, KeyboardInterrupt):
        specifications, tables, limits, nice = pickle.loads(_read(requests))
        os.nice(nice)
        offer, facts = Offer(specifications, tables), Facts()
        gc.collect()
        gc.freeze()  # what is loaded stays: looking through it at every call would take long
        gc.set_threshold(OBJECTS_BETWEEN_LOOKS)
        while True:
            found = score_together(pickle.loads(_read(requests)), offer, limits, facts)
            _write(answers, pickle.dumps((found, resident_bytes()), protocol=pickle.HIGHEST_PROTOCOL))
    return 0
