"""uvicorn's server with our own doorman: limits on connections and on the time that clients take."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import uvicorn
from uvicorn.config import STARTUP_FAILURE

from captious.web.server.accept import Acceptor
from captious.web.server.connection import Connection
from captious.web.server.limits import Limits, connections_for, raise_descriptors
from captious.web.server.room import Room

BACKLOG = 2048


class Server(uvicorn.Server):
    """Serves one application from one process."""

    def __init__(
        self,
        config: uvicorn.Config,
        limits: Limits,
        *,
        parent: int | None = None,
        when_started: Callable[[], object] = bool,
        now_and_then: Callable[[], object] = bool,
    ) -> None:
        super().__init__(config)
        self.parent, self.when_started, self.now_and_then = parent, when_started, now_and_then
        most = connections_for(raise_descriptors())
        self.room = Room(limits, min(most, limits.connections or most))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, then take connections from the given sockets."""
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            sys.exit(STARTUP_FAILURE)
        make = partial(
            Connection,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
            room=self.room,
        )
        doors: list[Any] = [Acceptor(one, BACKLOG, self.room, make) for one in sockets or []]
        self.servers = doors
        self.started = True
        self.when_started()

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second; once a second whoever is overdue is let go."""
        if counter % 10 == 0:
            self.room.sweep(asyncio.get_running_loop().time())
            self.now_and_then()
            # A worker does not outlive its supervisor.
            self.should_exit |= self.parent is not None and os.getppid() != self.parent
        return await super().on_tick(counter)


def configured(app: Any, *, log_config: dict[str, Any], drain_seconds: int) -> uvicorn.Config:
    """The settings of uvicorn: everything that the application or the room does is left out."""
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        log_config=log_config,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=drain_seconds,
    )
