"""A report on the agreement of raters: every coefficient, pairs, virtual raters, stages."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from captious.arguments import check_arguments
from captious.benchmarks.rater_agreement import tables
from captious.corpus import Judgments
from captious.corpus.columns import FloatArray
from captious.corpus.given import Given
from captious.corpus.judged import load_judgments
from captious.errors import CaptiousWarning, InputError, UnknownNameError, one_line
from captious.stats.agreement import agreement_summary, pairwise_agreement
from captious.stats.estimate import Estimate
from captious.stats.ratings import as_ratings
from captious.stats.reliability import SplitHalf, split_half
from captious.stats.resample import DEFAULT_RESAMPLES, DEFAULT_SEED
from captious.stats.retest import LeftOut, StageAgreement, leave_one_rater_out, stage_agreement
from captious.stats.virtual_raters import VirtualRaterAgreement, virtual_rater_agreement
from captious.tables import Shown, Table

if TYPE_CHECKING:
    import pandas as pd


def own_captions(judgments: Judgments) -> int:
    """How many of the examples are an image with a caption that was written for it.

    Flickr8k names a caption by its image: `1056338697.jpg#2`.

    >>> own_captions(Judgments.from_columns(
    ...     images=["a.jpg", "a.jpg"], systems=["a.jpg#2", "b.jpg#0"], values=[4, 1]))
    1
    """
    return sum(map(is_own, judgments.keys))


def is_own(key: tuple[str, str]) -> bool:
    """Whether the caption of this name was written for this image."""
    image, caption = key
    name, mark, number = caption.rpartition("#")
    return bool(mark) and number.isdecimal() and name == image


def without_own_captions(judgments: Judgments) -> Judgments:
    """The judgments of captions that were written for another image."""
    kept = np.array([not is_own(key) for key in judgments.keys], dtype=bool)
    rows = np.flatnonzero(kept[judgments.example_of])
    keys = [judgments.keys[i] for i in judgments.example_of[rows].tolist()]
    return Judgments.from_columns(
        images=[image for image, _ in keys],
        systems=[system for _, system in keys],
        raters=[judgments.raters[i] for i in judgments.rater_of[rows].tolist()],
        aspects=[judgments.aspects[i] for i in judgments.aspect_of[rows].tolist()],
        stages=[judgments.stages[i] for i in judgments.stage_of[rows].tolist()],
        values=judgments.values[rows],
        times=judgments.times[rows].tolist(),
    )


OWN = ("keep", "drop")
# Above this many raters, pairs and leave-one-out say little and take long.
MANY_RATERS = 40
NOT_PERSONS = "raters are numbered slots: Cohen's kappa, W, ICC and leave-one-out compare slots, not persons"


class RaterPair(NamedTuple):
    """Two raters over the items that both rated."""

    a: str
    b: str
    items: int
    percent: float
    kappa: float
    kappa_quadratic: float


@dataclass(frozen=True, repr=False)
class AgreementReport(Shown):
    """The agreement of raters on one aspect."""

    aspect: str
    items: int
    raters: list[str]
    ratings: int
    coefficients: dict[str, Estimate]
    pairs: list[RaterPair]
    left_out: dict[str, LeftOut]
    halves: SplitHalf
    virtual: VirtualRaterAgreement | None = None
    stages: StageAgreement | None = None
    stage_names: list[str] = field(default_factory=list)
    stage_raters: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def tables(self) -> list[Table]:
        """Coefficients, then what there is of pairs, raters, virtual raters and stages."""
        return tables.tables(self)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each coefficient, with its interval."""
        return self.table().to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        found: dict[str, Any] = {
            "aspect": self.aspect,
            "items": self.items,
            "raters": len(self.raters),
            "ratings": self.ratings,
            "coefficients": {name: value._asdict() for name, value in self.coefficients.items()},
            "pairs": [pair._asdict() for pair in self.pairs],
            "leave_one_out": {
                name: {**rater._asdict(), "alpha_without": rater.alpha_without._asdict()}
                for name, rater in self.left_out.items()
            },
            "split_half": self.halves._asdict(),
            "notes": self.notes,
        }
        if self.virtual:
            found["virtual_raters"] = _virtual_dict(self.virtual)
        if self.stages:
            found["stages"] = _stages_dict(self.stages, self.stage_names, self.stage_raters)
        return found


