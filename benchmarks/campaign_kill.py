"""Kill the server in the middle of its work, again and again: nothing acknowledged may be lost.

    python benchmarks/campaign_kill.py [sqlite|postgresql|crash …] [--kills 20] [--raters 30]

Raters work over real HTTP and send again what got no answer. At random moments `captious serve` is
killed with SIGKILL and started anew; with `crash` PostgreSQL and all its processes are killed with
it. In the end every acknowledged response must be stored, once, and every counter must be right.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import random
import signal
import sys
import time
from dataclasses import dataclass

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

IMAGES = 1500
CRASH = "crash"


@dataclass
class Outcome:
    """What a run of kills left behind."""

    tally: Tally
    audit: Audit
    kills: int
    unanswered: int
    seconds: float

    @property
    def clean(self) -> bool:
        """Whether all is as it should be."""
        return self.audit.clean and not self.tally.errors


async def torment(
    server: Server, tokens: list[str], kills: int, seed: int, *, crash: bool
) -> tuple[Tally, int]:
    """Kill and start the server while raters work; also how often someone got no answer."""
    tally, stop, chance = Tally(), asyncio.Event(), random.Random(seed)
    habits = Habits(think=0.3, resend=0.05, patient=True)
    tasks = [
        asyncio.create_task(SimulatedRater(server.port, token, tally, habits, seed=at).run(stop))
        for at, token in enumerate(tokens)
    ]
    for _ in range(kills):
        await _acknowledged(tally, chance.randint(1, len(tokens)))
        await asyncio.sleep(chance.uniform(0.0, 0.5))
        server.stop(signal.SIGKILL)
        if crash:
            await asyncio.to_thread(stop_postgresql, server.place.folder, signal.SIGKILL)
            await asyncio.to_thread(start_postgresql, server.place.folder)
        await asyncio.to_thread(server.start)
    await _acknowledged(tally, len(tokens))
    stop.set()
    await asyncio.gather(*tasks)
    return tally, tally.hung_up


async def _acknowledged(tally: Tally, more: int) -> None:
    """Wait until raters have got some more answers."""
    wanted = len(tally.acknowledged) + more
    until = time.monotonic() + 120
    while len(tally.acknowledged) < wanted:
        if time.monotonic() > until:
            raise SystemExit(f"nobody is answered any more: {tally.errors[:5]}")
        await asyncio.sleep(0.01)


def run(place: Place, *, kills: int, raters: int, seed: int, crash: bool = False) -> Outcome:
    """One database through all its kills."""
    tokens = prepare(place, raters, IMAGES)
    server = Server(place)
    start = time.monotonic()
    server.start()
    try:
        tally, unanswered = asyncio.run(torment(server, tokens, kills, seed, crash=crash))
    finally:
        server.stop()
    return Outcome(tally, audit(place, tally), kills, unanswered, time.monotonic() - start)


def show(kind: str, found: Outcome) -> None:
    tally, stored = found.tally, found.audit
    print(
        f"{kind}: killed {found.kills} times in {found.seconds:.0f} s; sent {len(tally.sent)}, "
        f"acknowledged {len(tally.acknowledged)}, stored {stored.stored}; requests without an "
        f"answer {found.unanswered}, sent twice on purpose {tally.resent}\n"
        f"  lost {stored.lost}, twice {stored.twice}, unknown {stored.unknown}, miscounted "
        f"{stored.miscounted}, errors {sorted(set(tally.errors))}: "
        f"{'all there, once' if found.clean else 'NOT as it should be'}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engines", nargs="*", default=["sqlite", "postgresql", CRASH])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--raters", type=int, default=30)
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {sys.platform}")
    good = True
    for kind in asked.engines:
        with database("postgresql" if kind == CRASH else kind) as place:
            found = run(place, kills=asked.kills, raters=asked.raters, seed=asked.seed, crash=kind == CRASH)
            show(kind, found)
            good &= found.clean
    if not good:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
