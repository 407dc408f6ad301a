"""Findings that somebody's metric wrote to a file, laid along the captions of a benchmark."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

from captious.benchmarks.protocol import Preferences, RatedExamples
from captious.benchmarks.scores import BenchmarkScores
from captious.corpus import Findings
from captious.corpus.finding_files import read_findings
from captious.errors import CaptiousWarning, InputError, UnknownNameError, one_line


def found_elsewhere(
    path: Path, data: RatedExamples | Preferences, metrics: Sequence[str] | None = None
) -> BenchmarkScores:
    """The findings of each source of a file, in the captions with the same image and text.

    `metrics` picks some of the sources. A caption that a source does not name is one in which it found
    nothing; a warning counts them.
    """
    if isinstance(data, Preferences) or data.findings is None:
        raise InputError(f"{path}: contains findings, but {data.protocol.name} has no spans of raters.")
    corpus, given = data.corpus, read_findings(path)
    for name in metrics or ():
        if name not in given.sources:
            raise UnknownNameError("metric of the file of findings", name, given.sources)
    found = given.places_in(corpus)
    findings = {}
    for name in metrics or given.sources:
        every = found[name]
        lacking = sum(one is None for one in every)
        if lacking == len(corpus):
            first = f'"{one_line(given.captions[0], 50)}" of image "{one_line(given.keys[0][0], 30)}"'
            raise InputError(
                f"{path}: no caption of {data.protocol.name} has a finding by {name}: the file has {first}. "
                "Give findings in the same captions, with the same image ids."
            )
        if lacking:
            said = f"{path.name}: no row by {name} for {lacking:,} of {len(corpus):,} captions"
            warnings.warn(f"{said}, where it found nothing.", CaptiousWarning, stacklevel=2)
        findings[name] = Findings.from_places(corpus, name, [one or [] for one in every]).on(corpus)
    return BenchmarkScores({}, {name: f"{name}|from:{path.name}" for name in findings}, findings)
