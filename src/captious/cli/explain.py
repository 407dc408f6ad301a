"""`captious explain`: which object went to which word, at what cost, as text or as a picture."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from captious.cli import options

if TYPE_CHECKING:
    from captious.cli.output import Table
    from captious.explain import Explanation


class ExplainFormat(StrEnum):
    """How an explanation is shown."""

    table = "table"
    json = "json"
    csv = "csv"
    latex = "latex"
    markdown = "markdown"
    svg = "svg"
    html = "html"


def explain(
    candidates: options.Candidates,
    references: Annotated[
        list[Path] | None,
        typer.Option("--references", "-r", help="File with the references; vifidel can do without.",
                     show_default=False),
    ] = None,
    objects: options.Objects = None,
    metrics: Annotated[
        str, typer.Option("--metrics", "-m", help="vifidel or wmd, with options in brackets.")
    ] = "vifidel",
    image: Annotated[
        str | None, typer.Option("--id", help="Image whose captions to explain; without it the "
                                 "caption with the lowest score.")
    ] = None,
    system: Annotated[str | None, typer.Option("--system", help="Only this system.")] = None,
    name: options.Names = None,
    near: Annotated[
        float | None,
        typer.Option("--near", min=-1, max=1, help="Cosine from which two words are taken to "
                     "speak of one thing, by default 0.6; changes no score."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write here.")] = None,
    form: Annotated[
        ExplainFormat, typer.Option("--format", "-f", help="How to show it.")
    ] = ExplainFormat.table,
) -> None:  # fmt: skip
    """Show why a caption got its score: what was moved to which word, at what cost.

    Example: captious explain --candidates m2.json --objects instances.json --id 391895
    """
    from captious import explain as explaining
    from captious.cli.output import note
    from captious.corpus.load import load_with_notes
    from captious.metrics import split_list

    loaded = load_with_notes(candidates, references or None, names=name, objects=objects)
    for line in loaded.notes:
        note(line)
    if image is None:
        note("no --id was given, so this is the caption with the lowest score.")
    found = [
        one
        for metric in split_list(metrics)
        for one in explaining.explain(
            loaded.corpus,
            metric,
            image_id=image,
            system=system,
            near=explaining.NEAR if near is None else near,
        )
    ]
    if out:
        from captious.files import atomically

        with atomically(out) as temporary:
            temporary.write_text(_rendered(found, form), encoding="utf-8")
        note(f"wrote {out}")
    else:
        print(_rendered(found, form), end="")


def _rendered(found: list[Explanation], form: ExplainFormat) -> str:
    from captious.cli import output
    from captious.errors import InputError

    if form is ExplainFormat.json:
        return output.to_json([one.to_dict() for one in found]) + "\n"
    if form is ExplainFormat.svg:
        from captious.explain_svg import picture

        if len(found) != 1:
            raise InputError(
                f"{len(found)} captions are to be explained, and an SVG file shows one. "
                "Name one with --id and --system, or take --format html."
            )
        return picture(found[0])
    if form is ExplainFormat.html:
        from captious.explain_html import page

        return page(found)
    writers = {
        ExplainFormat.csv: output.to_csv,
        ExplainFormat.latex: output.to_latex,
        ExplainFormat.markdown: output.to_markdown,
        ExplainFormat.table: _plain,
    }
    return "\n".join(writers[form](_table(one)) for one in found)


def _table(explanation: Explanation) -> Table:
    from captious.cli.output import Number, Table, scaled

    moved = "object" if explanation.of_objects else "word of the reference"
    facts = {
        "unmatched": explanation.unmatched,
        "unsupported": explanation.unsupported,
        "without a vector": explanation.without_vector,
    }
    shown = [f"{name}: {', '.join(words)}" for name, words in facts.items() if words]
    return Table(
        [moved, "word", "share", "cost", "share x cost", "cosine"],
        [
            [
                flow.source,
                flow.target,
                Number(flow.share, f"{flow.share:.1%}"),
                *(Number(v, scaled(v, False, 3)) for v in (flow.cost, flow.part, flow.similarity)),
            ]
            for flow in explanation.flows
        ],
        title=f"{explanation.metric} {explanation.score:.4f} = exp(-{explanation.distance:.4f}), "
        f"{explanation.system}, image {explanation.image_id}: {explanation.caption}",
        notes=[
            *([f"reference: {explanation.reference}"] if explanation.reference else []),
            *shown,
            explanation.signature,
        ],
    )


def _plain(table: Table) -> str:
    """The table as a terminal shows it, as text."""
    import io
    from contextlib import redirect_stdout

    from captious.cli.output import Format, emit

    buffer = io.StringIO()
    with redirect_stdout(buffer):
        emit(table, None, Format.table)
    return buffer.getvalue()
