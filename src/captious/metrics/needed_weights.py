"""Which weights each metric runs."""

from __future__ import annotations

from captious.metrics.registry import known_metrics, resolve
from captious.models.weights.find import refuse_no_weights
from captious.models.weights.known import KNOWN


def weights_of(name: str) -> tuple[str, ...]:
    """All weights that a metric runs; any other name must be one of weights, or a path.

    >>> weights_of("clipscore"), weights_of("openai/clip-vit-base-patch32")
    (('ViT-B-32/openai',), ('openai/clip-vit-base-patch32',))
    """
    if name in known_metrics():
        return resolve(name).weights()
    refuse_no_weights(name, [*known_metrics(), *KNOWN])
    return (name,)


def users_of_weights() -> dict[str, list[str]]:
    """Every metric's weights and all that we know of, each with the metrics that run them."""
    users: dict[str, list[str]] = {}
    for name in known_metrics():
        for one in resolve(name).weights():
            users.setdefault(one, []).append(name)
    return users | {one: [] for one in KNOWN if one not in users}
