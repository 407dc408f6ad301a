"""Groups of metrics by one name: `classic`, `free`, `offline`, `all`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from captious.corpus import Corpus
from captious.errors import InputError, MissingDependencyError
from captious.metric_names import GROUPS, plain_name
from captious.metrics import Asked, Metric, known_metrics, resolve
from captious.metrics.base import refuse_too_long
from captious.metrics.languages import refused_for_language
from captious.metrics.registry import listed

__all__ = ["CLASSIC", "GROUPS", "Chosen", "expand", "lacking", "members", "missing_for", "usual"]

# What coco-caption prints, without SPICE.
CLASSIC = ("bleu1", "bleu2", "bleu3", "bleu4", "meteor", "rouge_l", "cider")


class Chosen(NamedTuple):
    """The metrics to run, and for those of a group that cannot, why not."""

    metrics: list[Asked]
    left_out: dict[str, str]

    def reasons(self) -> list[str]:
        """A sentence for each reason, with the metrics that it leaves out.

        >>> Chosen([], {"clipscore": "no images were given.", "vilt": "no images were given."}).reasons()
        ['clipscore, vilt are left out: no images were given.']
        """
        found: dict[str, list[str]] = {}
        for name, why in self.left_out.items():
            found.setdefault(why, []).append(name)
        return [
            f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} left out: {why}"
            for why, names in found.items()
        ]


def expand(
    asked: Asked | Sequence[Asked],
    corpus: Corpus | None = None,
    *,
    frequencies: bool = False,
    any_language: bool = False,
) -> Chosen:
    """Put a group's members in the place of its name.

    `classic` are the metrics that coco-caption prints; `free` all that need no references; `offline`
    all that run without neural weights; `all` every metric. Of a group only those remain that can
    run here and that the corpus has enough for; a metric that is asked for by its own name stays
    whatever it lacks. `frequencies` says that a table of document frequencies is given, without
    which CIDEr needs two images; `any_language` that the captions' language leaves none out.

    >>> expand("classic,wmd").metrics
    ['bleu1', 'bleu2', 'bleu3', 'bleu4', 'meteor', 'rouge_l', 'cider', 'wmd']
    """
    found: dict[Asked, None] = {}
    left_out: dict[str, str] = {}
    for name in listed(asked):
        if not isinstance(name, str | Metric) and (isinstance(name, type) or not callable(name)):
            kind = type(name).__name__
            raise InputError(f'metrics: found {kind}. Give names, for example metrics=["cider", "bleu4"].')
        group = plain_name(name) if isinstance(name, str) else ""
        if group not in GROUPS:
            found[name if isinstance(name, str) else resolve(name)] = None
            continue
        for member in members(group):
            why = lacking(member, corpus, frequencies=frequencies)
            if not why and corpus is not None and not any_language:
                why = refused_for_language(resolve(member), corpus)
            if why:
                left_out[member] = why
            else:
                found[member] = None
    return Chosen(list(found), left_out)


def members(group: str) -> list[str]:
    """The metrics of a group, whatever they need."""
    if group == "classic":
        return list(CLASSIC)
    return [
        name
        for name, metric in known_metrics().items()
        if group == "all"
        or (group == "offline" and not metric.neural)
        or (group == "free" and "references" not in metric.needs)
    ]


def usual(corpus: Corpus | None) -> str:
    """The group that runs where no metric is named: `classic`, or `free` where there are no references."""
    return "classic" if corpus is None or len(corpus.references.values) else "free"


def lacking(name: str, corpus: Corpus | None = None, *, frequencies: bool = False) -> str:
    """What a metric lacks on this machine or in this corpus, in one line; empty where nothing."""
    metric = resolve(name)
    if corpus is not None:
        has = {
            "references": len(corpus.references.values) > 0,
            "objects": corpus.objects is not None,
            "image": corpus.image_paths is not None,
        }
        for need in sorted(metric.needs):
            if not has[need]:
                return f"no {need}{'s' if need == 'image' else ''} were given."
        if metric.needs_one_of and not any(has[need] for need in metric.needs_one_of):
            return f"no {' or '.join(metric.needs_one_of)} were given."
        few = "references" in metric.needs and len(corpus.references) < metric.fewest_images
        if few and not frequencies:
            return f"one image has no document frequencies. Give a table: {name}[df=FILE]."
        try:
            refuse_too_long(corpus, [metric])
        except InputError as error:
            return str(error).removeprefix(f"{metric.name}: ")
    return missing_for(name)


def missing_for(name: str) -> str:
    """What the metric still needs on this machine, in one line; empty where it is ready."""
    try:
        resolve(name).ready()
    except MissingDependencyError as error:
        return str(error)
    return ""
