"""`captious doctor`: what is installed, what each metric still needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from captious.cli import options
from captious.cli.output import Format

if TYPE_CHECKING:
    from captious.tables import Cell, Table


def doctor(
    get: Annotated[
        list[str] | None,
        typer.Option(
            "--get", metavar="NAME", help="Download these weights first, as `captious weights get`."
        ),
    ] = None,
    form: options.OutputFormat = Format.table,
) -> None:
    """Show which metrics can run.

    For the others, prints the command that installs what is missing.

    Example: captious doctor --format json
    """
    import sys

    from captious._version import __version__
    from captious.cli.output import emit
    from captious.cli.weights import fetch, payload, statuses, weight_table
    from captious.corpus.parts_of_speech import missing_for_taggers
    from captious.metrics import known_metrics
    from captious.metrics.declared import HEADER, declared
    from captious.models.detect.ready import missing_for_detectors
    from captious.scoring import missing_for
    from captious.tables import Table

    fetch(get or ())
    rows: list[list[Cell]] = []
    metrics = {}
    for name, metric in known_metrics().items():
        missing = missing_for(name)
        needs = ", ".join(sorted(metric.needs)) or "nothing"
        rows.append([name, "ready" if not missing else "missing", needs, missing or metric.summary])
        metrics[name] = {
            "ready": not missing,
            "needs": sorted(metric.needs),
            "longest": metric.longest._asdict() if metric.longest is not None else None,
            "languages": list(metric().languages()),
            "missing": missing,
            "summary": metric.summary,
            "citation": metric.citation,
        }
    python = sys.version.split()[0]
    table = Table(
        f"captious {__version__}, Python {python}",
        ["metric", "state", "needs", "what it measures, or what is missing"],
        rows,
    )
    users = statuses()
    detectors, taggers = missing_for_detectors(), missing_for_taggers()
    found = {
        "version": __version__,
        "python": python,
        "metrics": metrics,
        "weights": payload(users),
        "detectors": detectors,
        "taggers": taggers,
    }
    texts = Table("", list(HEADER), [list(row) for row in declared(known_metrics())])
    others = [_commands("detector", detectors), _commands("tagger of captious stats", taggers)]
    emit([table, texts, weight_table(users), *others], found, form)


def _commands(kind: str, wanted: dict[str, str]) -> Table:
    from captious.tables import Table

    rows: list[list[Cell]] = [[name, "missing" if want else "ready", want] for name, want in wanted.items()]
    return Table("", [kind, "state", "command to get it"], rows)
