"""Any metric of ours as a `torchmetrics.Metric`: for Lightning loops, and over several processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from captious.corpus import Corpus
from captious.errors import MissingDependencyError
from captious.scoring import score

try:
    import torch
    from torchmetrics import Metric as TorchMetric
except ImportError:
    raise MissingDependencyError("torchmetrics is not here", command="pip install torchmetrics") from None


class CaptionMetric(TorchMetric):  # type: ignore[misc]
    """The corpus value of a metric over everything that `update` was given.

    Captions are kept as bytes in a tensor, so that torchmetrics gathers them over processes as it
    gathers any state; the metric itself runs once, in `compute`.

        metric = CaptionMetric("cider")
        metric.update(["a dog"], [["a dog runs", "the dog"]], image_ids=["7"])
        metric.compute()
    """

    is_differentiable = False
    full_state_update = False
    rows: list[torch.Tensor]

    def __init__(self, metric: str = "cider", **more: Any) -> None:
        super().__init__(**more)
        self.metric = metric
        self.add_state("rows", default=[], dist_reduce_fx="cat")

    def update(
        self,
        predictions: Sequence[str],
        references: Sequence[Sequence[str]],
        image_ids: Sequence[Any] | None = None,
    ) -> None:
        """Take a batch of captions and their references."""
        corpus = Corpus.from_lists(
            list(predictions), [[own] if isinstance(own, str) else list(own) for own in references]
        )
        ids = [None] * len(corpus) if image_ids is None else [str(image) for image in image_ids]
        lines = [
            orjson.dumps([image, example.caption, example.references]) + b"\n"
            for image, example in zip(ids, corpus, strict=True)
        ]
        packed = bytearray(b"".join(lines))
        if packed:
            self.rows.append(torch.frombuffer(packed, dtype=torch.uint8).to(self.device))

    def compute(self) -> torch.Tensor:
        """The corpus value so far."""
        rows = self.rows if isinstance(self.rows, list) else [self.rows]
        lines = b"".join(part.cpu().numpy().tobytes() for part in rows).splitlines()
        found = [orjson.loads(line) for line in lines]
        corpus = Corpus.from_lists(
            [caption for _, caption, _ in found],
            [references for _, _, references in found],
            image_ids=[str(place) if image is None else image for place, (image, _, _) in enumerate(found)],
        )
        return torch.tensor(score(corpus, [self.metric])[self.metric].score, dtype=torch.float64)
