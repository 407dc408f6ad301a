"""Which weights each metric runs."""

from __future__ import annotations

from captious.metrics.registry import known_metrics, resolve
from captious.models.weights.known import KNOWN


def weights_of(name: str) -> tuple[str, ...]:
    """All weights that a metric runs; any other name is that of weights.

    >>> weights_of("clipscore"), weights_of("openai/clip-vit-base-patch32")
    (('ViT-B-32/openai',), ('openai/clip-vit-base-patch32',))
    """
    return resolve(name).weights() if name in known_metrics() else (name,)


def users_of_weights() -> dict[str, list[str]]:
    """Every metric's weights and all that we know of, each with the metrics that run them."""
    users: dict[str, list[str]] = {}
    for name in known_metrics():
        for one in resolve(name).weights():
            users.setdefault(one, []).append(name)
    return users | {one: [] for one in KNOWN if one not in users}
