"""What a scoring service must be told, from the command line or the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

KIBIBYTE = 1024
MEBIBYTE = 1024 * KIBIBYTE


@dataclass(frozen=True)
class Limits:
    """What is over a limit is refused with 413, 422 or 429, never cut.

    Those of a request's parts are in its types (`requests.request`), which take them from `LIMITS`.

    `waiting` and `waiting_bytes` bound the queue, `together` the captions of one call of the engine,
    `seconds` the time that one call may take, `process_bytes` the memory at which the scoring process
    is replaced by a fresh one. A request of more than `small_words` words, times metrics, or with pictures
    goes to a process of its own kind, so that small ones never wait for it.
    """

    body_bytes: int = 8 * MEBIBYTE
    upload_bytes: int = 64 * MEBIBYTE
    captions: int = 10_000
    text_characters: int = 5_000
    references: int = 100
    objects: int = 1_000
    metrics: int = 20
    pictures: int = 64
    picture_bytes: int = 16 * MEBIBYTE
    pixels: int = 40_000_000
    resamples: int = 10_000
    waiting: int = 1_000
    waiting_bytes: int = 256 * MEBIBYTE
    together: int = 512
    small_words: int = 5_000
    seconds: float = 600.0
    process_bytes: int = 4096 * MEBIBYTE


LIMITS = Limits()


METRICS = "CAPTIOUS_SCORING"
FOLDER = "CAPTIOUS_SCORING_FOLDER"
OPEN = "CAPTIOUS_SCORING_OPEN"
ONLY = "CAPTIOUS_SCORING_ONLY"
DEFAULT_FOLDER = "captious-scoring"
BESIDE_RATERS = 5


@dataclass(frozen=True)
class ServiceSettings:
    """What a service must be told. `open_to_all`: requests without a token are served too.

    `metrics` is what is offered, as `--metrics` of `captious score` would name it; `nice` lowers the
    priority of the scoring process where raters share the machine with it.
    """

    metrics: str
    folder: Path
    open_to_all: bool = False
    nice: int = 0
    limits: Limits = LIMITS


def from_environment() -> ServiceSettings | None:
    """The service that the environment asks for; None for none."""
    metrics = os.environ.get(METRICS, "")
    if not metrics:
        return None
    return ServiceSettings(
        metrics,
        Path(os.environ.get(FOLDER, "") or DEFAULT_FOLDER),
        open_to_all=os.environ.get(OPEN, "") == "1",
        nice=0 if is_alone() else BESIDE_RATERS,
    )


def is_alone() -> bool:
    """Whether the service runs without campaigns."""
    return os.environ.get(ONLY, "") == "1"


def to_environment(settings: ServiceSettings, *, alone: bool) -> None:
    """Tell the server processes, which read the environment."""
    os.environ[METRICS] = settings.metrics
    os.environ[FOLDER] = str(settings.folder)
    os.environ[OPEN] = "1" if settings.open_to_all else "0"
    os.environ[ONLY] = "1" if alone else "0"
