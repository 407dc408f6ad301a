"""How a campaign holds up under many raters at once, over real HTTP.

    python benchmarks/server/campaign_load.py [sqlite|postgresql …] [--raters 64] [--think 0] [--seconds 20]
                                              [--protocol tagging|spans|thumb] [--workers 1]
                                              [--against ../older-release]
                                              [--against-python ../older-env/bin/python]

`captious serve` runs on one core; the raters, and PostgreSQL, on another. Printed: errors, responses
sent, acknowledged and stored (none may be lost or twice), the clock time of pages and of submits,
and the server's processor time for a page with its submit, which a busy machine stretches less than
the clock. With `--against` a server of another release (a checkout) takes turns with this one, a few
seconds each, and the ratios of throughput and of processor time are printed. It runs as its users
had it: in an environment of its own, made from its own files, whose interpreter is given with
`--against-python` (it needs psutil beside, for this script):

    git worktree add ../older-release COMMIT
    python -m venv ../older-env
    sed 's/\\[[^]]*\\]//' ../older-release/requirements-dev.txt > constraints.txt
    ../older-env/bin/pip install -c constraints.txt "../older-release[web]" psutil

Without that it runs in this environment, and packages that it did not ask for are hidden from it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from traffic.audit import audit
from traffic.campaign import ANSWERS, prepare
from traffic.databases import Place, database, postgresql_processor
from traffic.raters import Habits, SimulatedRater, Tally
from traffic.server import Server, one_core_each

TARGET = 150.0  # milliseconds, p95 of a submit
IMAGES = 1500
TURN = 10.0  # seconds for each release before the other's turn


@dataclass
class Side:
    """One release under load: its server, its raters and what they saw."""

    name: str
    server: Server
    tokens: list[str]
    tally: Tally = field(default_factory=lambda: Tally(measuring=False))
    busy: float = 0.0
    busy_database: float = 0.0
    seconds: float = 0.0

    @property
    def cycles(self) -> int:
        """Pages with their submits while it was measured."""
        return max(1, len(self.tally.submits))

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.cycles / self.seconds

    @property
    def cost(self) -> float:
        """The server's milliseconds of processor for a page and a submit."""
        return self.busy / self.cycles * 1000

    @property
    def database_cost(self) -> float:
        """PostgreSQL's milliseconds of processor for the same."""
        return self.busy_database / self.cycles * 1000

    async def turn(self, habits: Habits, seconds: float, ramp: float) -> None:
        """Let all raters come in and work; only what follows their coming in is measured."""
        stop = asyncio.Event()

        async def come(at: int, token: str) -> None:
            await asyncio.sleep(ramp * at / len(self.tokens))
            rater = SimulatedRater(self.server.port, token, self.tally, habits, seed=at)
            rater.browser.cookies.update(self.tally.cookies.get(token, {}))
            await rater.run(stop, joined=token in self.tally.cookies)
            self.tally.cookies[token] = rater.browser.cookies

        tasks = [asyncio.create_task(come(at, token)) for at, token in enumerate(self.tokens)]
        await asyncio.sleep(ramp + habits.think)
        while self.tally.joined < len(self.tokens) and not self.tally.errors:
            await asyncio.sleep(0.05)
        place = self.server.place
        self.tally.measuring, busy, start = True, self.server.processor(), time.perf_counter()
        busy_database = postgresql_processor(place)
        await asyncio.sleep(seconds)
        self.tally.measuring = False
        self.busy += self.server.processor() - busy
        self.busy_database += postgresql_processor(place) - busy_database
        self.seconds += time.perf_counter() - start
        stop.set()
        await asyncio.gather(*tasks)


def percentiles(times: list[float]) -> str:
    if len(times) < 2:
        return "too few"
    cuts = statistics.quantiles(times, n=100)
    return f"p50 {cuts[49]:6.1f} ms  p95 {cuts[94]:6.1f} ms  p99 {cuts[98]:6.1f} ms"


