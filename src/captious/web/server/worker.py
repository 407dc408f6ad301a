"""One server process: in the command itself, or as a worker that a supervisor started."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from types import FrameType

from starlette.applications import Starlette

from captious.errors import CaptiousError
from captious.web.metrics_page import local_figures
from captious.web.observe import logs, metrics
from captious.web.server.limits import Limits
from captious.web.server.server import Server, configured
from captious.web.settings import log_form

LISTENER, READY = "CAPTIOUS_LISTENER", "CAPTIOUS_READY"
DRAIN_SECONDS = 10
OBJECTS_BETWEEN_LOOKS = 5_000
STARTED = b"1"


def run(
    app: Starlette, listener: socket.socket, limits: Limits | None = None, ready: int | None = None
) -> None:
    """Serve until told to stop; requests on their way in are finished, for `DRAIN_SECONDS` at most."""

    def say_ready() -> None:
        if ready is not None:
            os.write(ready, STARTED)
            os.close(ready)

    def share_figures() -> None:
        if ready is not None and hasattr(app.state, "metrics"):
            metrics.keep(local_figures(app))

    look_after_requests_only()
    config = configured(app, log_config=logs.configuration(form=log_form()), drain_seconds=DRAIN_SECONDS)
    parent = os.getppid() if ready is not None else None
    server = Server(
        config, limits or Limits(), parent=parent, when_started=say_ready, now_and_then=share_figures
    )
    app.state.server = server
    server.run(sockets=[listener])


def look_after_requests_only() -> None:
    """Tell the garbage collector that what is loaded by now will stay.

    Looking through thousands of modules' objects again and again took a fifth of the time under load.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_LOOKS)


def main() -> None:
    """A worker: the socket and the pipe that says when it is ready are inherited."""
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # Meant for the supervisor.
    from captious.web.app import for_worker

    try:
        with socket.socket(fileno=int(os.environ[LISTENER])) as listener:
            run(for_worker(), listener, ready=int(os.environ[READY]))
    except CaptiousError as error:
        sys.exit(f"error: {error}")


def _stop(_number: int, _frame: FrameType | None) -> None:
    sys.exit(0)


if __name__ == "__main__":
    main()
