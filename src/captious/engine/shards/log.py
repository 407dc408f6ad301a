"""The log of finished blocks: a line for each, by the hash of everything that its scores depend on."""

from __future__ import annotations

from dataclasses import fields
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from captious._version import __version__
from captious.engine.shards.folder import Folder
from captious.metrics import Metric
from captious.metrics.base import package_fact

LOG = "log.jsonl"


class Done(NamedTuple):
    """A finished block: its part, captions and bytes."""

    part: str
    rows: int
    size: int


def read_log(folder: Folder) -> dict[str, Done]:
    """Finished blocks by key; a last line that was cut off is passed over."""
    found = {}
    for line in folder.lines(LOG):
        try:
            entry = orjson.loads(line)
            found[entry["key"]] = Done(entry["part"], entry["rows"], entry["size"])
        except (orjson.JSONDecodeError, KeyError, TypeError):
            continue
    return found


def add_to_log(folder: Folder, key: str, done: Done) -> None:
    """Note that a block is finished."""
    folder.append(LOG, orjson.dumps({"key": key, **done._asdict()}))


def digest_of(*facts: Any) -> str:
    """One hash of several values."""
    return blake2b(orjson.dumps(facts), digest_size=16).hexdigest()


def identity(name: str, metric: Metric) -> list[str]:
    """What distinguishes a metric from one with other numbers: options, files, versions."""
    return [
        name,
        repr(metric),
        __version__,
        repr(package_fact(type(metric).__module__)),
        *(_content(getattr(metric, own.name)) for own in fields(metric)),
    ]


def _content(option: Any) -> str:
    """The hash of the file or folder that an option names; empty where it names none."""
    path = Path(option) if isinstance(option, str) and option else None
    if path is None or not path.exists():
        return ""
    files = [path] if path.is_file() else sorted(own for own in path.rglob("*") if own.is_file())
    content = blake2b(digest_size=16)
    for own in files:
        with own.open("rb") as file:
            while chunk := file.read(1 << 20):
                content.update(chunk)
    return content.hexdigest()