def show(side: Side, asked: argparse.Namespace) -> bool:
    """Print one side's figures; whether nothing was lost, twice or an error."""
    tally, found = side.tally, audit(side.server.place, side.tally)
    p95 = statistics.quantiles(tally.submits, n=20)[-1] if side.cycles > 1 else float("nan")
    print(
        f"{side.server.place.kind}, {side.name}: {asked.raters} raters, {asked.think:g} s of thinking, "
        f"{asked.workers} server process(es), {side.seconds:.0f} s; load {os.getloadavg()[0]:.1f}\n"
        f"  errors {len(tally.errors)} {sorted(set(tally.errors))[:5]}; sent twice on purpose "
        f"{tally.resent}; connections that ended {tally.hung_up}\n"
        f"  sent {len(tally.sent)}, acknowledged {len(tally.acknowledged)}, stored {found.stored}, "
        f"lost {found.lost}, twice {found.twice}, unknown {found.unknown}, "
        f"miscounted {found.miscounted}\n"
        f"  submit {percentiles(tally.submits)}   ({side.rate:.1f} a second)\n"
        f"  page   {percentiles(tally.pages)}\n"
        f"  processor for a page and a submit: server {side.cost:.2f} ms, "
        f"PostgreSQL {side.database_cost:.2f} ms\n"
        f"  p95 of submit is {p95 / TARGET:.2f} times the target of {TARGET:.0f} ms",
        flush=True,
    )
    return found.clean and not tally.errors


async def take_turns(sides: list[Side], asked: argparse.Namespace) -> None:
    """Each side a few seconds, then the other, until each has had its time."""
    habits = Habits(think=asked.think, resend=asked.resend, protocol=asked.protocol)
    ramp = asked.ramp if asked.ramp is not None else asked.raters / 50
    slices = [asked.seconds] if len(sides) == 1 else [TURN] * max(1, round(asked.seconds / TURN))
    for seconds in slices:
        for side in sides:
            await side.turn(habits, seconds, ramp if side.tally.joined < len(side.tokens) else 0.0)


def run(kind: str, asked: argparse.Namespace, core: int | None) -> bool:
    """One engine's figures, and the ratio to the other release."""
    releases: list[tuple[str, Path | None]] = [("this release", None)]
    if asked.against:
        releases.insert(0, (f"{asked.against}", Path(asked.against).resolve() / "src"))
    with ExitStack() as stack:
        sides = []
        for name, source in releases:
            place: Place = stack.enter_context(database(kind))
            python = sys.executable if source is None else asked.against_python
            tokens = prepare(place, asked.raters, asked.images, source, python, asked.protocol)
            server = Server(place, asked.workers, source=source, core=core, python=python)
            server.start()
            stack.callback(server.stop)
            sides.append(Side(name, server, tokens))
        mine = time.process_time()
        with asyncio.Runner(loop_factory=_loop()) as runner:
            runner.run(take_turns(sides, asked))
        mine = time.process_time() - mine
        shown = [show(side, asked) for side in sides]
        print(f"  raters' processor {mine / sum(side.cycles for side in sides) * 1000:.2f} ms")
        if asked.against:
            old, new = sides
            print(
                f"{kind}: {new.rate / old.rate:.1f} times the throughput, "
                f"{old.cost / new.cost:.1f} times less of the server's processor for an answer, "
                f"{(old.cost + old.database_cost) / (new.cost + new.database_cost):.1f} times less with "
                f"the database's",
                flush=True,
            )
    return all(shown)


def _loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("engines", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--raters", type=int, default=64)
    parser.add_argument("--protocol", choices=list(ANSWERS), default="tagging")
    parser.add_argument("--think", type=float, default=0.0, help="mean seconds")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--ramp", type=float, help="seconds in which the raters come in")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--resend", type=float, default=0.01, help="share of submits sent twice")
    parser.add_argument("--against", help="the checkout of another release, measured in the same run")
    parser.add_argument(
        "--against-python", default=sys.executable, help="the interpreter of that release's environment"
    )
    asked = parser.parse_args()
    core = one_core_each()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {sys.platform}")
    good = True
    for kind in asked.engines:
        good &= run(kind, asked, core)
    if not good:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
