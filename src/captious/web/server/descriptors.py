"""How many connections a server process can hold open."""

from __future__ import annotations

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
