"""How long and how much a client may take, and how many of them at once."""

from __future__ import annotations

from dataclasses import dataclass

KIBIBYTE = 1024


@dataclass(frozen=True)
class Limits:
    """What one connection may take; whoever is slower is let go.

    A request's head must be whole within `head_seconds`. Its body has `body_seconds`, and every
    `body_rate` bytes that come give a second back (a recording over a slow line gets through). A
    client that takes nothing of an answer for `write_seconds` has gone. `waiting` requests of one
    connection may wait for the answer to another. `connections` are the most at once; 0 means as many
    as the descriptors allow.
    """

    head_seconds: float = 10.0
    head_bytes: int = 64 * KIBIBYTE
    headers: int = 100
    body_seconds: float = 20.0
    body_rate: float = 500.0
    write_seconds: float = 60.0
    idle_seconds: float = 5.0
    waiting: int = 100
    connections: int = 0


# What the process opens beside connections: the database's pool, files, images, pipes, its modules.
OTHER_DESCRIPTORS = 256
FEWEST_CONNECTIONS = 32
MOST_CONNECTIONS = 16_384
MOST_DESCRIPTORS = 65_536


def raise_descriptors() -> int:
    """Raise the soft limit of open files to the hard one, and return what it is now."""
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return MOST_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return MOST_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


def connections_for(descriptors: int) -> int:
    """How many connections leave enough descriptors for the rest.

    >>> connections_for(1024), connections_for(20_000), connections_for(100)
    (768, 16384, 32)
    """
    free = descriptors - OTHER_DESCRIPTORS
    return max(FEWEST_CONNECTIONS, min(free, MOST_CONNECTIONS))
