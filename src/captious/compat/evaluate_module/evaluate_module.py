"""A module for Hugging Face's `evaluate`: `evaluate.load(captious.compat.evaluate.folder())`."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from captious.scoring import compute as compute_scores

_DESCRIPTION = "Image-captioning metrics, equal to coco-caption's where it has them, without Java."
_INPUTS = """
predictions: captions.
references: a list of references for each.
metrics: names, by default the classic ones that can run here.
"""


class Captious(evaluate.Metric):  # type: ignore[misc]
    """Every metric of captious on parallel lists."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=_INPUTS,
            features=[
                datasets.Features({"predictions": text, "references": datasets.Sequence(text)}),
                datasets.Features({"predictions": text, "references": text}),
            ],
        )

    def _compute(self, predictions: Any, references: Any, metrics: Any = None) -> dict[str, float]:
        return compute_scores(predictions, references, metrics)
