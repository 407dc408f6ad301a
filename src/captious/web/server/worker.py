"""One server process: in the command itself, or as a worker that a supervisor started."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from captious.errors import CaptiousError
from captious.web.observe import logs
from captious.web.settings import log_form

# What the process opens beside connections: the database's pool, files, images, pipes, its modules.
OTHER_DESCRIPTORS = 256
FEWEST_CONNECTIONS = 32
MOST_CONNECTIONS = 16_384
MOST_DESCRIPTORS = 65_536


def raise_descriptors() -> int:
    """Raise the soft limit of open files to the hard one, and return what it is now."""
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return MOST_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return MOST_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


def connections_for(descriptors: int) -> int:
    """How many connections leave enough descriptors for the rest.

    >>> connections_for(1024), connections_for(20_000), connections_for(100)
    (768, 16384, 32)
    """
    free = descriptors - OTHER_DESCRIPTORS
    return max(FEWEST_CONNECTIONS, min(free, MOST_CONNECTIONS))


LISTENER, READY = "CAPTIOUS_LISTENER", "CAPTIOUS_READY"
DRAIN_SECONDS = 10
OBJECTS_BETWEEN_LOOKS = 5_000
LOOK_SECONDS = 1.0
STARTED = b"1"


def run(app: Starlette, listener: socket.socket, ready: int | None = None) -> None:
    """Serve until told to stop; requests on their way in are finished, for `DRAIN_SECONDS` at most."""
    look_after_requests_only()
    served: ASGIApp = app if ready is None else Worker(app, ready)
    uvicorn.Server(configured(served, logs.configuration(form=log_form()))).run(sockets=[listener])


def configured(app: ASGIApp, log_config: dict[str, Any] | None) -> uvicorn.Config:
    """The settings of uvicorn; proxies, logs of requests and headers are the application's."""
    return uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        log_config=log_config,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=connections_for(raise_descriptors()),
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )


class Worker:
    """The application in a process of several: it tells the supervisor that it is ready.

    While it runs it shares its metrics, and ends when the supervisor has ended.
    """

    def __init__(self, app: Starlette, ready: int) -> None:
        self.app, self.ready, self.parent = app, ready, os.getppid()
        self.looking: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Requests pass through; of the lifespan, the end of the startup is noticed."""
        if scope["type"] != "lifespan":
            await self.app(scope, receive, send)
            return

        async def noticed(message: Message) -> None:
            await send(message)
            if message["type"] == "lifespan.startup.complete":
                os.write(self.ready, STARTED)
                os.close(self.ready)
                self.looking = asyncio.create_task(self._look())

        await self.app(scope, receive, noticed)

    async def _look(self) -> None:
        while os.getppid() == self.parent:
            self.app.state.metrics.sample(self.app.state)
            await asyncio.sleep(LOOK_SECONDS)
        os.kill(os.getpid(), signal.SIGTERM)


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
