"""Faults under load, again and again: nothing acknowledged may be lost, and all is well afterwards.

    python benchmarks/server/drills.py [sqlite|postgresql …] [--drills kill,crash,restart,disk,lock,read-only]
                                       [--times 4] [--raters 30] [--think 0.3]

Raters work over real HTTP and send again what got no answer or a 503. Meanwhile

kill        `captious serve` is killed with SIGKILL and started anew
crash       PostgreSQL and all its processes are killed with it
restart     PostgreSQL is stopped and started, the server goes on
disk        for two seconds the disk of the tables is full (SQLite: no file of the server can grow)
lock        for two seconds another process holds the lock that every answer needs
read-only   for two seconds the database takes no writes (SQLite: its files cannot be changed)

In the end every acknowledged response must be stored, once, and every counter must be right.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import random
import sys
import time
from dataclasses import dataclass

from faults import DRILLS, ONLY, Fault, NotPossibleHereError, setting
from traffic.audit import Audit, audit
from traffic.campaign import prepare
from traffic.databases import Place, database
from traffic.raters import Habits, SimulatedRater, Tally
from traffic.server import Server

IMAGES = 1500


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


def run(
    place: Place, drill: str, *, times: int, raters: int, seed: int, think: float = 0.3, images: int = IMAGES
) -> Outcome:
    """One database through one drill."""
    with setting(place, drill):
        tokens = prepare(place, raters, images)
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
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
            try:
                with database(kind) as place:
                    found = run(
                        place,
                        drill,
                        times=asked.times,
                        raters=asked.raters,
                        seed=asked.seed,
                        think=asked.think,
                    )
            except NotPossibleHereError as error:
                print(f"{kind}, {drill}: not tried. {error}")
                continue
            show(kind, drill, found)
            good &= found.clean
    if not good:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
