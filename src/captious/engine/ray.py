"""The same work on a Ray cluster: blocks go to actors that load their metrics once."""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from captious.engine.shards.local import ENDED, TRIES, Do, Failure, attempt
from captious.errors import InputError, MissingDependencyError, one_line
from captious.files import WriteError
from captious.metrics import Metric
from captious.metrics.base import Resources

__all__ = ["RayEngine"]


# The Ray engine: an actor a processor (or GPU), a block at a time each, and lost ones replaced.
# An actor is one process that opens its metrics' weights once. It is told the `Work` once a step; then
# it is sent items, and what it answers is small, because parts are written to the run's folder by
# the actor itself. When an actor is lost, with its machine or alone, its item goes back to the queue
# and a new actor is asked for; it gets work once it has answered.


KNOCK_SECONDS = 10.0
_LOST = 5  # how often an item may be lost with its machine


class _Actor:
    """What runs on the cluster: holds the work of a step, and does items."""

    def __init__(self) -> None:
        self.step, self.work = -1, None

    def take(self, step: int, work: Any) -> int:
        """Hear of the work of a step."""
        self.step, self.work = step, work
        return step

    def do(self, do: Do, item: Any) -> Any:
        """Do one item of the step."""
        return attempt(do, self.work, item)


@dataclass(eq=False)
class _Seat:
    """An actor, whether it has answered yet, and what it is doing."""

    actor: Any
    ready: bool = False
    task: tuple[Any, int] | None = None


@dataclass
class RayEngine:
    """Runs items on the Ray cluster at `address`, or on one of this machine where there is none.

    `jobs` is the number of actors; 0 is as many as the cluster has room for.
    """

    address: str = ""
    jobs: int = 0
    metrics: Sequence[Metric] = ()
    name: str = "ray"
    _seats: list[_Seat] = field(default_factory=list)
    _step: int = 0
    _ours: bool = False

    def each(self, do: Do, work: Any, items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Each item with what `do` returned, or with a `Failure` once it has failed three times."""
        left = deque((item, 1) for item in items)
        if not left:
            return
        ray = self._started()
        self._step += 1
        shared = ray.put(work)
        self._fill(ray, min(self._room(ray), len(left)))
        waiting: dict[Any, _Seat] = {self._told(seat, shared): seat for seat in self._seats}
        while left or any(seat.task for seat in self._seats):
            for seat in self._seats:
                if seat.ready and seat.task is None and left:
                    seat.task = left.popleft()
                    waiting[seat.actor.do.remote(do, seat.task[0])] = seat
            (answer,), _ = ray.wait(list(waiting), num_returns=1)
            seat = waiting.pop(answer)
            found = _answer(ray, answer)
            if found is None:
                lost = self._lose(ray, seat, left, waiting, shared)
                if lost is not None:
                    yield lost
            elif seat.task is None:
                if isinstance(found, Failure):
                    raise InputError(f"an actor cannot start: {found.reason}")
                seat.ready = True
            else:
                (item, tries), seat.task = seat.task, None
                if isinstance(found, WriteError):
                    raise found
                if isinstance(found, Failure) and tries < TRIES:
                    left.append((item, tries + 1))
                else:
                    yield item, found

    def close(self) -> None:
        """End the actors, and the cluster where it was started for this run."""
        if not self._seats and not self._ours:
            return
        ray = installed()
        for seat in self._seats:
            ray.kill(seat.actor)
        self._seats = []
        if self._ours:
            ray.shutdown()
            self._ours = False

    def _told(self, seat: _Seat, shared: Any) -> Any:
        seat.ready = False
        return seat.actor.take.remote(self._step, shared)

    def _lose(
        self, ray: Any, seat: _Seat, left: deque[tuple[Any, int]], waiting: dict[Any, _Seat], shared: Any
    ) -> tuple[Any, Any] | None:
        """Put a lost actor's item back and ask for another actor; the item, where it is lost too often."""
        self._seats.remove(seat)
        new = _Seat(self._new_actor(ray))
        self._seats.append(new)
        waiting[self._told(new, shared)] = new
        if seat.task is None:
            return None
        item, tries = seat.task
        if tries >= max(TRIES, _LOST):
            return item, Failure(ENDED)
        left.appendleft((item, tries + 1))
        return None

    def _started(self) -> Any:
        ray = installed()
        if ray.is_initialized():
            return ray
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        options = {"log_to_driver": False, "logging_level": "error"}
        try:
            if self.address:
                _refuse_silence(self.address)
                ray.init(address=self.address, **options)
            else:
                ray.init(address="local", include_dashboard=False, **options)
        except (OSError, ValueError, RuntimeError) as error:
            reason = str(error).strip().split("\n", maxsplit=1)[0]
            raise InputError(
                f"--address {self.address}: no Ray cluster answers there ({reason}). Start one with "
                "`ray start --head`, or leave --address out."
            ) from None
        self._ours = True
        return ray

    def _asked(self) -> Resources:
        """What an actor needs: the most that any metric asks for."""
        each = [metric.resources() for metric in self.metrics] or [Resources()]
        return Resources(*(max(column) for column in zip(*each, strict=True)))

    def _room(self, ray: Any) -> int:
        if self.jobs:
            return self.jobs
        asked, there = self._asked(), ray.cluster_resources()
        room = there.get("CPU", 1.0) / asked.processors
        if asked.gpus:
            room = min(room, there.get("GPU", 0.0) / asked.gpus)
        if room < 1:
            raise InputError(
                f"the Ray cluster has {there.get('CPU', 0):g} CPUs and {there.get('GPU', 0):g} GPUs; "
                f"the metrics need {asked.processors:g} and {asked.gpus:g}. "
                "Add machines, or use metrics that need less."
            )
        return int(room)

    def _fill(self, ray: Any, wanted: int) -> None:
        while len(self._seats) < wanted:
            self._seats.append(_Seat(self._new_actor(ray)))

    def _new_actor(self, ray: Any) -> Any:
        asked = self._asked()
        options = {"num_cpus": asked.processors, "num_gpus": asked.gpus, "max_restarts": 0}
        return ray.remote(**options)(_Actor).remote()


def _answer(ray: Any, answer: Any) -> Any:
    """What an actor answered; None where it was lost."""
    try:
        return ray.get(answer)
    except ray.exceptions.RayTaskError as error:  # what `attempt` does not take for a failure
        return Failure(one_line(str(error.cause or error), 200))
    except ray.exceptions.RayError:
        return None


def installed() -> Any:
    """Ray, where it is installed."""
    try:
        import ray
    except ImportError:
        raise MissingDependencyError("the engine ray needs Ray", "ray") from None
    return ray


def _refuse_silence(address: str) -> None:
    """Try the port of an address first: Ray itself knocks for minutes where nobody is."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=KNOCK_SECONDS).close()
