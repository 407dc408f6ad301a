"""Plan a study: images and raters needed for a given precision or power."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from captious.arguments import check_arguments
from captious.benchmarks.rater_agreement.report import one_aspect, slotted
from captious.corpus import Judgments
from captious.corpus.columns import FloatArray
from captious.corpus.given import Given
from captious.corpus.judged import load_judgments
from captious.errors import InputError, UnknownNameError
from captious.stats.planning import (
    Components,
    PlannedStudy,
    assumed_components,
    plan_study,
    smallest_study,
    variance_components,
)
from captious.stats.reliability import SpreadAtSize, spread_by_sample_size
from captious.stats.resample import DEFAULT_RESAMPLES, DEFAULT_SEED
from captious.tables import Cell, Shown, Table

if TYPE_CHECKING:
    import pandas as pd

MOST = 100_000  # images, or ratings an image: a study of more needs no simulation
IMAGES = (50, 100, 200, 500, 1000)
RATERS = (1, 2, 3, 5)


class Wanted(NamedTuple):
    """Goals for the precision and the power of a study; None for no goal."""

    half_width: float | None
    power: float | None

    def __str__(self) -> str:
        said = [("half width", self.half_width), ("power", self.power)]
        return " and ".join(f"{name} {value}" for name, value in said if value is not None)


@dataclass(frozen=True, repr=False)
class StudyPlan(Shown):
    """Simulated studies of several sizes: their source, components and goals.

    `spread` is the SD of the mean by number of images. `signed`: the mean can be on either side of 0, so
    power is meaningful.
    """

    source: str
    parts: Components
    plans: tuple[PlannedStudy, ...]
    spread: tuple[SpreadAtSize, ...]
    wanted: Wanted
    level: float
    signed: bool = True

    @property
    def smallest(self) -> PlannedStudy | None:
        """The study with the fewest ratings that reaches the goals."""
        if not str(self.wanted):
            return None
        width = np.inf if self.wanted.half_width is None else self.wanted.half_width
        return smallest_study(self.plans, half_width=float(width), power=self.wanted.power or 0.0)

    def tables(self) -> list[Table]:
        """Every size, the smallest that is good enough, and the SD by number of images."""
        rows: list[list[Cell]] = [
            [
                plan.n_items,
                plan.n_raters,
                plan.n_ratings,
                plan.half_width,
                plan.spread,
                plan.coverage,
                *([plan.power] if self.signed else []),
            ]
            for plan in self.plans
        ]
        sds = self._sds()
        title = (
            f"{self.source}; mean {self.parts.mean:.3f}, SD of images {sds['items']:.3f}, "
            f"of ratings {sds['residuals']:.3f}"
        ) + (f", of raters {sds['raters']:.3f}" if sds["raters"] else "")
        power = ["power"] if self.signed else []
        header = ["images", "raters", "ratings", "half width", "spread", "coverage", *power]
        shown = [Table(title, header, rows, self._verdict())]
        if self.spread:
            by_size: list[list[Cell]] = [[one.n_items, one.sd] for one in self.spread]
            shown.append(Table("SD of the mean by number of images", ["images", "SD"], by_size))
        return shown

    def to_pandas(self) -> pd.DataFrame:
        """A row for each size."""
        return self.table().to_pandas().reset_index()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        best = self.smallest
        return {
            "source": self.source,
            "mean": self.parts.mean,
            "sd": self._sds(),
            "level": self.level,
            "plans": [{**plan._asdict(), "n_ratings": plan.n_ratings} for plan in self.plans],
            "smallest": best._asdict() if best is not None else None,
            "sd_by_images": [one._asdict() for one in self.spread],
        }

    def _sds(self) -> dict[str, float]:
        names = ("items", "raters", "residuals")
        return {name: float(np.sqrt(getattr(self.parts, name).var())) for name in names}

    def _verdict(self) -> str:
        if not str(self.wanted):
            return ""
        best = self.smallest
        if best is None:
            return f"none of these sizes reaches {self.wanted}. Try more images or raters."
        return (
            f"smallest study for {self.wanted}: {best.n_ratings:,} ratings "
            f"({best.n_items:,} images, {best.n_raters} per image)"
        )


def plan(
    pilot: Judgments | Given | None = None,
    *,
    aspect: str | None = None,
    system: str = "",
    minus: str = "",
    mean: float | None = None,
    sd_images: float | None = None,
    sd_raters: float | None = None,
    images: Sequence[int] = IMAGES,
    raters: Sequence[int] = RATERS,
    half_width: float | None = None,
    power: float | None = None,
    crossed: bool = False,
    simulations: int = DEFAULT_RESAMPLES,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> StudyPlan:
    """Simulate studies of several sizes, and find the smallest that is precise or powerful enough.

    Studies are simulated from the judgments of a pilot (of all captions, of one `system`, or of its
    difference from another, `minus`), or from an assumed mean and standard deviations. `crossed`: the
    same raters rate all images; otherwise each image has its own.

    >>> found = plan(mean=0.2, sd_images=0.5, sd_raters=0.5, images=[50], raters=[2], power=0.5)
    >>> found.smallest.n_ratings
    100
    """
    check_arguments(plan, locals())
    _require_wanted(half_width, power)
    sizes = _sizes(images, "images", 2), _sizes(raters, "raters", 1)
    simulated: dict[str, Any] = {"simulations": simulations, "level": level, "seed": seed}
    wanted = Wanted(half_width, power)
    if pilot is None:
        parts = _assumed(mean, sd_images, sd_raters)
        return StudyPlan(
            "stated assumptions", parts, plan_study(parts, *sizes, **simulated), (), wanted, level
        )
    if sd_images is not None or sd_raters is not None:
        raise InputError("the pilot has standard deviations of its own. Leave out one or the other.")
    what, matrix = _pilot(load_judgments(pilot), aspect, system, minus)
    several = max(sizes[1]) > 1
    parts = variance_components(matrix, "crossed" if crossed else "nested", several_raters=several)
    if mean is not None:
        parts = parts._replace(mean=mean)
    rated = matrix[(~np.isnan(matrix)).any(axis=1)]
    spread = spread_by_sample_size(np.nanmean(rated, axis=1), sizes[0], draws=simulations, seed=seed)
    name = f"{Path(pilot).name}: " if isinstance(pilot, str | PathLike) else ""
    signed = mean is not None or power is not None or bool((rated <= 0).any())
    plans = plan_study(parts, *sizes, **simulated)
    return StudyPlan(f"{name}{what}", parts, plans, spread, wanted, level, signed)


def _require_wanted(half_width: float | None, power: float | None) -> None:
    if half_width is not None and not 0 < half_width < math.inf:
        raise InputError(f"the half width is {half_width:g}; it must be above 0 and finite.")
    if power is not None and not 0 < power < 1:
        raise InputError(f"the power is {power:g}; it must be between 0 and 1. Give 0.8 for 80%.")


def _sizes(given: Sequence[int], name: str, least: int) -> list[int]:
    found = list(given)
    if not found or min(found) < least or max(found) > MOST:
        raise InputError(f"{name}: give numbers from {least} to {MOST:,}, such as 50, 100 and 200.")
    return found


def _pilot(judged: Judgments, aspect: str | None, system: str, minus: str) -> tuple[str, FloatArray]:
    table = slotted(judged, one_aspect(judged, aspect))
    matrix = table.matrix(one_aspect(table, aspect), table.stages[0])
    rows = {
        name: {image: row for row, (image, own) in enumerate(table.keys) if own == name}
        for name in (system, minus)
        if name
    }
    for name, own in rows.items():
        if not own:
            raise UnknownNameError("system", name, sorted({own for _, own in table.keys}))
    if not minus:
        return system or "all captions", matrix[list(rows[system].values())] if system else matrix
    if not system:
        raise InputError(
            "minus is given without system.", python="Give system= too.", command="Give --system too."
        )
    shared = [image for image in rows[system] if image in rows[minus]]
    if not shared:
        raise InputError(f'"{system}" and "{minus}" share no image. Rate both on the same images.')
    difference = matrix[[rows[system][i] for i in shared]] - matrix[[rows[minus][i] for i in shared]]
    return f"{system} minus {minus}", difference


def _assumed(mean: float | None, sd_images: float | None, sd_raters: float | None) -> Components:
    if sd_images is None or sd_raters is None:
        raise InputError(
            "there is no pilot. Give a file of judgments, or",
            python="sd_images= and sd_raters= (and mean=, for the power).",
            command="--sd-images and --sd-raters (and --mean, for the power).",
        )
    return assumed_components(mean or 0.0, sd_images, sd_raters)
