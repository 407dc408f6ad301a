"""`captious doctor`: what is installed, what each metric still needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from captious.cli import options
from captious.cli.output import Format

if TYPE_CHECKING:
    from captious.models.weights import Status
    from captious.tables import Cell, Table


def doctor(
    get: Annotated[
        list[str] | None,
        typer.Option("--get", help="Fetch the weights of this metric, or weights by their name."),
    ] = None,
    form: options.OutputFormat = Format.table,
) -> None:
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
    from captious.tables import Table

    for name in get or ():
        _fetch(name)
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
    users = _weights()
    detectors, taggers = missing_for_detectors(), missing_for_taggers()
    payload = {
        "version": __version__,
        "python": python,
        "metrics": metrics,
        "weights": {one.name: one._asdict() | {"metrics": names} for one, names in users.items()},
        "detectors": detectors,
        "taggers": taggers,
    }
    others = [_commands("detector", detectors), _commands("tagger of captious stats", taggers)]
    emit([table, _weight_table(users), *others], payload, form)


def _fetch(name: str) -> None:
    """Weights by name, or all that a metric runs."""
    from captious.cli.output import note
    from captious.metrics import known_metrics, resolve
    from captious.models import weights

    for one in resolve(name).weights() if name in known_metrics() else (name,):
        note(f"{one}: {weights.fetch(one).path}")


def _weights() -> dict[Status, list[str]]:
    """Every metric's weights as they are here, and the metrics that run them."""
    from captious.metrics import known_metrics, resolve
    from captious.models.weights import status

    users: dict[str, list[str]] = {}
    for name in known_metrics():
        for one in resolve(name).weights():
            users.setdefault(one, []).append(name)
    return {status(one): names for one, names in users.items()}


def _weight_table(users: dict[Status, list[str]]) -> Table:
    from captious.tables import Table

    rows: list[list[Cell]] = [
        [
            one.name,
            ", ".join(names),
            "present" if one.present else "missing",
            one.size,
            one.revision,
            one.licence,
            one.path or one.command,
        ]
        for one, names in users.items()
    ]
    header = ["weights", "of", "state", "size", "revision", "licence", "where, or the command that gets them"]
    return Table("", header, rows)


def _commands(kind: str, wanted: dict[str, str]) -> Table:
    from captious.tables import Table

    rows: list[list[Cell]] = [[name, "missing" if want else "ready", want] for name, want in wanted.items()]
    return Table("", [kind, "state", "the command that gets it"], rows)
