"""What a model under training is: a frozen dataclass whose fields are its options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from importlib.util import find_spec
from typing import Any, ClassVar, NamedTuple

from captious.corpus.columns import FloatArray, IntArray
from captious.engine import Progress
from captious.errors import InputError, MissingDependencyError
from captious.learn.journal import Journal
from captious.metrics.learned.predict import Predictor
from captious.metrics.registry import name_and_options, with_options
from captious.plugins import Registry


class Fit(NamedTuple):
    """What a model is fitted to.

    `signs` says of each column whether more is better (1), less is (-1) or neither (0); `images`
    groups rows; `validation` are further rows that may decide when to stop. `step` names the fit in
    the journal.
    """

    rows: FloatArray
    target: FloatArray
    images: Sequence[str]
    signs: IntArray
    seed: int
    validation: tuple[FloatArray, FloatArray] | None = None
    journal: Journal = Journal(None, "")
    step: str = ""
    progress: Progress | None = None


@dataclass(frozen=True)
class Learner:
    """Base of all models; subclasses are registered by `@learner`."""

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    needs_sklearn: ClassVar[bool] = True
    limits: ClassVar[dict[str, tuple[float, float]]] = {}  # of options: the least and the most

    def __post_init__(self) -> None:
        for option, (least, most) in self.limits.items():
            value = getattr(self, option)
            if not least <= value <= most:  # NaN too
                raise InputError(
                    f"{self.name}: {option} is {value}; it must be from {least:,.10g} to {most:,.10g}."
                )

    def ready(self) -> None:
        """Refuse to begin where scikit-learn is needed and is not here."""
        if self.needs_sklearn and find_spec("sklearn") is None:
            raise MissingDependencyError(f"the model {self.name} is fitted by scikit-learn", "learn")

    def fit(self, given: Fit) -> Predictor:
        """Fit the model; the same input and seed give the same predictor."""
        raise NotImplementedError

    def described(self) -> str:
        """The name with every option, as it can be typed."""
        options = ",".join(f"{field.name}={_shown(getattr(self, field.name))}" for field in fields(self))
        return f"{self.name}[{options}]"


LEARNERS = Registry[Learner]("model", "captious.learn.models")
learner = LEARNERS.register


def known_learners() -> dict[str, type[Learner]]:
    """Every model by name."""
    return dict(sorted(LEARNERS.all().items()))


def parse_learner(specification: str) -> Learner:
    """The model of a name with options.

    >>> parse_learner("gbr[trees=50]").trees
    50
    """
    name, options = name_and_options(specification)
    return with_options(LEARNERS.find(name), options)


def _shown(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
