"""What `captious plan` reads and shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from captious.cli.output import Format
from captious.corpus.columns import FloatArray
from captious.errors import InputError, UnknownNameError, one_line
from captious.stats.planning import (
    Components,
    PlannedStudy,
    assumed_components,
    plan_study,
    smallest_study,
    variance_components,
)
from captious.stats.reliability import SpreadAtSize, spread_by_sample_size
from captious.tables import Cell, Table

MOST = 100_000  # images, or ratings an image: a study of more needs no simulation


class Asked(NamedTuple):
    """Sizes to try, what is wanted, and how it is simulated."""

    sizes: tuple[list[int], list[int]]
    half_width: float | None
    power: float | None
    crossed: bool
    simulations: int
    level: float
    seed: int


class Planned(NamedTuple):
    """Where the plan comes from, its parts, every size, and the SD by number of images.

    `signed`: the mean may be on either side of 0, so that the chance to show it above 0 says something.
    """

    source: str
    parts: Components
    plans: tuple[PlannedStudy, ...]
    spread: tuple[SpreadAtSize, ...]
    signed: bool = True

    def smallest(self, asked: Asked) -> PlannedStudy | None:
        """The study with fewest ratings that is as precise and powerful as wanted."""
        width = np.inf if asked.half_width is None else asked.half_width
        return smallest_study(self.plans, half_width=float(width), power=asked.power or 0.0)


def counts(text: str, option: str, least: int) -> list[int]:
    """Read `50,100,200`.

    >>> counts("50, 100", "--images", 2)
    [50, 100]
    """
    try:
        found = [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        found = []
    if not found or min(found) < least or max(found) > MOST:
        raise InputError(
            f'{option}: "{one_line(text, 30)}" is no list of numbers from {least} to {MOST:,}. '
            "Write 50,100,200."
        )
    return found


def from_pilot(
    path: Path, aspect: str | None, system: str, minus: str, mean: float | None, asked: Asked
) -> Planned:
    """Plan from judgments: of all captions, of one system, or of the difference of two."""
    from captious.benchmarks.raters import one_aspect, slotted
    from captious.corpus.judged import read_judgments

    judged = read_judgments(path).judgments
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
    if minus and not system:
        raise InputError("--minus names the other system of a difference. Give --system too.")
    if minus:
        shared = [image for image in rows[system] if image in rows[minus]]
        if not shared:
            raise InputError(f'"{system}" and "{minus}" share no image. Rate both on the same ones.')
        matrix = matrix[[rows[system][i] for i in shared]] - matrix[[rows[minus][i] for i in shared]]
        what = f"{system} less {minus}"
    else:
        matrix = matrix[list(rows[system].values())] if system else matrix
        what = system or "all captions"
    return _planned(f"{path.name}: {what}", matrix, mean, asked)


def _planned(source: str, matrix: FloatArray, mean: float | None, asked: Asked) -> Planned:
    design = "crossed" if asked.crossed else "nested"
    several = max(asked.sizes[1]) > 1
    parts = variance_components(matrix, design, several_raters=several)  # type: ignore[arg-type]
    if mean is not None:
        parts = parts._replace(mean=mean)
    rated = matrix[(~np.isnan(matrix)).any(axis=1)]
    spread = spread_by_sample_size(
        np.nanmean(rated, axis=1), asked.sizes[0], draws=asked.simulations, seed=asked.seed
    )
    signed = mean is not None or asked.power is not None or bool((rated <= 0).any())
    return Planned(source, parts, _simulated(parts, asked), spread, signed)


def from_assumptions(
    mean: float | None, sd_images: float | None, sd_raters: float | None, asked: Asked
) -> Planned:
    """Plan from a stated mean and standard deviations."""
    if sd_images is None or sd_raters is None:
        raise InputError(
            "there is no pilot to plan from. Give a file of judgments, or --sd-images and --sd-raters "
            "(and --mean, for the power)."
        )
    parts = assumed_components(mean or 0.0, sd_images, sd_raters)
    return Planned("stated assumptions", parts, _simulated(parts, asked), ())


def _simulated(parts: Components, asked: Asked) -> tuple[PlannedStudy, ...]:
    return plan_study(parts, *asked.sizes, simulations=asked.simulations, level=asked.level, seed=asked.seed)


def tables(found: Planned, asked: Asked, form: Format) -> list[Table]:
    """Every size, the smallest that is good enough, and the SD by number of images."""
    rows: list[list[Cell]] = [
        [
            plan.n_items,
            plan.n_raters,
            plan.n_ratings,
            plan.half_width,
            plan.spread,
            plan.coverage,
            *([plan.power] if found.signed else []),
        ]
        for plan in found.plans
    ]
    parts = found.parts
    sds = [float(np.sqrt(values.var())) for values in (parts.items, parts.raters, parts.residuals)]
    title = f"{found.source}; mean {parts.mean:.3f}, SD of images {sds[0]:.3f}, of ratings {sds[2]:.3f}" + (
        f", of raters {sds[1]:.3f}" if sds[1] else ""
    )
    header = [
        "images",
        "raters",
        "ratings",
        "half width",
        "spread",
        "coverage",
        *(["power"] if found.signed else []),
    ]
    shown = [Table(title, header, rows, _verdict(found, asked))]
    if found.spread and form is not Format.csv:
        by_size: list[list[Cell]] = [[one.n_items, one.sd] for one in found.spread]
        shown.append(Table("SD of the mean by number of images", ["images", "SD"], by_size))
    return shown


def _verdict(found: Planned, asked: Asked) -> str:
    if asked.half_width is None and asked.power is None:
        return ""
    wanted = [
        text
        for text, value in (
            (f"half width {asked.half_width}", asked.half_width),
            (f"power {asked.power}", asked.power),
        )
        if value is not None
    ]
    best = found.smallest(asked)
    if best is None:
        return f"no size here reaches {' and '.join(wanted)}. Try more images or raters."
    return (
        f"the fewest ratings for {' and '.join(wanted)}: {best.n_items:,} images by {best.n_raters} "
        f"({best.n_ratings:,} ratings)"
    )


def payload(found: Planned, asked: Asked) -> dict[str, Any]:
    """Plain values for JSON."""
    best = found.smallest(asked)
    wanted = asked.half_width is not None or asked.power is not None
    return {
        "source": found.source,
        "mean": found.parts.mean,
        "sd": {
            name: float(np.sqrt(getattr(found.parts, name).var()))
            for name in ("items", "raters", "residuals")
        },
        "level": asked.level,
        "plans": [{**plan._asdict(), "n_ratings": plan.n_ratings} for plan in found.plans],
        "smallest": best._asdict() if best is not None and wanted else None,
        "sd_by_images": [one._asdict() for one in found.spread],
    }
