"""The rates of an error audit, and the share of HUMANr that errors explain, with their tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from captious.cli.output import Format
from captious.corpus import Judgments
from captious.corpus.judged import read_judgments
from captious.errors import InputError
from captious.protocols.audit import (
    FEWEST_PAIRS,
    QUESTIONS,
    ErrorRate,
    Explained,
    compare_errors,
    error_rates,
    explained_share,
)
from captious.tables import Cell, Number, Table

PREFERENCE = "preference"
SMALL = 0.001


class Audited(NamedTuple):
    """Rates, differences from `against` by source, and explained shares by system."""

    against: str
    rates: list[ErrorRate]
    differences: dict[str, dict[str, tuple[float, float]]]
    explained: dict[str, Explained]


def audited(
    path: Path,
    preferences: Path | None,
    against: str,
    *,
    resamples: int,
    trials: int,
    level: float,
    seed: int,
) -> Audited:
    """Everything that an audit's judgments, and HUMANr's where given, tell."""
    judged = read_judgments(path).judgments
    missing = next((q.name for q in QUESTIONS if q.name not in judged.aspects), None)
    if missing is not None:
        raise InputError(
            f'{path}: no row has the aspect "{missing}". An audit needs all seven: '
            f"{', '.join(question.name for question in QUESTIONS)}."
        )
    sources = list(dict.fromkeys(source for _, source in judged.keys))
    draws = {"resamples": resamples, "level": level, "seed": seed}
    differences = {}
    if against in sources:
        differences = {
            source: compare_errors(judged, source, against, trials=trials, seed=seed)
            for source in sources
            if source != against
        }
    explained = {}
    if preferences is not None:
        scores = _preferences(preferences)
        for system in sources:
            if own := scores.get(system):
                explained[system] = explained_share(judged, own, system, **draws)  # type: ignore[arg-type]
        if not explained:
            raise InputError(
                f"{preferences}: none of its systems was audited. Audited: {', '.join(sources)}."
            )
    rates = error_rates(judged, **draws)  # type: ignore[arg-type]
    return Audited(against, rates, differences, explained)


def _preferences(path: Path) -> dict[str, dict[str, float]]:
    """HUMANr of each image, by system."""
    judged: Judgments = read_judgments(path).judgments
    if PREFERENCE not in judged.aspects and len(judged.aspects) > 1:
        raise InputError(f'{path}: no row has the aspect "{PREFERENCE}". Give HUMANr judgments.')
    aspect = PREFERENCE if PREFERENCE in judged.aspects else judged.aspects[0]
    found: dict[str, dict[str, float]] = {}
    for (image, system), mean in zip(judged.keys, judged.means(aspect).tolist(), strict=True):
        if not np.isnan(mean):
            found.setdefault(system, {})[image] = mean
    return found


def tables(found: Audited, form: Format) -> list[Table]:
    """Rates with the difference beside them, then what they explain."""
    rows: list[list[Cell]] = []
    for rate in found.rates:
        difference, p = found.differences.get(rate.source, {}).get(rate.question, (None, None))
        rows.append(
            [
                rate.source,
                rate.question,
                *(_three(value) for value in (rate.rate.value, rate.rate.low, rate.rate.high)),
                rate.captions,
                _three(difference),
                _three(p) if p is None or p >= SMALL else Number(p, f"<{SMALL}"),
            ]
        )
    header = ["source", "question", "rate", "low", "high", "captions", f"less {found.against}", "p"]
    note = "intervals: bootstrap over images; p: randomisation test over images"
    shown = [Table("error rates", header, rows, note)]
    if found.explained and form is not Format.csv:
        shares: list[list[Cell]] = [
            [
                system,
                _three(one.all_pairs),
                one.pairs,
                _three(one.without_errors),
                one.pairs_without_errors,
                *(_three(value) for value in (one.share.value, one.share.low, one.share.high)),
            ]
            for system, one in found.explained.items()
        ]
        header = ["system", "HUMANr", "pairs", "without errors", "pairs", "share explained", "low", "high"]
        shown.append(
            Table(
                "HUMANr explained by errors",
                header,
                shares,
                "share explained = 1 - (HUMANr without errors / HUMANr)" + _caution(found.explained),
            )
        )
    return shown


def _caution(explained: dict[str, Explained]) -> str:
    """A line for the systems whose share rests on few pairs without errors."""
    few = [f"{name} {one.pairs_without_errors}" for name, one in explained.items() if one.few]
    if not few:
        return ""
    return (
        f"\ncaution: fewer than {FEWEST_PAIRS} pairs without errors ({', '.join(few)}), so the share may be "
        "anything"
    )


def payload(found: Audited) -> dict[str, Any]:
    """Plain values for JSON."""
    return {
        "against": found.against,
        "rates": [{**rate._asdict(), "rate": rate.rate._asdict()} for rate in found.rates],
        "differences": {
            source: {question: {"difference": d, "p": p} for question, (d, p) in own.items()}
            for source, own in found.differences.items()
        },
        "explained": {
            system: {**one._asdict(), "share": one.share._asdict()} for system, one in found.explained.items()
        },
    }


def _three(value: float | None) -> Cell:
    return "" if value is None else value
