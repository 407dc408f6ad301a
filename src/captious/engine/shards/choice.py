"""Which engine: this machine or a Ray cluster, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from captious.engine.shards.local import LocalEngine
from captious.engine.shards.survey import Engine
from captious.errors import InputError, UnknownNameError
from captious.metrics import Metric

EngineName = Literal["local", "ray"]
ENGINES = ("local", "ray")


def engine_of(name: str, jobs: int, address: str, metrics: Sequence[Metric]) -> Engine:
    """The engine of a name; a cluster is as large as it is unless `jobs` is more than 1."""
    if name not in ENGINES:
        raise UnknownNameError("engine", name, ENGINES)
    if jobs < 1:
        raise InputError(f"jobs is {jobs}; it must be at least 1.")
    if name == "ray":
        from captious.engine.ray import RayEngine, installed

        installed()
        return RayEngine(address, jobs if jobs > 1 else 0, tuple(metrics))
    if address:
        raise InputError("--address names a Ray cluster. Add --engine ray.")
    return LocalEngine(jobs)
