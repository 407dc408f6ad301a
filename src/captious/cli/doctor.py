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
            "--get", metavar="NAME", help="Download these weights first, as `captious get weights`."
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also list what is ready: limits, languages, weights.")
    ] = False,
    form: options.OutputFormat = Format.table,
) -> None:
    """Show what cannot run yet, and the command that gets it.

    --all lists every metric with its longest text and languages, all weights, detectors and taggers.

    Example: captious doctor --format json
    """
    import sys

    from captious._version import __version__
    from captious.cli.output import emit
    from captious.cli.weights import fetch, payload, statuses, weight_table
    from captious.corpus.parts_of_speech import missing_for_taggers
    from captious.metrics import known_metrics
    from captious.metrics.declared import HEADER, declared
    from captious.models.detect.run import missing_for_detectors
    from captious.scoring import missing_for
    from captious.tables import Table

    fetch(get or ())
    rows: list[list[Cell]] = []
    metrics = {}
    for name, metric in known_metrics().items():
        missing = missing_for(name)
        needs = ", ".join(sorted(metric.needs)) or " or ".join(metric.needs_one_of) or "nothing"
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
    wanted = {name: missing_for(name) for name in metrics} | detectors | taggers
    tables = [_missing(table.title, wanted)]
    if every or form != Format.table:
        texts = Table("", list(HEADER), [list(row) for row in declared(known_metrics())])
        others = [_commands("detector", detectors), _commands("tagger of captious data stats", taggers)]
        tables = [table, texts, weight_table(users), *others]
    emit(tables, found, form)


def _missing(title: str, wanted: dict[str, str]) -> Table:
    """What cannot run, with its way out; what is ready by name."""
    from captious.tables import Table

    names: dict[str, list[str]] = {}
    for name, want in wanted.items():
        names.setdefault(want, []).append(name)
    ready = ", ".join(names.pop("", ()))
    rows: list[list[Cell]] = [[", ".join(several), want] for want, several in names.items()]
    note = f"Ready: {ready}.\n--all lists every metric with its longest text and languages, and all weights."
    return Table(title, ["not ready", "what is missing"], rows, note)


def _commands(kind: str, wanted: dict[str, str]) -> Table:
    from captious.tables import Table

    rows: list[list[Cell]] = [[name, "missing" if want else "ready", want] for name, want in wanted.items()]
    return Table("", [kind, "state", "command to get it"], rows)
