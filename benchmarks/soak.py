"""Half the load that a server takes, for long: do memory, descriptors or latency grow?

    python benchmarks/soak.py campaigns [sqlite|postgresql] [--minutes 60] [--raters 64] [--load 0.5]
    python benchmarks/soak.py scoring [--metrics bleu4,rouge_l,lm] [--minutes 60] [--clients 64] [--load 0.5]

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
import os
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil
import uvloop

from campaign_traffic import (
    Habits,
    Place,
    Server,
    SimulatedRater,
    Tally,
    Wire,
    audit,
    database,
    postgresql_processes,
    prepare,
)
from scoring_service import Service, body_of, examples

MOST_GROWTH = 0.10  # of the mean, in an hour
SMALL = {
    "server MB": 4.0,
    "scoring MB": 4.0,
    "descriptors": 4.0,
    "p50 ms": 1.0,
    "p95 ms": 10.0,
    "processor ms": 0.1,
}
CALIBRATION_SECONDS = 15.0
IMAGES = 40_000
DISTINCT_AT_ONCE = 512


@dataclass
class Traffic:
    """What clients have seen since the last sample, and how long they pause between requests."""

    pause: float = 0.0
    times: list[float] = field(default_factory=list)
    requests: int = 0

    def note(self, seconds: float) -> None:
        """One request was answered."""
        self.times.append(seconds * 1000)
        self.requests += 1


class Sample(NamedTuple):
    """One minute."""

    seconds: float
    values: dict[str, float]
    rate: float


class Growth(NamedTuple):
    """How a figure went: its mean, and by how much of it it grows in an hour."""

    mean: float
    share: float
    grows: bool


def growth(name: str, seconds: list[float], values: list[float]) -> Growth:
    """The slope of a figure (least squares), and whether it is more than noise or nothing.

    >>> found = growth("server MB", [0, 1800, 3600], [100, 100, 101])
    >>> round(found.mean, 2), round(found.share, 4), found.grows
    (100.33, 0.01, False)
    >>> growth("server MB", [0, 1800, 3600], [100, 115, 130]).grows
    True
    """
    hourly = float(np.polyfit(seconds, values, 1)[0]) * 3600
    mean = statistics.fmean(values)
    share = hourly / mean if mean else 0.0
    # What it would be in an hour at this pace, and what it has been in this run.
    risen = hourly * (seconds[-1] - seconds[0]) / 3600
    return Growth(mean, share, share > MOST_GROWTH and risen > SMALL[name])


def figures(process: int, scoring: int | None) -> dict[str, float]:
    """Memory and descriptors of the server, and memory of its scoring process.

    Analyses for a lead's pages run in processes of their own, which end; they are not counted.
    """
    own = psutil.Process(process)
    found = {"server MB": own.memory_info().rss / 2**20, "descriptors": float(own.num_fds())}
    if scoring is not None:
        found["scoring MB"] = psutil.Process(scoring).memory_info().rss / 2**20
    return found


def used(processes: Iterable[int]) -> dict[int, float]:
    """Seconds of the processor that each of these processes has used, without its children."""
    found = {}
    for one in processes:
        with suppress(psutil.NoSuchProcess):
            times = psutil.Process(one).cpu_times()
            found[one] = float(times.user + times.system)
    return found


async def watch(
    traffic: Traffic,
    look: Callable[[], dict[str, float]],
    processor: Callable[[], dict[int, float]],
    minutes: float,
    every: float,
) -> list[Sample]:
    """A sample a minute, printed as it comes."""
    samples: list[Sample] = []
    began = time.monotonic()
    while time.monotonic() - began < minutes * 60:
        traffic.times.clear()
        start, before, spent = time.monotonic(), traffic.requests, processor()
        await asyncio.sleep(every)
        values = await asyncio.to_thread(look)
        # Only processes that were there all the time: others are of analyses that come and go.
        took = sum(now - spent[one] for one, now in processor().items() if one in spent)
        values["processor ms"] = took * 1000 / max(1, traffic.requests - before)
        cuts = statistics.quantiles(traffic.times, n=20) if len(traffic.times) > 1 else [float("nan")] * 19
        values |= {"p50 ms": cuts[9], "p95 ms": cuts[18]}
        rate = (traffic.requests - before) / (time.monotonic() - start)
        samples.append(Sample(time.monotonic() - began, values, rate))
        shown = "  ".join(f"{name} {value:8.1f}" for name, value in values.items())
        print(f"{samples[-1].seconds / 60:6.1f} min {rate:7.1f} requests a second  {shown}", flush=True)
    return samples


def verdict(samples: list[Sample]) -> bool:
    """Print the slopes of the second half; whether nothing grows."""
    late = samples[len(samples) // 2 :] if len(samples) > 3 else samples
    good = True
    for name in samples[0].values:
        found = growth(name, [one.seconds for one in late], [one.values[name] for one in late])
        good &= not found.grows
        says = "GROWS" if found.grows else "steady"
        print(f"{name:12s} mean {found.mean:8.1f}, {found.share:+.1%} of it an hour: {says}")
    rate = statistics.fmean(one.rate for one in samples)
    print(f"{rate * samples[-1].seconds:,.0f} requests: " + ("nothing grows" if good else "something GROWS"))
    return good


async def half_load(
    client: Callable[[int], Awaitable[None]], count: int, traffic: Traffic, share: float
) -> list[asyncio.Task[None]]:
    """Start the clients, measure what they get without pausing, and let them pause for the share."""
    tasks = [asyncio.ensure_future(client(at)) for at in range(count)]
    await asyncio.sleep(CALIBRATION_SECONDS / 3)
    before, start = traffic.requests, time.monotonic()
    await asyncio.sleep(CALIBRATION_SECONDS)
    rate = (traffic.requests - before) / (time.monotonic() - start)
    latency = statistics.fmean(traffic.times[-1000:] or [0.0]) / 1000
    # Little's law: so many clients, each with a request under way or pausing, ask this often.
    traffic.pause = max(0.0, count / (rate * share) - latency)
    print(f"at most {rate:.1f} requests a second (load {os.getloadavg()[0]:.1f}); now {share:.0%} of that")
    return tasks


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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
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
