"""Findings of a check: code, severity, count, examples and how to fix them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from captious.errors import UnknownNameError, one_line
from captious.tables import Cell, Shown, Table

if TYPE_CHECKING:
    import pandas as pd

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
EXAMPLES_SHOWN = 5


class Place(NamedTuple):
    """One place where a finding applies."""

    file: str
    where: str
    image: str | None
    system: str | None
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; what is unknown is left out."""
        return {name: value for name, value in self._asdict().items() if value is not None}


@dataclass(frozen=True)
class Finding:
    """One kind of problem: count, total, first places and how to fix it."""

    code: str
    severity: Severity
    subject: str
    what: str
    mend: str
    count: int
    of: int
    examples: tuple[Place, ...] = ()
    systems: dict[str, int] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """Count over total; 0 where there is nothing to count."""
        return self.count / self.of if self.of else 0.0

    @property
    def first(self) -> str:
        """The first place, with its text."""
        return self.shown_first(with_file=False)

    def shown_first(self, *, with_file: bool) -> str:
        """The first place, with its text, and its file if several are checked."""
        if not self.examples:
            return ""
        place = self.examples[0]
        parts = [place.file if with_file else "", place.where or f'image "{place.image}"', place.text]
        return ": ".join(part for part in parts if part)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        found: dict[str, Any] = {
            "code": self.code,
            "severity": self.severity,
            "subject": self.subject,
            "what": self.what,
            "mend": self.mend,
            "count": self.count,
            "of": self.of,
            "examples": [place.to_dict() for place in self.examples],
        }
        if self.systems:
            found["systems"] = self.systems
        return found


@dataclass(frozen=True, repr=False)
class CheckReport(Shown):
    """All findings, the most severe first, and how much was checked."""

    findings: tuple[Finding, ...]
    captions: int
    images: int
    references: int
    systems: tuple[str, ...]
    formats: dict[str, str]

    def __getitem__(self, code: str) -> Finding:
        for finding in self.findings:
            if finding.code == code:
                return finding
        raise UnknownNameError("finding", code, [finding.code for finding in self.findings])

    def __contains__(self, code: object) -> bool:
        return any(finding.code == code for finding in self.findings)

    def wrong(self, *, strict: bool = False, allow: Iterable[str] = ()) -> tuple[Finding, ...]:
        """Findings that count as problems: errors and warnings, and notes if strict."""
        allowed = set(allow)
        return tuple(
            finding
            for finding in self.findings
            if finding.code not in allowed and (strict or finding.severity != "note")
        )

    def tables(self, *, allow: Iterable[str] = ()) -> list[Table]:
        """Return one table with one row per finding; those in `allow` are marked."""
        allowed = set(allow)
        rows: list[list[Cell]] = [
            [
                f"{finding.severity} (allowed)" if finding.code in allowed else finding.severity,
                finding.code,
                f"{finding.count:,} of {finding.of:,}",
                finding.what,
                finding.shown_first(with_file=len(self.systems) > 1),
                finding.mend,
            ]
            for finding in self.findings
        ]
        notes = [
            f"{self.captions:,} captions, {self.images:,} images, "
            f"{self.references:,} references; systems: {_few(self.systems)}"
        ]
        notes += [f"{path}: {form}" for path, form in self.formats.items()]
        for finding in self.findings:
            if finding.systems:
                counts = [f"{name} {n:,}" for name, n in finding.systems.items()]
                notes.append(f"{finding.code}: {_few(counts)}")
        if not self.findings:
            notes.append("no problems found")
        columns = ["severity", "code", "count", "what", "first", "mend"]
        return [Table("", columns, rows, "\n".join(notes))]

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per finding; `count` and `of` are numbers."""
        from captious.tables.frames import data_frame

        columns = ["severity", "code", "subject", "count", "of", "what", "first", "mend"]
        return data_frame([[getattr(one, name) for name in columns] for one in self.findings], columns)

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON shape."""
        return {
            "captions": self.captions,
            "images": self.images,
            "references": self.references,
            "systems": list(self.systems),
            "formats": self.formats,
            "counts": {
                severity: sum(f.severity == severity for f in self.findings) for severity in SEVERITIES
            },
            "findings": [finding.to_dict() for finding in self.findings],
        }


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")


def by_severity(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Errors, then warnings, then notes; the most frequent first."""
    return tuple(sorted(findings, key=lambda f: (SEVERITIES.index(f.severity), -f.count, f.code)))


def shown(text: object) -> str:
    """A caption as it appears in an example: one line, not too long."""
    return one_line(text if isinstance(text, str) else repr(text), 80)


def by_system(names: Sequence[str]) -> dict[str, int]:
    """How often each system is meant, the most frequent first."""
    return dict(Counter(names).most_common())
