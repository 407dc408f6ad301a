"""Agreement of raters: virtual raters, two stages of the same raters, raters left out."""

from __future__ import annotations

import numpy as np

from captious.benchmarks.studies.asked import Asked, Cells, Measured, measure
from captious.corpus import Judgments
from captious.errors import InputError
from captious.stats.retest import StageAgreement, stage_agreement
from captious.stats.virtual_raters import RUNS, virtual_rater_agreement


@measure("virtual raters")
def virtual_raters(asked: Asked) -> Cells:
    """Kendall's tau of each virtual rater with the others, W, and kappa without and with 4 = 5."""
    data = asked.examples()
    matrix = data.judgments.matrix(data.protocol.aspect)
    ratings = (~np.isnan(matrix)).sum(axis=1)
    if (ratings < 3).all():
        raise InputError("it needs captions with three ratings, and there are none.")
    # Of items with three ratings each, every run is the same.
    runs = 1 if (ratings == 3).all() else RUNS
    found = virtual_rater_agreement(matrix, runs=runs)
    values = {
        "tau_x": found.tau[0],
        "tau_y": found.tau[1],
        "tau_z": found.tau[2],
        "w": found.w,
        "kappa": found.kappa,
        "kappa_4=5": found.kappa_merged,
    }
    row = asked.room.own.name if asked.room.own else asked.table.rows[0]
    note = "" if runs == 1 else f"mean of {runs} runs"
    return {(row, name): Measured(value.mean, note=note) for name, value in values.items()}


@measure("stages")
def stages(asked: Asked) -> Cells:
    """Alpha and tau of each rater's two stages, of each stage, of both, and of both without each rater."""
    judged = asked.examples().judgments
    found = _agreement(judged)
    cells: Cells = {}
    for rater, one in zip(judged.raters, found.raters, strict=True):
        cells[rater, "alpha"], cells[rater, "tau"] = Measured(one.alpha.value), Measured(one.tau_b)
    for row, alpha in (
        ("first stage", found.alpha_first),
        ("second stage", found.alpha_second),
        ("both stages", found.alpha_both),
        *((f"without {rater}", own) for rater, own in zip(judged.raters, found.without, strict=True)),
    ):
        cells[row, "alpha"] = Measured(alpha.value)
    cells["both stages", "tau"] = Measured(found.tau_b)
    if asked.is_own:
        columns = asked.table.columns
        return {
            (row, column): value
            for (row, column), value in cells.items()
            if column in columns and _is_of(row, asked, judged)
        }
    return cells


def _agreement(judged: Judgments) -> StageAgreement:
    if len(judged.stages) != 2:  # Ruiz et al. 2024, 2.2
        raise InputError(f"it compares two stages of the same raters, and there are {len(judged.stages)}.")
    aspect = judged.aspects[0]
    first, second = (judged.matrix(aspect, stage) for stage in judged.stages)
    return stage_agreement(first, second)


def _is_of(row: str, asked: Asked, judged: Judgments) -> bool:
    """Whether a row is of a kind that the table has: raters, stages, or the raters without one."""
    return _kind(row, judged) in {_kind(own, judged) for own in asked.table.rows}


def _kind(row: str, judged: Judgments) -> str:
    if row.endswith(("stage", "stages")) and row not in judged.raters:
        return "stage"
    return "rater" if row in judged.raters or not row.startswith("without ") else "without"
