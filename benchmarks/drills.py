"""Faults under load, again and again: nothing acknowledged may be lost, and all is well afterwards.

    python benchmarks/drills.py [sqlite|postgresql …] [--drills kill,crash,disk,lock,read-only]
                                [--times 4] [--raters 30] [--think 0.3]

Raters work over real HTTP and send again what got no answer or a 503. Meanwhile

kill        `captious serve` is killed with SIGKILL and started anew
crash       PostgreSQL and all its processes are killed with it
disk        for two seconds the server cannot make its files longer (SQLite: as on a full disk)
lock        for two seconds another process holds the lock that every answer needs
read-only   for two seconds PostgreSQL takes no writes

In the end every acknowledged response must be stored, once, and every counter must be right.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import random
import resource
import signal
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import psutil
import sqlalchemy as sa

from campaign_traffic import (
    Audit,
    Habits,
    Place,
    Server,
    SimulatedRater,
    Tally,
    audit,
    database,
    prepare,
    start_postgresql,
    stop_postgresql,
)
from captious.campaigns.store.database import database_url

IMAGES = 1500
FAULT_SECONDS = 2.0
SMALL = 64 * 1024  # bytes: every database is longer, so no page can be added
Fault = Callable[[Server], Awaitable[None]]


async def kill(server: Server) -> None:
    """The server is gone at once, and comes back."""
    server.stop(signal.SIGKILL)
    await asyncio.to_thread(server.start)


async def crash(server: Server) -> None:
    """The server and PostgreSQL are gone at once, and come back."""
    server.stop(signal.SIGKILL)
    await asyncio.to_thread(stop_postgresql, server.place.folder, signal.SIGKILL)
    await asyncio.to_thread(start_postgresql, server.place.folder)
    await asyncio.to_thread(server.start)


async def disk(server: Server) -> None:
    """No file of the server grows."""
    assert server.process is not None
    own = psutil.Process(server.process.pid)
    processes = [own.pid, *(one.pid for one in own.children(recursive=True))]
    before = [resource.prlimit(pid, resource.RLIMIT_FSIZE) for pid in processes]
    for pid, (_, hard) in zip(processes, before, strict=True):
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (SMALL, hard))
    await asyncio.sleep(FAULT_SECONDS)
    for pid, limits in zip(processes, before, strict=True):
        resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)


async def lock(server: Server) -> None:
    """Another has what every answer needs."""
    if server.place.kind == "sqlite":
        other = sqlite3.connect(server.place.url, timeout=30, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        await asyncio.sleep(FAULT_SECONDS)
        other.execute("ROLLBACK")
        other.close()
        return
    engine = sa.create_engine(database_url(server.place.url))
    with engine.begin() as connection:
        connection.exec_driver_sql("LOCK TABLE response IN ACCESS EXCLUSIVE MODE")
        await asyncio.sleep(FAULT_SECONDS)
    engine.dispose()


async def read_only(server: Server) -> None:
    """PostgreSQL takes no writes."""
    engine = sa.create_engine(database_url(server.place.url), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("ALTER SYSTEM SET default_transaction_read_only = on")
        connection.exec_driver_sql("SELECT pg_reload_conf()")
        await asyncio.sleep(FAULT_SECONDS)
        connection.exec_driver_sql("SET default_transaction_read_only = off")
        connection.exec_driver_sql("ALTER SYSTEM RESET default_transaction_read_only")
        connection.exec_driver_sql("SELECT pg_reload_conf()")
    engine.dispose()


DRILLS: dict[str, Fault] = {"kill": kill, "crash": crash, "disk": disk, "lock": lock, "read-only": read_only}
# What a file that is open cannot suffer, and what is PostgreSQL's own.
ONLY = {"crash": "postgresql", "read-only": "postgresql", "disk": "sqlite"}


@dataclass
class Outcome:
    """What a drill left behind."""

    tally: Tally
    audit: Audit
    times: int
    seconds: float

    @property
    def clean(self) -> bool:
        """Whether all is as it should be."""
        return self.audit.clean and not self.tally.errors


async def torment(
    server: Server, tokens: list[str], fault: Fault, times: int, habits: Habits, seed: int
) -> Tally:
    """Let raters work and bring the fault about, each time after some more answers."""
    tally, stop, chance = Tally(), asyncio.Event(), random.Random(seed)
    tasks = [
        asyncio.create_task(SimulatedRater(server.port, token, tally, habits, seed=at).run(stop))
        for at, token in enumerate(tokens)
    ]
    for _ in range(times):
        await _acknowledged(tally, chance.randint(1, len(tokens)))
        await asyncio.sleep(chance.uniform(0.0, 0.5))
        await fault(server)
    await _acknowledged(tally, len(tokens))
    stop.set()
    await asyncio.gather(*tasks)
    return tally


async def _acknowledged(tally: Tally, more: int) -> None:
    """Wait until raters have got some more answers."""
    wanted = len(tally.acknowledged) + more
    until = time.monotonic() + 120
    while len(tally.acknowledged) < wanted:
        if time.monotonic() > until:
            raise SystemExit(f"nobody is answered any more: {tally.errors[:5]}")
        await asyncio.sleep(0.01)


def run(place: Place, drill: str, *, times: int, raters: int, seed: int, think: float = 0.3) -> Outcome:
    """One database through one drill."""
    tokens = prepare(place, raters, IMAGES)
    server = Server(place)
    start = time.monotonic()
    server.start()
    habits = Habits(think=think, resend=0.05, patient=True)
    try:
        tally = asyncio.run(torment(server, tokens, DRILLS[drill], times, habits, seed))
    finally:
        server.stop()
    return Outcome(tally, audit(place, tally), times, time.monotonic() - start)


def show(kind: str, drill: str, found: Outcome) -> None:
    tally, stored = found.tally, found.audit
    print(
        f"{kind}, {drill}: {found.times} times in {found.seconds:.0f} s; sent {len(tally.sent)}, "
        f"acknowledged {len(tally.acknowledged)}, stored {stored.stored}; requests without an "
        f"answer {tally.hung_up}, told to come back {tally.told_to_wait}, sent twice on purpose "
        f"{tally.resent}\n"
        f"  lost {stored.lost}, twice {stored.twice}, unknown {stored.unknown}, miscounted "
        f"{stored.miscounted}, errors {sorted(set(tally.errors))}: "
        f"{'all there, once' if found.clean else 'NOT as it should be'}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engines", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--drills", default=",".join(DRILLS))
    parser.add_argument("--times", type=int, default=4)
    parser.add_argument("--raters", type=int, default=30)
    parser.add_argument("--think", type=float, default=0.3, help="mean seconds")
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {sys.platform}")
    good = True
    for kind in asked.engines:
        for drill in asked.drills.split(","):
            if ONLY.get(drill, kind) != kind:
                continue
            with database(kind) as place:
                found = run(
                    place, drill, times=asked.times, raters=asked.raters, seed=asked.seed, think=asked.think
                )
            show(kind, drill, found)
            good &= found.clean
    if not good:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
