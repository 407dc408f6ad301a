"""A report on the agreement of raters who marked places in captions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from captious.arguments import check_arguments
from captious.benchmarks.rater_agreement.report import AgreementReport, agreement_report
from captious.corpus import Findings
from captious.corpus.finding_files import read_findings
from captious.corpus.findings import MQM, NO_PLACE
from captious.errors import InputError
from captious.stats.agreement import coefficient_named, span_agreement_summary
from captious.stats.estimate import Estimate
from captious.stats.resample import DEFAULT_RESAMPLES, DEFAULT_SEED
from captious.tables import Cell, Shown, Table


class Marker(NamedTuple):
    """A rater: captions read, findings, their share of the characters read, and the mean MQM score."""

    name: str
    captions: int
    findings: int
    share: float
    score: float


@dataclass(frozen=True, repr=False)
class SpanAgreement(Shown):
    """The agreement of raters on places, on each kind of finding, and on the scores that follow."""

    captions: int
    findings: int
    coefficients: dict[str, Estimate]
    kinds: dict[str, dict[str, Estimate]]
    raters: list[Marker]
    scores: AgreementReport
    notes: list[str] = field(default_factory=list)

    def tables(self) -> list[Table]:
        """Coefficients, each kind, each rater, and the agreement on scores."""
        found = [_coefficients(self)]
        if len(self.kinds) > 1:
            found.append(_kinds(self))
        return [*found, _raters(self), self.scores.table()]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "captions": self.captions,
            "findings": self.findings,
            "coefficients": {name: value._asdict() for name, value in self.coefficients.items()},
            "kinds": {
                kind: {name: value._asdict() for name, value in own.items()}
                for kind, own in self.kinds.items()
            },
            "raters": [rater._asdict() for rater in self.raters],
            "scores": self.scores.to_dict(),
            "notes": self.notes,
        }


def span_agreement(
    findings: Findings | str | PathLike[str],
    *,
    kind: str | None = None,
    weights: Mapping[str, float] | None = None,
    gamma: bool = False,
    resamples: int = DEFAULT_RESAMPLES,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> SpanAgreement:
    """How far raters agree on what is wrong in captions, and where, with intervals over images.

    `kind` keeps the findings of one kind. `weights` are those of `Findings.to_judgments`, whose scores
    are compared as ratings are. `gamma` adds Mathet's gamma, which needs `captious[gamma]`.

    >>> from captious.corpus import Finding
    >>> found = Findings.from_rows([
    ...     Finding("1", "m", "A red dog.", 2, 5, "attribute", source="ann"),
    ...     Finding("1", "m", "A red dog.", 2, 9, "attribute", source="bob")])
    >>> round(span_agreement(found, resamples=0).coefficients["character_f1"].value, 2)
    0.6
    """
    check_arguments(span_agreement, locals())
    if not isinstance(findings, Findings):
        findings = read_findings(findings)
    if kind is not None:
        findings = findings.of_kind(kind)
    if len(findings.sources) < 2:
        by = f': "{findings.sources[0]}"' if findings.sources else ""
        raise InputError(f"findings: there is only one rater{by}. Agreement needs two.")
    asked: dict[str, Any] = {"resamples": resamples, "level": level, "seed": seed}
    images = [image for image, _ in findings.keys]
    texts = findings.marked_texts()
    if all(len(one.by) < 2 for one in texts):
        raise InputError("findings: no caption was read by two raters. Agreement needs two on a caption.")
    summary = span_agreement_summary(texts, gamma=gamma, clusters=images, **asked)
    kinds = list(dict.fromkeys(findings.kinds))
    missing = int((findings.starts == NO_PLACE).sum())
    return SpanAgreement(
        captions=len(texts),
        findings=len(findings),
        coefficients=summary,
        kinds={
            one: span_agreement_summary([text.of_kind(one) for text in texts], clusters=images, **asked)
            for one in kinds
        },
        raters=_markers(findings, weights),
        scores=agreement_report(findings.to_judgments(weights), **asked),
        notes=[f"{missing:,} findings of what is missing have no place; they count in scores only"]
        if missing
        else [],
    )


def _markers(findings: Findings, weights: Mapping[str, float] | None) -> list[Marker]:
    judged = findings.to_judgments(weights)
    scores = judged.matrix(MQM)
    lengths = np.array([len(text) for text in findings.captions])
    found = []
    for source, name in enumerate(findings.sources):
        read = [example for example, own in findings.looked if own == source]
        marked = sum(b - a for e in read for a, b in _union(findings.spans(e, source)))
        rows = int((findings.source_of == source).sum())
        share = marked / max(1, int(lengths[read].sum()))
        column = scores[:, judged.raters.index(name)]
        found.append(Marker(name, len(read), rows, share, float(np.nanmean(column))))
    return found


def _union(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans without what they share."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        last = found[-1][1] if found else 0
        if end > last:
            found.append((max(start, last), end))
    return found


def _coefficients(report: SpanAgreement) -> Table:
    level = next(iter(report.coefficients.values())).level
    rows: list[list[Cell]] = [
        [coefficient_named(name).title, one.value, one.low, one.high, one.n_items, one.reason]
        for name, one in report.coefficients.items()
    ]
    title = f"{report.findings:,} findings in {report.captions:,} captions, {len(report.raters)} raters"
    header = ["coefficient", "value", f"low {level:.0%}", f"high {level:.0%}", "captions", "note"]
    return Table(title, header, rows, "\n".join(report.notes))


def _kinds(report: SpanAgreement) -> Table:
    names = [name for name in next(iter(report.kinds.values())) if name != "alpha_u_kinds"]
    rows: list[list[Cell]] = [
        [kind, *(own[name].value for name in names)] for kind, own in report.kinds.items()
    ]
    return Table("by kind", ["kind", *(coefficient_named(name).title for name in names)], rows)


def _raters(report: SpanAgreement) -> Table:
    rows: list[list[Cell]] = [list(rater) for rater in report.raters]
    return Table("raters", ["rater", "captions", "findings", "share marked", "mean score (MQM)"], rows)
