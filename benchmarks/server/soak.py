"""Half the load that a server takes, for long: do memory, descriptors or latency grow?

    python benchmarks/server/soak.py campaigns [sqlite|postgresql] [--minutes 60] [--raters 64] [--load 0.5]
    python benchmarks/server/soak.py scoring [--metrics bleu4,rouge_l,lm] [--minutes 60]
                                     [--clients 64] [--load 0.5]

First the server is driven as hard as it goes for a while; then clients pause between requests so that the
given share of that throughput is asked for. Every minute a sample is printed: memory (of the server and of
its scoring process), descriptors, p50 and p95 of a request, and its processor time in the server (with its
scoring process, or PostgreSQL), which other work on the machine disturbs least. At the end comes the slope of
each in the second half of the run, as a share of its mean over an hour, and a verdict: none may grow by more
than a tenth.
Captions are never sent twice, so that nothing is answered from what was seen. What the scoring process
remembers of words fills and is emptied for the first time within its first 70,000 captions: the verdict is
about the service only where the first half of the run had more.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from pathlib import Path

import uvloop

from growth import Sample, Traffic, figures, half_load, used, verdict, watch
from scoring_service import Service, body_of, examples
from traffic.audit import audit
from traffic.browser import Wire
from traffic.campaign import prepare
from traffic.databases import Place, database, postgresql_processes
from traffic.raters import Habits, SimulatedRater, Tally
from traffic.server import Server

IMAGES = 40_000
DISTINCT_AT_ONCE = 512


async def soak_scoring(service: Service, asked: argparse.Namespace) -> list[Sample]:
    """Clients of the scoring service, each with one connection and one caption a request."""
    traffic, metrics = Traffic(), asked.metrics.split(",")
    numbers = iter(range(10**9))
    ready: list[bytes] = []

    def body() -> bytes:
        if not ready:
            first = next(numbers) * DISTINCT_AT_ONCE
            ready.extend(body_of(one, metrics) for one in examples(DISTINCT_AT_ONCE, first=first))
        return ready.pop()

    async def client(at: int) -> None:
        loop, chance = asyncio.get_running_loop(), random.Random(at)
        wire: Wire | None = None
        head = b"POST /api/v1/score HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        while True:
            if wire is None or wire.closed:
                _, wire = await loop.create_connection(Wire, "127.0.0.1", service.port)
            sent, start = body(), time.perf_counter()
            waiting = wire.waiting = loop.create_future()
            wire.write(head + b"Content-Length: %d\r\n\r\n" % len(sent) + sent)
            answer, content = await waiting
            if not answer.startswith(b"HTTP/1.1 200"):
                raise SystemExit(content.decode())
            traffic.note(time.perf_counter() - start)
            if traffic.pause:
                await asyncio.sleep(traffic.pause * chance.uniform(0.5, 1.5))

    def look() -> dict[str, float]:
        web, scoring = service.processes()
        return figures(web, scoring)

    tasks = await half_load(client, asked.clients, traffic, asked.load)
    samples = await watch(traffic, look, lambda: used(service.processes()), asked.minutes, asked.every)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return samples


class Noted(list[float]):
    """The times of a tally, which counts in milliseconds, on their way to the traffic."""

    def __init__(self, traffic: Traffic) -> None:
        super().__init__()
        self.traffic = traffic

    def append(self, value: float) -> None:
        """One submit."""
        self.traffic.note(value / 1000)


async def soak_campaigns(
    server: Server, place: Place, tokens: list[str], asked: argparse.Namespace
) -> tuple[list[Sample], Tally]:
    """Raters of a campaign who submit, think and go on."""
    traffic = Traffic()
    tally = Tally(submits=Noted(traffic), pages=Discarded())
    habits, stop = Habits(think=0.0, resend=0.0), asyncio.Event()

    async def client(at: int) -> None:
        await SimulatedRater(server.port, tokens[at], tally, habits, seed=at).run(stop)

    def look() -> dict[str, float]:
        assert server.process is not None
        return figures(server.process.pid, None)

    def processor() -> dict[int, float]:
        assert server.process is not None
        return used([server.process.pid, *postgresql_processes(place)])

    tasks = await half_load(client, len(tokens), traffic, asked.load)
    habits.think = traffic.pause
    samples = await watch(traffic, look, processor, asked.minutes, asked.every)
    stop.set()
    await asyncio.gather(*tasks)
    return samples, tally


class Discarded(list[float]):
    """Keeps nothing."""

    def append(self, value: float) -> None:
        """Forget it."""


def campaigns(asked: argparse.Namespace) -> bool:
    """The web application under raters; in the end what was acknowledged must be stored."""
    with database(asked.engine) as place:
        tokens = prepare(place, asked.raters, asked.images)
        server = Server(place)
        server.start()
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                samples, tally = runner.run(soak_campaigns(server, place, tokens, asked))
        finally:
            server.stop()
        found = audit(place, tally)
    print(
        f"acknowledged {len(tally.acknowledged)}, stored {found.stored}, lost {found.lost}, "
        f"twice {found.twice}, errors {sorted(set(tally.errors))[:5]}, "
        f"raters who ran out of work {tally.finished}"
    )
    return verdict(samples) and found.clean and not tally.errors and not tally.finished


def scoring(asked: argparse.Namespace) -> bool:
    """The scoring service."""
    with tempfile.TemporaryDirectory() as folder:
        service = Service(asked.metrics, Path(folder))
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                samples = runner.run(soak_scoring(service, asked))
        finally:
            service.stop()
    return verdict(samples)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["campaigns", "scoring"])
    parser.add_argument("engine", nargs="?", default="sqlite", choices=["sqlite", "postgresql"])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--every", type=float, default=60.0, help="seconds between samples")
    parser.add_argument("--load", type=float, default=0.5, help="share of what the server takes at most")
    parser.add_argument("--raters", type=int, default=64)
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--metrics", default="bleu4,rouge_l,lm")
    asked = parser.parse_args()
    if not (campaigns if asked.what == "campaigns" else scoring)(asked):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
