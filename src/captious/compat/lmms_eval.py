"""Aggregations for lmms-eval's caption tasks: `f(results, args) -> float`, without Java.

Import an aggregation in the task's `utils.py` and name it in its YAML:

    from captious.compat.lmms_eval import cider as coco_cider

    metric_list:
      - metric: coco_CIDEr
        aggregation: !function utils.coco_cider
        higher_is_better: true

`results` is the list that the task's `process_results` returned: dicts with `pred`, `answer` (the
references) and optionally `image_id`. The harness writes its samples after the aggregations, so a metric
that cannot run returns NaN with a warning instead of losing the run.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from captious.compat.loops import require_references_only, value_or_nan
from captious.corpus import Corpus
from captious.errors import CaptiousWarning, InputError

Aggregation = Callable[..., float]


def aggregation(metric: str) -> Aggregation:
    """The corpus value of any metric, as a function of lmms-eval's results.

    >>> rows = [{"pred": "a dog", "answer": ["a dog runs"]}, {"pred": "a cat", "answer": ["a cat"]}]
    >>> round(aggregation("rouge_l")(rows, None), 3)
    0.886
    """

    require_references_only(metric)

    def aggregated(results: Sequence[Mapping[str, Any]], args: Any = None) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("always", CaptiousWarning)  # lmms-eval silences all warnings
            return value_or_nan(_corpus(results), metric)

    aggregated.__name__ = metric.partition("[")[0]
    aggregated.__doc__ = f"The corpus value of {metric}."
    return aggregated


def _corpus(results: Sequence[Mapping[str, Any]]) -> Corpus:
    for place, result in enumerate(results, 1):
        if not isinstance(result, Mapping) or not {"pred", "answer"} <= result.keys():
            raise InputError(
                f'results: entry {place} has no "pred" and "answer". Return both in process_results.'
            )
    references = [result["answer"] for result in results]
    return Corpus.from_lists(
        [str(result["pred"]) for result in results],
        [[own] if isinstance(own, str) else list(own) for own in references],
        image_ids=[str(result.get("image_id", place)) for place, result in enumerate(results)],
    )


bleu1, bleu2, bleu3, bleu4 = (aggregation(f"bleu{n}") for n in (1, 2, 3, 4))
meteor = aggregation("meteor")
rouge_l = aggregation("rouge_l")
cider = aggregation("cider")
spice = aggregation("spice")
