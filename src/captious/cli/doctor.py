"""`captious doctor`: what is installed, what each metric still needs."""

from __future__ import annotations

from captious.cli import options
from captious.cli.output import Format


def doctor(form: options.OutputFormat = Format.table) -> None:
    """Show which metrics can run here and the command that gets what is missing.

    Example: captious doctor --format json
    """
    import sys

    from captious._version import __version__
    from captious.cli.output import emit
    from captious.corpus.parts_of_speech import missing_for_taggers
    from captious.metrics import known_metrics
    from captious.models.detect.ready import missing_for_detectors
    from captious.scoring import missing_for
    from captious.tables import Cell, Table

    rows: list[list[Cell]] = []
    metrics = {}
    for name, metric in known_metrics().items():
        missing = missing_for(name)
        needs = ", ".join(sorted(metric.needs)) or "nothing"
        rows.append([name, "ready" if not missing else "missing", needs, missing or metric.summary])
        metrics[name] = {
            "ready": not missing,
            "needs": sorted(metric.needs),
            "missing": missing,
            "summary": metric.summary,
            "citation": metric.citation,
        }
    python = sys.version.split()[0]
    table = Table(
        f"captious {__version__}, Python {python}",
        ["metric", "state", "needs", "what it is, or what it still wants"],
        rows,
    )
    detectors = missing_for_detectors()
    second = Table(
        "",
        ["detector", "state", "the command that gets it"],
        [[kind, "missing" if want else "ready", want] for kind, want in detectors.items()],
    )
    taggers = missing_for_taggers()
    third = Table(
        "",
        ["tagger of captious stats", "state", "the command that gets it"],
        [[kind, "missing" if want else "ready", want] for kind, want in taggers.items()],
    )
    payload = {
        "version": __version__,
        "python": python,
        "metrics": metrics,
        "detectors": detectors,
        "taggers": taggers,
    }
    emit([table, second, third], payload, form)
