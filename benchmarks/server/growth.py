"""Samples of a server under steady load, and whether anything grows."""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import psutil

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
