"""Bodies that stop coming are not waited for."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

# A body has so many seconds, and each second again for so many bytes of it (a recording over a slow line).
BODY_SECONDS, BODY_RATE = 20.0, 500.0
SWEEP_SECONDS = 1.0


class Bodies:
    """The requests whose bodies are awaited. A timer for each would take longer than all else here."""

    def __init__(self) -> None:
        self.awaited: dict[asyncio.Task[Any], float] = {}  # until when
        self.sweeping = False

    def in_time(self, receive: Receive) -> Receive:
        """`receive`, which answers 408 when the client has had its time."""
        whole, left = False, BODY_SECONDS

        async def coming() -> Message:
            nonlocal whole, left
            task = asyncio.current_task()
            if whole or task is None:  # What follows is that the client leaves.
                return await receive()
            began = time.monotonic()
            message = await self._awaited(receive, task, began + left)
            # What comes gives time for the rest, and never more than there was at first.
            came = len(message.get("body", b"")) / BODY_RATE
            left = min(BODY_SECONDS, left - (time.monotonic() - began) + came)
            whole = not message.get("more_body", False)
            return message

        return coming

    async def _awaited(self, receive: Receive, task: asyncio.Task[Any], until: float) -> Message:
        self.awaited[task] = until
        if not self.sweeping:
            self.sweeping = True
            asyncio.get_running_loop().call_later(SWEEP_SECONDS, self._sweep)
        try:
            return await receive()
        except asyncio.CancelledError:
            if task in self.awaited:
                raise
            task.uncancel()
            raise HTTPException(408, headers={"Connection": "close"}) from None
        finally:
            self.awaited.pop(task, None)

    def _sweep(self) -> None:
        """Cancel the receiving of bodies whose time is over."""
        now = time.monotonic()
        for task, until in list(self.awaited.items()):
            if until < now:
                del self.awaited[task]
                task.cancel()
        self.sweeping = bool(self.awaited)
        if self.sweeping:
            asyncio.get_running_loop().call_later(SWEEP_SECONDS, self._sweep)
