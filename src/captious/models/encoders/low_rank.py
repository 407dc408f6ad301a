"""Low-rank changes of an encoder's matrices (Hu et al. 2022, LoRA): W + s B A.

A change of rank 8 holds 2% of a small BERT's numbers, so that a tuned encoder ships as a small file
beside the published weights that it changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class LowRank:
    """Factors by the name of the matrix that they change, and how much of the change is applied.

    >>> change = LowRank({"w": (np.ones((1, 2), np.float32), np.ones((3, 1), np.float32))}, 0.5)
    >>> change.applied({"w": np.zeros((3, 2), np.float32)})["w"].tolist()[0]
    [0.5, 0.5]
    """

    factors: Mapping[str, tuple[Floats, Floats]]
    strength: float = 1.0

    @classmethod
    def mean(cls, changes: Sequence[LowRank]) -> LowRank:
        """The mean of several changes, exactly: their factors side by side.

        >>> one = LowRank({"w": (np.ones((1, 1), np.float32), np.ones((1, 1), np.float32))})
        >>> two = LowRank({"w": (np.ones((1, 1), np.float32), np.full((1, 1), 3, np.float32))})
        >>> LowRank.mean([one, two]).applied({"w": np.zeros((1, 1), np.float32)})["w"].tolist()
        [[2.0]]
        """
        factors = {}
        for name in changes[0].factors:
            own = [(*one.factors[name], one.strength / len(changes)) for one in changes]
            b = np.concatenate([np.float32(share) * b for _, b, share in own], axis=1)
            factors[name] = (np.concatenate([a for a, _, _ in own]), b)
        return cls(factors)

    def applied(self, weights: Mapping[str, Floats]) -> dict[str, Floats]:
        """The weights with the change added."""
        changed = dict(weights)
        for name, (a, b) in self.factors.items():
            if name not in changed or changed[name].shape != (b.shape[0], a.shape[1]):
                raise InputError(
                    f'the encoder has no matrix "{name}" of the size that the tuning was made for.'
                )
            changed[name] = changed[name] + np.float32(self.strength) * (b @ a)
        return changed

    def digest(self) -> str:
        """First eight digits of the SHA-256 of the factors and the strength."""
        content = hashlib.sha256(repr(float(self.strength)).encode())
        for name in sorted(self.factors):
            content.update(name.encode())
            for part in self.factors[name]:
                content.update(np.ascontiguousarray(part, dtype=np.float32).tobytes())
        return content.hexdigest()[:8]
