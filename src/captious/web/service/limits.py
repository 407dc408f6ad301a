"""How much one request and one queue may hold."""

from __future__ import annotations

from dataclasses import dataclass

KIBIBYTE = 1024
MEBIBYTE = 1024 * KIBIBYTE


@dataclass(frozen=True)
class Limits:
    """What is over a limit is refused with 413, 422 or 429, never cut.

    Those of a request's parts are in its types (`requests.request`), which take them from `LIMITS`.

    `waiting` and `waiting_bytes` bound the queue, `together` the captions of one call of the engine,
    `seconds` the time that one call may take, `process_bytes` the memory at which the scoring process
    is replaced by a fresh one.
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
    seconds: float = 600.0
    process_bytes: int = 4096 * MEBIBYTE


LIMITS = Limits()
