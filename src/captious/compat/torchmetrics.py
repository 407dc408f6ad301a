"""Any metric of captious as a `torchmetrics.Metric`, also over several processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import orjson

from captious.compat.loops import value_or_nan
from captious.corpus import Corpus
from captious.corpus.images import find_images
from captious.errors import MissingDependencyError
from captious.metrics.weighted import Weighted, parts_of
from captious.scoring import parallel_corpus

try:
    import torch
    from torchmetrics import Metric as TorchMetric
except ImportError:
    raise MissingDependencyError(
        "torchmetrics is not installed", command="pip install torchmetrics"
    ) from None


class CaptionMetric(TorchMetric):  # type: ignore[misc]
    """The corpus value of a metric over everything that `update` was given.

    `metric` is one, several whose values are summed, or `{metric: weight}`. Metrics that look at images need
    their folder, `images`, and `image_ids` in `update`.

    Captions are kept as bytes in a tensor, so torchmetrics can gather them over processes. The metric
    itself runs once, in `compute`.

        metric = CaptionMetric("cider")
        metric.update(["a dog"], [["a dog runs", "the dog"]], image_ids=["7"])
        metric.compute()
    """

    is_differentiable = False
    full_state_update = False
    rows: list[torch.Tensor]

    def __init__(
        self, metric: Weighted = "cider", *, images: str | PathLike[str] | None = None, **more: Any
    ) -> None:
        super().__init__(**more)
        parts_of(metric, ["references", *(["image"] if images is not None else [])])
        self.metric, self.images = metric, images
        self.add_state("rows", default=[], dist_reduce_fx="cat")

    def update(
        self,
        predictions: Sequence[str],
        references: Sequence[Sequence[str]],
        image_ids: Sequence[Any] | None = None,
    ) -> None:
        """Add a batch of captions and their references."""
        corpus = parallel_corpus(predictions, references, image_ids)
        places = corpus.image_of.tolist()
        ids = [None if image_ids is None else corpus.image_ids[place] for place in places]
        lines = [
            orjson.dumps([image, example.caption, example.references]) + b"\n"
            for image, example in zip(ids, corpus, strict=True)
        ]
        packed = bytearray(b"".join(lines))
        if packed:
            self.rows.append(torch.frombuffer(packed, dtype=torch.uint8).to(self.device))

    @property
    def dtype(self) -> torch.dtype:
        """That of the state, also where a process was given nothing: torchmetrics then sends an empty one."""
        return torch.uint8

    def compute(self) -> torch.Tensor:
        """The corpus value so far; NaN with a warning if there is none, such as CIDEr for one image."""
        rows = self.rows if isinstance(self.rows, list) else [self.rows]
        lines = b"".join(part.to(torch.uint8).cpu().numpy().tobytes() for part in rows).splitlines()
        found = [orjson.loads(line) for line in lines]
        corpus = Corpus.from_lists(
            [caption for _, caption, _ in found],
            [references for _, _, references in found],
            image_ids=[str(place) if image is None else image for place, (image, _, _) in enumerate(found)],
        )
        if self.images is not None:
            corpus = replace(corpus, image_paths=find_images(self.images, corpus.image_ids))
        return torch.tensor(value_or_nan(corpus, self.metric), dtype=torch.float64)
