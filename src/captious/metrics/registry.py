"""Which metrics there are, and how a name with options becomes one.

`cider[sigma=6,n=4]` is the metric `cider` with two of its options set. Metrics register
themselves with `@register`; other packages add theirs by the entry-point group `captious.metrics`
(each entry point names a module that registers on import).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from captious.errors import InputError, UnknownNameError, one_line
from captious.metric_names import metric_homes, plain_name
from captious.metrics.base import Metric
from captious.plugins import Registry


class HasName(Protocol):
    """A class that options can be given to by name."""

    name: ClassVar[str]


Named = TypeVar("Named", bound=HasName)
Asked = str | Metric | Callable[..., Any]  # a metric, its name, or a function that becomes one

TRAINED = "metric.json"  # what the folder of a trained metric holds
METRICS = Registry[Metric]("metric", "captious.metrics", "captious.metrics")
register = METRICS.register
_SPECIFICATION = re.compile(r"(?P<name>[A-Za-z_][\w.-]*)(?:\[(?P<options>.*)\])?", re.DOTALL)


def find(name: str) -> type[Metric] | None:
    """The metric of a name, or None; of ours only the module that registers it is imported.

    >>> find("cider").__module__, find("no_such_metric")
    ('captious.metrics.cider', None)
    """
    if name not in METRICS.known and name in metric_homes():
        import_module(metric_homes()[name])
    if name not in METRICS.known:
        METRICS.load()
    return METRICS.known.get(name)


def known_metrics() -> dict[str, type[Metric]]:
    """Every registered metric by name, in alphabetical order."""
    return dict(sorted(METRICS.all().items()))


def resolve(specification: Asked) -> Metric:
    """Turn `name`, `name[option=value,…]`, the folder of a trained metric or a function into a metric.

    >>> resolve("CIDEr[sigma=4]").sigma
    4.0
    """
    if isinstance(specification, Metric):
        return specification
    if not isinstance(specification, str):
        from captious.metrics.function import FunctionMetric

        return FunctionMetric(specification)
    if is_folder(specification):
        from captious.metrics.learned import load_metric

        return load_metric(specification.strip())
    name, options = name_and_options(specification)
    metric = find(name)
    if metric is None and (Path(name) / TRAINED).is_file():
        raise InputError(
            f'unknown metric "{name}". A folder with a trained metric has this name: write ./{name}.'
        )
    if metric is None:
        raise UnknownNameError("metric", name, known_metrics())
    return with_options(metric, options)


def name_and_options(specification: str) -> tuple[str, str]:
    """A metric's name and the text between its brackets.

    >>> name_and_options("cider[sigma=4,n=2]"), name_and_options(" bleu4 ")
    (('cider', 'sigma=4,n=2'), ('bleu4', ''))
    """
    if specification.count("[") != specification.count("]"):
        raise InputError(
            f'"{one_line(specification)}": a bracket is not closed or not opened. Write name[option=value].'
        )
    match = _SPECIFICATION.fullmatch(specification.strip())
    if not match:
        raise InputError(
            f'"{one_line(specification)}" is not a metric name. '
            "Write a name, or name[option=value,option=value]."
        )
    return plain_name(match["name"]), match["options"] or ""


def is_folder(specification: str) -> bool:
    """Whether a metric was asked for by the folder that it was trained into: `./my-metric`.

    >>> is_folder("./my-metric"), is_folder("vcrscore"), is_folder("lm[model=./own.lm.npz]")
    (True, False, False)
    """
    return "/" in specification.partition("[")[0] or specification.strip().startswith(("./", ".\\", "~"))


def resolve_all(specifications: Asked | Sequence[Asked]) -> dict[str, Metric]:
    """Metrics by the name they were asked for, as we write it; asking twice for one is one."""
    metrics: dict[str, Metric] = {}
    for item in listed(specifications):
        metric = resolve(item)
        name = plain_name(item) if isinstance(item, str) else metric.name
        if name in metrics and not isinstance(item, str) and metrics[name] != metric:
            raise InputError(f'metrics: two are called "{name}". Rename one, or leave one out.')
        metrics[name] = metric
    if not metrics:
        raise InputError(
            "no metric was named. Name one, for example",
            python='metrics=["cider", "bleu4"].',
            command="--metrics cider,bleu4.",
        )
    return metrics


def listed(asked: Asked | Sequence[Asked]) -> list[Asked]:
    """What was asked for as a list: names in one text, one metric or function, or several.

    >>> listed("bleu4,cider"), listed(["bleu4"])
    (['bleu4', 'cider'], ['bleu4'])
    """
    if isinstance(asked, str):
        return list(split_list(asked))
    return list(asked) if isinstance(asked, Iterable) else [asked]


def split_list(text: str) -> list[str]:
    """Split `a,b[x=1,y=2],c` at the commas outside brackets.

    >>> split_list("bleu4,cider[n=4,sigma=6]")
    ['bleu4', 'cider[n=4,sigma=6]']
    """
    parts = re.split(r",(?![^\[]*\])", text)
    return [part.strip() for part in parts if part.strip()]


def with_options(metric: type[Named], options: str) -> Named:
    """A dataclass with a name, built with the options of a text such as `sigma=4,n=2`."""
    return metric(**option_values(metric, options))


def option_values(metric: type[HasName], options: str) -> dict[str, Any]:
    """The options of a text such as `sigma=4,n=2`, each read as the type of its default."""
    own: tuple[Field[Any], ...] = fields(metric) if is_dataclass(metric) else ()
    known = {field.name: field for field in own}
    values: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in options.split(","))):
        key, equals, text = part.partition("=")
        key = key.strip()
        if key not in known:
            raise UnknownNameError(f"option of {metric.name}", key, known)
        if key in values:
            raise InputError(f'{metric.name}: option "{key}" is given twice. Give it once.')
        if not equals or not text.strip():
            raise InputError(f'{metric.name}: option "{key}" has no value. Write {key}=value.')
        values[key] = _parse(metric.name, known[key], text.strip())
    return values


def _parse(metric: str, option: Field[Any], text: str) -> Any:
    """Read an option's value as the type of its default."""
    default: Any = option.default
    kind = type(default)
    if kind is bool:
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.lower() in words:
            return words[text.lower()]
        raise InputError(f'{metric}: option "{option.name}" must be yes or no; found "{one_line(text)}".')
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            wanted = "a whole number" if kind is int else "a number"
            raise InputError(
                f'{metric}: option "{option.name}" must be {wanted}; found "{one_line(text)}".'
            ) from None
    return text