def agreement(
    judgments: Judgments | Given,
    *,
    own: str = "keep",
    aspect: str | None = None,
    merged: Mapping[float, float] | None = None,
    scale: tuple[float, float] | None = None,
    virtual: bool = False,
    resamples: int = DEFAULT_RESAMPLES,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> AgreementReport:
    """How far raters agree, of `Judgments`, or of a file, a table or a matrix as `load_judgments` takes it.

    `own="drop"` leaves out the pairs of an image with one of its own captions, on which raters agree
    easily, as published values of Flickr8k do. Other arguments are those of `agreement_report`.

    >>> given = zip("aabbcc", "xyxyxy", [1, 1, 2, 2, 3, 2], strict=True)
    >>> rows = [{"image": image, "rater": rater, "rating": value} for image, rater, value in given]
    >>> round(agreement(rows, resamples=0).coefficients["alpha_interval"].value, 3)
    0.706
    """
    check_arguments(agreement, locals())
    return agreement_report(
        _chosen(load_judgments(judgments), own),
        aspect=aspect,
        merged=merged,
        scale=scale,
        virtual=virtual,
        resamples=resamples,
        level=level,
        seed=seed,
    )


def _chosen(judgments: Judgments, own: str) -> Judgments:
    """All judgments, with a warning of images beside their own captions, or those without them."""
    if own not in OWN:
        raise UnknownNameError("value of own", own, OWN)
    count = own_captions(judgments)
    if own == "drop":
        if count == len(judgments.keys):
            raise InputError(
                "own: drop leaves nothing, because every caption was written for its image. Keep them."
            )
        return without_own_captions(judgments)
    if count:
        said = (
            f"{count:,} of {len(judgments.keys):,} items are an image with one of its own captions, on "
            "which raters agree easily. To compare with published values, drop them:"
        )
        warning = CaptiousWarning(said, python='own="drop".', command="--own drop.")
        warnings.warn(warning, stacklevel=3)
    return judgments


def agreement_report(
    judgments: Judgments,
    *,
    aspect: str | None = None,
    merged: Mapping[float, float] | None = None,
    scale: tuple[float, float] | None = None,
    virtual: bool = False,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> AgreementReport:
    """Compute the agreement on one aspect, with intervals over images.

    >>> judged = Judgments.from_columns(
    ...     images=list("aabbcc"), raters=["x", "y"] * 3, values=[1, 1, 2, 2, 3, 2])
    >>> report = agreement_report(judged)
    >>> round(report.coefficients["alpha_interval"].value, 3), report.pairs[0].percent
    (0.706, 0.666...)
    """
    aspect = one_aspect(judgments, aspect)
    table = slotted(judgments, aspect)
    rows = table.rows(aspect)
    rated = np.unique(table.example_of[rows])
    by_stage = [as_ratings(table.matrix(aspect, stage)[rated], scale) for stage in table.stages]
    # With two stages, a rater's two ratings of an item stand side by side.
    matrix = by_stage[0] if len(by_stage) == 1 else np.hstack(by_stage)
    used = np.flatnonzero((~np.isnan(matrix)).any(axis=0))
    matrix = matrix[:, used]
    names = table.raters if len(by_stage) == 1 else _staged_names(table)
    raters = [names[place] for place in used.tolist()]
    persons = [table.raters[place % len(table.raters)] for place in used.tolist()]
    if len(raters) < 2:
        raise InputError(f'aspect "{aspect}" has only one rater. Agreement needs two raters or two stages.')
    images = [table.keys[i][0] for i in rated.tolist()]
    asked: dict[str, Any] = {"resamples": resamples, "clusters": images, "level": level, "seed": seed}
    few = len(raters) <= MANY_RATERS
    notes = [] if few else [f"{len(raters)} raters: pairs and leave-one-out are left out"]
    if all(name.isdigit() for name in raters):
        notes.append(NOT_PERSONS)
    complete = int((~np.isnan(matrix)).all(axis=1).sum())
    if complete < len(rated):
        notes.append(f"W and ICC use the {complete:,} items that every rater rated")
    notes += _accepted(by_stage, table.stages)
    several = len(set(persons)) > (1 if len(by_stage) > 1 else 2)
    left_out = leave_one_rater_out(matrix, raters=persons, **asked) if few and several else ()
    two = len(by_stage) == 2
    return AgreementReport(
        aspect=aspect,
        items=len(rated),
        raters=raters,
        ratings=int((~np.isnan(matrix)).sum()),
        coefficients=agreement_summary(matrix, merged=merged, **asked),
        pairs=_pairs(matrix, raters) if few else [],
        left_out=dict(zip(dict.fromkeys(persons), left_out, strict=False)),
        halves=split_half(matrix, by="rating", splits=100, level=level, seed=seed),
        virtual=virtual_rater_agreement(matrix, merged=merged, seed=seed) if virtual else None,
        stages=stage_agreement(by_stage[0], by_stage[1], **asked) if two else None,
        stage_names=list(table.stages) if two else [],
        stage_raters=list(table.raters) if two else [],
        notes=notes,
    )


def _accepted(by_stage: list[FloatArray], stages: list[str]) -> list[str]:
    """A later stage by other raters may be a confirmation: how often it repeats the earlier rating."""
    if len(by_stage) != 2:
        return []
    first, second = by_stage
    once = (~np.isnan(first)).sum(axis=1) == 1
    both = once & ((~np.isnan(second)).sum(axis=1) == 1) & ~(~np.isnan(first) & ~np.isnan(second)).any(axis=1)
    if not both.any():
        return []
    same = int((np.nansum(first[both], axis=1) == np.nansum(second[both], axis=1)).sum())
    return [
        f"{same:,} of {int(both.sum()):,} ratings of stage {stages[1]} are those of stage {stages[0]} again, "
        "by another rater. If that rater saw them, as in THumB's second stage, they were only confirmed: "
        "agreement shows that they were accepted, not that raters agree"
    ]


def slotted(judgments: Judgments, aspect: str) -> Judgments:
    """Judgments of one aspect; where no rater is named, an item's ratings are numbered slots."""
    rows = judgments.rows(aspect)
    triples = list(
        zip(
            judgments.example_of[rows].tolist(),
            judgments.rater_of[rows].tolist(),
            judgments.stage_of[rows].tolist(),
            strict=True,
        )
    )
    if len(set(triples)) == len(triples):
        return judgments
    if judgments.raters != [""]:
        seen: set[tuple[int, int, int]] = set()
        again = next(t for t in triples if t in seen or seen.add(t))  # type: ignore[func-returns-value]
        image = one_line(judgments.keys[again[0]][0], 40)
        rater = one_line(judgments.raters[again[1]], 40)
        raise InputError(
            f'rater "{rater}" rates a caption of image "{image}" twice on "{aspect}". '
            "Keep one rating, or add a stage column."
        )
    counts: dict[tuple[int, int, int], int] = {}
    slots = []
    for triple in triples:
        counts[triple] = counts.get(triple, 0) + 1
        slots.append(str(counts[triple]))
    judged = [example for example, _, _ in triples]
    return Judgments.from_columns(
        images=[judgments.keys[example][0] for example in judged],
        systems=[judgments.keys[example][1] for example in judged],
        captions=[judgments.captions[example] for example in judged],
        examples=[judgments.ids[example] for example in judged],
        raters=slots,
        aspects=[aspect] * len(rows),
        values=judgments.values[rows],
        stages=[judgments.stages[stage] for _, _, stage in triples],
    )


def one_aspect(judgments: Judgments, asked: str | None) -> str:
    """The aspect that was asked for, or the only one, or the overall one."""
    if asked is not None:
        if asked not in judgments.aspects:
            raise UnknownNameError("aspect", asked, judgments.aspects)
        return asked
    if len(judgments.aspects) == 1 or "overall" in judgments.aspects:
        return "overall" if "overall" in judgments.aspects else judgments.aspects[0]
    raise InputError(
        f"the judgments have several aspects: {', '.join(judgments.aspects)}. Choose one with --aspect."
    )


def _staged_names(table: Judgments) -> list[str]:
    return [f"{rater} ({stage or 'no stage'})" for stage in table.stages for rater in table.raters]


def _pairs(matrix: FloatArray, raters: list[str]) -> list[RaterPair]:
    percent = pairwise_agreement(matrix, "percent")
    kappa = pairwise_agreement(matrix, "kappa")
    quadratic = pairwise_agreement(matrix, "kappa_quadratic")
    found = []
    for a in range(len(raters)):
        for b in range(a + 1, len(raters)):
            if shared := int(percent.shared[a, b]):
                values = (float(table.values[a, b]) for table in (percent, kappa, quadratic))
                found.append(RaterPair(raters[a], raters[b], shared, *values))
    return found


def _virtual_dict(virtual: VirtualRaterAgreement) -> dict[str, Any]:
    return {
        "tau": [tau._asdict() for tau in virtual.tau],
        "w": virtual.w._asdict(),
        "kappa": virtual.kappa._asdict(),
        "kappa_merged": virtual.kappa_merged._asdict(),
        "items": virtual.n_items,
        "dropped": virtual.dropped,
        "runs": virtual.runs,
    }


def _stages_dict(stages: StageAgreement, names: list[str], persons: list[str]) -> dict[str, Any]:
    return {
        "names": names,
        "alpha_first": stages.alpha_first._asdict(),
        "alpha_second": stages.alpha_second._asdict(),
        "alpha_both": stages.alpha_both._asdict(),
        "tau_b": stages.tau_b,
        "mean_tau_b": stages.mean_tau_b,
        "raters": {
            name: {**retest._asdict(), "alpha": retest.alpha._asdict()}
            for name, retest in zip(persons, stages.raters, strict=False)
        },
        "without": {
            name: estimate._asdict() for name, estimate in zip(persons, stages.without, strict=False)
        },
    }
