"""A scorer for inspect_ai whose metrics are those of the whole sample, as papers print them.

    from inspect_ai import Task
    from captious.compat.inspect_ai import captions

    Task(dataset=…, solver=…, scorer=captions("cider", "spice"))

A sample's target contains its references. The score of a sample is that of the first metric that needs
no other samples, or 0 if there is none. The results are the metrics of the task. inspect_ai also computes
these while samples are running: a metric that cannot run yet, such as CIDEr with one sample, is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from captious.compat.loops import require_references_only, value_or_nan
from captious.corpus import Corpus
from captious.errors import MissingDependencyError
from captious.metrics import Metric, resolve
from captious.scoring import score


def captions(*metrics: str) -> Any:
    """A scorer by one or several metrics; without a name, by CIDEr."""
    try:
        from inspect_ai.scorer import Score, scorer
    except ImportError:
        raise MissingDependencyError(
            "inspect_ai is not installed", command="pip install inspect-ai"
        ) from None
    names = metrics or ("cider",)
    for name in names:
        require_references_only(name)
    own = _alone(names)

    async def scored(state: Any, target: Any) -> Any:
        answer, references = state.output.completion.strip(), list(target)
        value = score(Corpus.from_lists([answer], [references]), [own])[own].score if own else 0.0
        return Score(value=value, answer=answer, metadata={"references": references})

    return scorer(metrics=[_of_all(name) for name in names], name="captions")(lambda: scored)()


def _alone(names: tuple[str, ...]) -> str:
    """The first metric that scores a caption without knowing the others."""
    return next((name for name in names if type(resolve(name)).collect is Metric.collect), "")


def _of_all(name: str) -> Any:
    from inspect_ai.scorer import metric

    def compute(scores: list[Any]) -> float:
        if not scores:  # before the first sample is done
            return math.nan
        corpus = Corpus.from_lists(
            [one.score.answer or "" for one in scores],
            [(one.score.metadata or {}).get("references", []) for one in scores],
            image_ids=[str(one.sample_id or place) for place, one in enumerate(scores)],
        )
        return value_or_nan(corpus, name)

    def made() -> Callable[[list[Any]], float]:
        return compute

    return metric(name=name)(made)()
