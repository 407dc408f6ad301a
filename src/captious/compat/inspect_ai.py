"""A scorer for inspect_ai whose metrics are those of the whole sample, as papers print them.

    from inspect_ai import Task
    from captious.compat.inspect_ai import captions

    Task(dataset=…, solver=…, scorer=captions("cider", "spice"))

A sample's target holds its references. The score of a sample is its own by the first metric that
needs no other samples, and 0 where there is none; what counts are the metrics below the task.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from captious.corpus import Corpus
from captious.errors import MissingDependencyError
from captious.metrics import Metric, resolve
from captious.scoring import score


def captions(*metrics: str) -> Any:
    """A scorer by one or several metrics; without a name, by CIDEr."""
    try:
        from inspect_ai.scorer import Score, scorer
    except ImportError:
        raise MissingDependencyError("inspect_ai is not here", command="pip install inspect-ai") from None
    names = metrics or ("cider",)
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
        corpus = Corpus.from_lists(
            [one.score.answer or "" for one in scores],
            [(one.score.metadata or {}).get("references", []) for one in scores],
            image_ids=[str(one.sample_id or place) for place, one in enumerate(scores)],
        )
        return score(corpus, [name])[name].score

    def made() -> Callable[[list[Any]], float]:
        return compute

    return metric(name=name)(made)()
