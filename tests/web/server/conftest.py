"""A real server on a real socket."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the web application needs captious[web]")

import uvicorn

from captious.web.server.worker import configured

PATIENCE = 30.0


class Running:
    """A server in a thread of this process, and clients that misbehave on purpose."""

    def __init__(self, app: Any) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address: tuple[str, int] = self.listener.getsockname()[:2]
        self.server = uvicorn.Server(configured(app, log_config=None))
        self.clients: list[socket.socket] = []
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listener]})
        self.thread.start()
        self.until(lambda: self.server.started)

    def until(self, true: Callable[[], bool]) -> None:
        """Wait for something to become true; the deadline only ends a test that has failed."""
        deadline = time.monotonic() + PATIENCE
        while not true():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def connect(self, sent: bytes = b"") -> socket.socket:
        """A client that has sent something."""
        client = socket.create_connection(self.address, timeout=PATIENCE)
        self.clients.append(client)
        client.sendall(sent)
        return client

    def ask(self, sent: bytes) -> bytes:
        """Everything that comes back until the server closes the connection."""
        return read_all(self.connect(sent))

    def get(self, path: str) -> bytes:
        """The answer to a plain request."""
        return self.ask(b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % path.encode())

    def stop(self) -> None:
        """End clients and server."""
        for client in self.clients:
            client.close()
        self.server.should_exit = True
        self.thread.join(PATIENCE)
        self.listener.close()


def read_all(client: socket.socket) -> bytes:
    """What a client receives until the end, or until the connection is reset."""
    found = b""
    try:
        while piece := client.recv(65536):
            found += piece
    except ConnectionResetError:
        pass
    return found


@pytest.fixture
def start() -> Iterator[Callable[..., Running]]:
    """Start a server for an application."""
    with ExitStack() as stack:

        def make(app: Any) -> Running:
            running = Running(app)
            stack.callback(running.stop)
            return running

        yield make


class Kept(logging.Handler):
    """Keeps every line."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[logging.LogRecord]]:
    """What server and application log."""
    kept, root = Kept(), logging.getLogger()
    monkeypatch.setattr(root, "level", logging.INFO)
    root.addHandler(kept)
    logging.getLogger("captious").setLevel(logging.INFO)
    yield kept.records
    root.removeHandler(kept)


@pytest.fixture
def until_closed() -> Callable[[socket.socket], bytes]:
    """`read_all`."""
    return read_all
