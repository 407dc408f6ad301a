"""A plain function as a metric: `captious.score(captions, my_function, references=…)`."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.corpus.types import Example
from captious.errors import InputError, one_line
from captious.metrics.base import Metric, Need, reference_count_label
from captious.metrics.batch import Batch


class Input(NamedTuple):
    """What a function may take by the name of a parameter: what it needs, and its value of an example."""

    need: Need | None
    value: Callable[[Example], Any]


INPUTS = {
    "captions": Input(None, lambda one: one.caption),
    "references": Input("references", lambda one: one.references),
    "images": Input("image", lambda one: one.image_path),
    "objects": Input("objects", lambda one: one.objects),
    "context": Input(None, lambda one: one.context),
    "image_ids": Input(None, lambda one: one.image_id),
}
MEAN = "mean"  # a corpus value that is that of its captions' scores
_EQUAL = 1e-9  # a value for the corpus that is the mean of its captions' scores


@dataclass(frozen=True)
class FunctionMetric(Metric):
    """The scores that a function returns: one for each caption, or `(corpus value, scores)`.

    The function is called once for each system with lists of equal length, by the names of its
    parameters: `captions`, `references` (a list for each caption), `images` (paths), `objects`,
    `context`, `image_ids`. NaN is no score. If it returns a corpus value that is not the mean of the
    scores, that value has no interval and cannot be tested: its captions cannot be resampled.
    A function whose attribute `higher_is_better` is False is read so.

    >>> def words(captions):
    ...     return [len(text.split()) for text in captions]
    >>> metric = FunctionMetric(words)
    >>> metric.name, sorted(metric.needs)
    ('words', [])
    """

    function: Callable[..., Any]

    summary: ClassVar[str] = "scores of a function of your own"
    bounds: ClassVar[tuple[float, float]] = (-np.inf, np.inf)
    percent: ClassVar[bool] = False
    partial: ClassVar[bool] = True

    def __post_init__(self) -> None:
        own = {
            "name": getattr(self.function, "__name__", type(self.function).__name__).strip("<>"),
            "needs": frozenset(need for name in self._taken() if (need := INPUTS[name].need)),
            "higher_is_better": bool(getattr(self.function, "higher_is_better", True)),
        }
        for name, value in own.items():
            object.__setattr__(self, name, value)

    def _taken(self) -> list[str]:
        """Names of the inputs that the function takes."""
        try:
            parameters = inspect.signature(self.function).parameters.values()
        except (TypeError, ValueError):
            raise InputError(f"metrics: {self.function!r} does not tell its parameters.") from None
        optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        required = [one.name for one in parameters if one.default is one.empty and one.kind not in optional]
        unknown = next((name for name in required if name not in INPUTS), None)
        if unknown is not None or not parameters:
            what = f'takes "{one_line(str(unknown))}"' if unknown is not None else "takes nothing"
            name = getattr(self.function, "__name__", repr(self.function))
            raise InputError(
                f"metrics: the function {name} {what}. Name its parameters by what it reads, any of "
                f"{', '.join(INPUTS)}."
            )
        return [one.name for one in parameters if one.name in INPUTS]

    def __hash__(self) -> int:
        return id(self.function)  # which may have no hash

    @property
    def corpus_wide(self) -> bool:
        """No: what it collects are only the corpus values."""
        return False

    def collect(self, batch: Batch) -> dict[str, float | str | None]:
        """The corpus value of each system, where the function gives one."""
        return self._called(batch)[1]

    def merge(self, parts: Sequence[dict[str, float | str | None]]) -> dict[str, float | str | None]:
        """Corpus values cannot be joined: a system that is in several parts has None."""
        found: dict[str, float | str | None] = {}
        for part in parts:
            for name, value in part.items():
                same = name not in found or (value == found[name] == MEAN)
                found[name] = value if same else None
        return found

    def check(self, corpus: Corpus, knowledge: Any) -> None:
        """Refuse corpus values of parts of a corpus."""
        if None in knowledge.values():
            raise InputError(
                f"{self.name} gives a value for the whole corpus, which cannot be made of parts. Score in "
                "one process, or return the captions' scores alone."
            )

    def corpus_values(self, knowledge: Any) -> Mapping[str, float]:
        """The values that the function gave, which are not means of its scores."""
        return {name: value for name, value in (knowledge or {}).items() if value != MEAN}

    def score_examples(self, batch: Batch, knowledge: Any) -> FloatArray:
        """What the function returned."""
        return self._called(batch)[0]

    def facts(self, corpus: Corpus, knowledge: Any) -> dict[str, str]:
        """Module, function, and a hash of its source."""
        counted = {"refs": reference_count_label(corpus)} if "references" in self.needs else {}
        of = inspect.unwrap(self.function)
        of = of if hasattr(of, "__code__") else type(of)
        try:
            source = hashlib.sha256(inspect.getsource(of).encode()).hexdigest()[:12]
        except (OSError, TypeError):
            source = "unknown"
        return counted | {"function": f"{of.__module__}:{of.__qualname__}", "source": source}

    def _called(self, batch: Batch) -> tuple[FloatArray, dict[str, float | str | None]]:
        return batch.once((FunctionMetric, id(self)), lambda: self._call(batch.corpus))

    def _call(self, corpus: Corpus) -> tuple[FloatArray, dict[str, float | str | None]]:
        scores = np.full(len(corpus), np.nan)
        values: dict[str, float | str | None] = {}
        for place, system in enumerate(corpus.systems):
            rows = np.flatnonzero(corpus.system_of == place)
            examples = [corpus.example(row) for row in rows.tolist()]
            if "image" in self.needs:
                seen = [bool(one.image_path) for one in examples]
                rows, examples = rows[seen], [one for one in examples if one.image_path]
            if not len(rows):
                continue
            given = {name: [INPUTS[name].value(one) for one in examples] for name in self._taken()}
            try:
                returned = self.function(**given)
            except Exception as error:
                raise InputError(f"{self.name} raised {_told(error)}") from error
            value, scores[rows] = self._read(returned, len(rows))
            if value is not None:
                values[system] = value
        return scores, values

    def _read(self, returned: Any, wanted: int) -> tuple[float | str | None, FloatArray]:
        """The corpus value, where there is one, and the scores."""
        value: float | str | None = None
        if isinstance(returned, tuple) and len(returned) == 2 and np.ndim(returned[1]) == 1:
            value, returned = returned
        try:
            found = np.asarray(list(returned), dtype=np.float64)
            value = None if value is None else float(value)
        except (TypeError, ValueError):
            found = np.zeros(0)
        if found.shape != (wanted,) or np.isinf(found).any():
            raise InputError(
                f"{self.name} must return a number for each of {wanted:,} captions, or the corpus's value "
                f"and such a list; found {one_line(repr(returned), 40)}."
            )
        mean = float(np.nanmean(found)) if not np.isnan(found).all() else float("nan")
        if isinstance(value, float) and abs(value - mean) <= _EQUAL * max(1.0, abs(mean)):
            value = MEAN
        return value, found


def is_function(name: str) -> bool:
    """Whether a metric is named as `module:function`.

    >>> is_function("mine:words"), is_function("lm[model=C:/own.npz]")
    (True, False)
    """
    module, colon, function = name.strip().partition(":")
    return bool(colon) and function.isidentifier() and all(map(str.isidentifier, module.split(".")))


def imported(name: str) -> FunctionMetric:
    """The function of a name such as `mymodule:function`; the current folder is looked in first.

    It runs the module, so that only names that the user of this machine types may come here.
    """
    module, _, function = name.strip().partition(":")
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        found = getattr(import_module(module), function, None)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]:
            raise InputError(f'{name}: there is no module "{module}" in this folder or installed.') from None
        raise InputError(f"{name}: the module raised {_told(error)}") from error
    finally:
        sys.path.remove(here)
    if not callable(found):
        raise InputError(f'{name}: the module has no function "{function}".')
    return FunctionMetric(found)


def _told(error: Exception) -> str:
    """An error of the user's code in one line, with the place where it was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})" if trace else ""
    return f"{type(error).__name__}: {one_line(str(error), 120)}{where}. Correct it."
