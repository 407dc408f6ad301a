"""Several server processes on one socket, replaced one after the other where that is asked for.

Every worker is a new Python process: after a new release is installed, SIGHUP brings it into
service without a refused connection, and a release that does not start changes nothing.
"""

from __future__ import annotations

import logging
import logging.config
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from types import FrameType

from captious.errors import CaptiousError
from captious.web.observe import logs
from captious.web.observe.observer import FOLDER, forget
from captious.web.server.worker import DRAIN_SECONDS, LISTENER, READY, STARTED
from captious.web.settings import log_form

log = logging.getLogger("captious.web.server")
START_SECONDS = 60.0
PAUSE = 0.2
FIRST_REST, LONGEST_REST = 1.0, 30.0
COMMAND = (sys.executable, "-m", "captious.web.server.worker")


class Worker:
    """One process, and whether it has ever said that it is ready."""

    def __init__(self, listener: socket.socket) -> None:
        self.ready_end, theirs = os.pipe()
        os.set_blocking(self.ready_end, False)
        environment = os.environ | {LISTENER: str(listener.fileno()), READY: str(theirs)}
        self.process = subprocess.Popen(COMMAND, env=environment, pass_fds=(listener.fileno(), theirs))
        os.close(theirs)
        self.ready = False

    def alive(self) -> bool:
        """Whether the process runs."""
        return self.process.poll() is None

    def is_ready(self, seconds: float) -> bool:
        """Whether it takes requests, or begins to within some seconds."""
        until = time.monotonic() + seconds
        while not self.ready:
            left = until - time.monotonic()
            if left < 0:
                return False
            if select.select([self.ready_end], [], [], min(left, PAUSE))[0]:
                self.ready = os.read(self.ready_end, 1) == STARTED
                if not self.ready:  # The pipe was closed: it has ended.
                    return False
        return True

    def stop(self) -> None:
        """Ask it to finish what it does and end."""
        if self.alive():
            self.process.send_signal(signal.SIGTERM)

    def join(self, seconds: float) -> None:
        """Wait for its end; one that does not end is killed."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.ready_end)
        forget(self.process.pid)


class Supervisor:
    """Keeps some workers running until it is told to stop."""

    def __init__(self, listener: socket.socket, count: int) -> None:
        self.listener, self.count = listener, count
        self.workers: list[Worker] = []
        self.stopping = self.renewing = False
        self.rest, self.not_before = FIRST_REST, 0.0
        listener.set_inheritable(True)

    def run(self) -> None:
        """Start the workers, look after them, and end them in order."""
        logging.config.dictConfig(logs.configuration(form=log_form()))
        signal.signal(signal.SIGTERM, self._told)
        signal.signal(signal.SIGINT, self._told)
        signal.signal(signal.SIGHUP, self._told)
        folder = tempfile.TemporaryDirectory(prefix="captious-metrics-")
        os.environ[FOLDER] = folder.name
        self.workers = [Worker(self.listener) for _ in range(self.count)]
        try:
            failed = [one for one in self.workers if not self._began(one)]
            if failed and not self.stopping:
                raise CaptiousError("a server process did not start; what it said stands above.")
            while not self.stopping:
                time.sleep(PAUSE)
                if self.renewing:
                    self.renewing = False
                    self._renew()
                self._replace_dead()
        finally:
            self._end()
            folder.cleanup()

    def _told(self, number: int, _frame: FrameType | None) -> None:
        self.stopping |= number != signal.SIGHUP
        self.renewing |= number == signal.SIGHUP

    def _began(self, worker: Worker) -> bool:
        until = time.monotonic() + START_SECONDS
        while not self.stopping and time.monotonic() < until:
            if worker.is_ready(PAUSE):
                return True
            if not worker.alive():
                return False
        return False

    def _renew(self) -> None:
        """Replace every worker; an old one goes when its successor takes requests."""
        log.info("replacing %d workers", len(self.workers))
        for at, old in enumerate(self.workers):
            fresh = Worker(self.listener)
            if not self._began(fresh):
                fresh.stop()
                fresh.join(DRAIN_SECONDS)
                log.error("the new worker did not start; the old ones stay")
                return
            old.stop()
            old.join(DRAIN_SECONDS * 2)
            self.workers[at] = fresh
        log.info("all workers are replaced")

    def _replace_dead(self) -> None:
        """A worker that died is started again; one that dies at once, less and less often."""
        for at, worker in enumerate(self.workers):
            if worker.alive() or time.monotonic() < self.not_before or self.stopping:
                continue
            log.error("worker %d ended (%s); starting another", worker.process.pid, worker.process.returncode)
            was_ready = worker.is_ready(0)
            worker.join(0)
            self.rest = FIRST_REST if was_ready else min(self.rest * 2, LONGEST_REST)
            self.not_before = time.monotonic() + self.rest
            self.workers[at] = Worker(self.listener)

    def _end(self) -> None:
        for worker in self.workers:
            worker.stop()
        for worker in self.workers:
            worker.join(DRAIN_SECONDS * 2)
