"""How a campaign holds up under many raters at once, over real HTTP.

    python benchmarks/campaign_load.py [sqlite|postgresql …] [--raters 200] [--think 2]
                                       [--seconds 60] [--workers 1]

`captious serve` runs in its own process; this process plays the raters. Printed: errors, responses
sent, acknowledged and stored (none may be lost or twice), the clock time of pages and of submits,
and the server's processor time, which a busy machine stretches less than the clock.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import statistics
import sys
import time

from campaign_traffic import Habits, Place, Server, SimulatedRater, Tally, audit, database, prepare

TARGET = 150.0  # milliseconds, p95 of a submit on PostgreSQL
IMAGES = 1500


async def play(
    server: Server, tokens: list[str], habits: Habits, seconds: float, ramp: float
) -> tuple[Tally, float]:
    """Let all raters work for some seconds after they have come in; also the server's seconds."""
    tally = Tally(measuring=False)
    stop = asyncio.Event()

    async def come(at: int, token: str) -> None:
        await asyncio.sleep(ramp * at / len(tokens))
        await SimulatedRater(server.port, token, tally, habits, seed=at).run(stop)

    tasks = [asyncio.create_task(come(at, token)) for at, token in enumerate(tokens)]
    await asyncio.sleep(ramp + habits.think)
    tally.measuring, busy = True, server.processor()
    await asyncio.sleep(seconds)
    tally.measuring, busy = False, server.processor() - busy
    stop.set()
    await asyncio.gather(*tasks)
    return tally, busy


def percentiles(times: list[float]) -> str:
    if len(times) < 2:
        return "too few"
    cuts = statistics.quantiles(times, n=100)
    return f"p50 {cuts[49]:6.1f} ms  p95 {cuts[94]:6.1f} ms  p99 {cuts[98]:6.1f} ms"


def run(place: Place, asked: argparse.Namespace) -> bool:
    """Print one engine's figures; whether nothing was lost, twice or an error."""
    tokens = prepare(place, asked.raters, IMAGES)
    server = Server(place, asked.workers)
    server.start()
    habits = Habits(think=asked.think)
    ramp = asked.ramp if asked.ramp is not None else asked.raters / 20
    before, mine = os.getloadavg()[0], time.process_time()
    try:
        tally, busy = asyncio.run(play(server, tokens, habits, asked.seconds, ramp))
    finally:
        server.stop()
    found = audit(place, tally)
    mine = time.process_time() - mine
    cycles = max(1, len(tally.submits))
    p95 = statistics.quantiles(tally.submits, n=20)[-1] if cycles > 1 else float("nan")
    print(
        f"{place.kind}: {asked.raters} raters, {asked.think:g} s of thinking, {asked.workers} "
        f"server process(es), {asked.seconds:g} s; load {before:.1f} before, "
        f"{os.getloadavg()[0]:.1f} after\n"
        f"  errors {len(tally.errors)} {sorted(set(tally.errors))[:5]}; sent twice on purpose "
        f"{tally.resent}; connections that ended {tally.hung_up}\n"
        f"  sent {len(tally.sent)}, acknowledged {len(tally.acknowledged)}, stored {found.stored}, "
        f"lost {found.lost}, twice {found.twice}, unknown {found.unknown}, "
        f"miscounted {found.miscounted}\n"
        f"  submit {percentiles(tally.submits)}   ({cycles / asked.seconds:.1f} a second)\n"
        f"  page   {percentiles(tally.pages)}\n"
        f"  server's processor {busy / cycles * 1000:.1f} ms for a page and a submit; "
        f"raters' {mine / max(1, len(tally.acknowledged)) * 1000:.1f} ms\n"
        f"  p95 of submit is {p95 / TARGET:.2f} times the target of {TARGET:.0f} ms",
        flush=True,
    )
    return found.clean and not tally.errors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engines", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--raters", type=int, default=200)
    parser.add_argument("--think", type=float, default=2.0, help="mean seconds")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--ramp", type=float, help="seconds in which the raters come in")
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {sys.platform}")
    good = True
    for kind in asked.engines:
        with database(kind) as place:
            good &= run(place, asked)
    if not good:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
