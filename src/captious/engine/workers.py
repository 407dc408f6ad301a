"""Worker processes: started in one way, and gone when their parent is, however it ended."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any

Serve = Callable[..., None]  # what a worker does with its end of the pipe and the arguments it is given


class Worker:
    """A process of its own that runs `serve(pipe, *given)`; `pipe` here is our end of the pipe.

    A forked process sees what it is given without copying it; where there is no fork it is sent.
    """

    def __init__(self, serve: Serve, *given: Any) -> None:
        context: Any = get_context("fork" if hasattr(os, "fork") else "spawn")
        self.pipe: Connection
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_begin, args=(serve, theirs, *given), daemon=True)
        self._process.start()
        theirs.close()

    def end(self) -> None:
        """End the process, whatever it does."""
        self.pipe.close()
        self._process.terminate()
        self._process.join()


def _begin(serve: Serve, pipe: Connection, *given: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears an interrupt and ends us
    Thread(target=_end_with_parent, daemon=True).start()
    serve(pipe, *given)


def _end_with_parent() -> None:
    """Wait for the parent's end. One that was killed could not end us, and nobody reads our answer.

    Siblings that were forked later hold copies of the ends of pipes, so the youngest hears it first.
    """
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
