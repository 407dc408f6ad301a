"""Which metrics the service offers, and which of their options a request may set.

The operator names metrics with any option. A request may set numbers, truth values and the choices of
a few words; never an option that names a file, a model, an address or a device of the server. Saved
document frequencies are offered by name: `cider[df=coco]` is the table `df/coco.npz` of the folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from captious.errors import InputError, UnknownNameError, one_line
from captious.groups import GROUPS, Chosen, expand, members
from captious.metrics import Metric, resolve
from captious.metrics.document_frequency import CORPUS
from captious.metrics.registry import name_and_options, option_values
from captious.web.service.requests.request import ScoreRequest

# Text options whose values are words of a list that the metric itself checks.
WORDS = frozenset(
    {"agg", "part", "reference_length", "documents", "tokeniser", "held_out", "objects", "prompt", "long"}
    | {"report", "matchers", "variant", "kinds", "dialect", "smooth", "effective_order", "labels", "stop"}
    | {"norm", "oov", "counts", "references", "union", "other", "rule", "small"}
)
# Numbers and truth values that change what the server does, not what is computed.
OPERATORS = frozenset({"cache", "send", "workers", "retries", "wait", "timeout", "price_in", "price_out"})
MOST_KEPT = 512


class Offer:
    """The metrics of a service.

    >>> offer = Offer("classic,cider_original[sigma=4]")
    Traceback (most recent call last):
    captious.errors.UnknownNameError: unknown option of cider_original "sigma". Known: ...
    >>> sorted(Offer("bleu4,cider").metrics)
    ['bleu4', 'cider']
    """

    def __init__(self, specifications: str, tables: Path | None = None) -> None:
        self.specifications, self.tables = specifications, tables
        self.metrics: dict[str, Metric] = {}
        self._known: dict[str, Metric] = {}
        for one in expand(specifications).metrics:
            metric = resolve(one)
            if metric.name in self.metrics and self.metrics[metric.name] != metric:
                raise InputError(f"{metric.name}: is given twice with different options. Give it once.")
            self.metrics[metric.name] = metric
        if not self.metrics:
            raise InputError("no metrics are given. Give some, for example classic or cider,spice,sentsim.")

    def ready(self) -> None:
        """Refuse, before the service starts, metrics that cannot run here."""
        for metric in self.metrics.values():
            metric.ready()

    def table_names(self) -> list[str]:
        """Document frequencies that `df=` may name."""
        if self.tables is None or not self.tables.is_dir():
            return []
        return sorted(path.stem for path in self.tables.glob("*.npz"))

    def settled(self, request: ScoreRequest) -> ScoreRequest:
        """The request with groups by their members; refused where it asks for what is not offered.

        Of a group those metrics remain that are offered and that the request has enough for, as
        `captious score` does it; a note names the others.
        """
        found: dict[str, None] = {}
        left_out: dict[str, str] = {}
        for name in request.metrics:
            if name not in GROUPS:
                self.metric(name)
                found[name] = None
                continue
            for member in members(name):
                offered = self.metrics.get(member)
                why = "not offered here." if offered is None else _missing(request, offered)
                if why:
                    left_out[member] = why
                else:
                    found[member] = None
        notes = tuple(Chosen([], left_out).reasons()) if left_out else ()
        if not found:
            raise InputError(f"metrics: none can be computed. {' '.join(notes)} {self._those()}")
        if tuple(found) == request.metrics:
            return request
        return request._replace(metrics=tuple(found), notes=notes)

    def named(self, names: Sequence[str]) -> dict[str, Metric]:
        """Metrics by the names that were asked for, without groups."""
        return {name: self.metric(name) for name in names}

    def metric(self, specification: str) -> Metric:
        """The metric of a name with options, checked once and then remembered."""
        known = self._known.get(specification)
        if known is None:
            known = self._made(specification)
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[specification] = known
        return known

    def _made(self, specification: str) -> Metric:
        name, options = name_and_options(specification)
        offered = self.metrics.get(name)
        if offered is None:
            raise InputError(f'metrics: "{one_line(name, 40)}" is not offered here. {self._those()}')
        values = option_values(type(offered), options)
        for option, value in values.items():
            values[option] = self._allowed(offered, option, value)
        return replace(offered, **values) if values else offered

    def _allowed(self, metric: Metric, option: str, value: Any) -> Any:
        if option == "df":
            return self._table(metric, value)
        default = next(own.default for own in fields(metric) if own.name == option)
        free = option in WORDS if isinstance(default, str) else option not in OPERATORS
        ours = type(metric).__module__.startswith("captious.")
        if not free or (isinstance(default, str) and not ours):
            raise InputError(
                f'{metric.name}: the option "{option}" can be set only on the server. Leave it out.'
            )
        return value

    def _table(self, metric: Metric, name: str) -> str:
        if name == CORPUS:
            return name
        names = self.table_names()
        if self.tables is None or name not in names:
            if not names:
                raise InputError(
                    f"{metric.name}: this service has no tables of document frequencies. Leave out df."
                )
            raise UnknownNameError("table of document frequencies", name, [CORPUS, *names])
        return str(self.tables / f"{name}.npz")

    def _those(self) -> str:
        return f"Offered: {', '.join(sorted(self.metrics))}."


def _missing(request: ScoreRequest, metric: Metric) -> str:
    """What a request lacks for a metric; empty where it has enough."""
    given = {
        "references": request.references is not None,
        "objects": request.objects is not None,
        "image": bool(request.pictures),
    }
    for need in sorted(metric.needs):
        if not given[need]:
            return f"no {'images' if need == 'image' else need} were given."
    if "references" in metric.needs and len(set(request.images)) < metric.fewest_images:
        return f"at least {metric.fewest_images} images are needed."
    return ""
