"""Explanations as tables: flows of a plan, tuples of two scene graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from captious.tables import Cell, Number, Table

if TYPE_CHECKING:
    from captious.explanation import AnyExplanation, Explanation, GraphExplanation, OcclusionExplanation
    from captious.metrics.spice import Counts


def explanation_tables(one: AnyExplanation) -> list[Table]:
    """Everything that an explanation says, the most telling table first."""
    from captious.explanation import GraphExplanation, MarkedExplanation, OcclusionExplanation
    from captious.explanation.left_out import LeftOutExplanation, left_out_table
    from captious.explanation.marked import marked_table

    if isinstance(one, MarkedExplanation):
        return [marked_table(one)]
    if isinstance(one, LeftOutExplanation):
        return [left_out_table(one)]
    if isinstance(one, OcclusionExplanation):
        return _covered(one)
    if not isinstance(one, GraphExplanation):
        return [_flows(one)]
    beside = [_beside_judgments(one)] if one.side_by_side else []
    return [_tuples(one), *beside, _categories(one)]


def _covered(one: OcclusionExplanation) -> list[Table]:
    """Every word, then the regions that lose most."""
    from captious.explanation.occlusion import GRID, METHOD, strongest

    title = f"{one.metric} {one.score:.4f}, {one.system}, image {one.image_id}: {one.caption}"
    words: list[list[Cell]] = [[word.name, word.without, word.loss] for word in one.words]
    regions: list[list[Cell]] = [
        [f"row {cell.row + 1}, column {cell.column + 1}", cell.without, cell.loss]
        for cell in strongest(one, GRID)
    ]
    note = (
        f"{METHOD}: a word is left out, or a cell of {GRID} x {GRID} painted in the mean colour, and the "
        f"model looks again; w x cosine is {one.uncut:.4f}\n{one.signature}"
    )
    return [
        Table(title, ["word", "score without it", "loss"], words),
        Table("regions that carry most", ["region", "score without it", "loss"], regions, note),
    ]


def _flows(one: Explanation) -> Table:
    moved = "object" if one.of_objects else "word of the reference"
    facts = {
        "unmatched": one.unmatched,
        "unsupported": one.unsupported,
        "without a vector": one.without_vector,
    }
    shown = [f"{name}: {', '.join(words)}" for name, words in facts.items() if words]
    return Table(
        f"{one.metric} {one.score:.4f} = exp(-{one.distance:.4f}), "
        f"{one.system}, image {one.image_id}: {one.caption}",
        [moved, "word", "share", "cost", "share x cost", "cosine"],
        [
            [
                flow.source,
                flow.target,
                Number(flow.share, f"{flow.share:.1%}"),
                flow.cost,
                flow.part,
                flow.similarity,
            ]
            for flow in one.flows
        ],
        "\n".join([*([f"reference: {one.reference}"] if one.reference else []), *shown, one.signature]),
    )


def _tuples(one: GraphExplanation) -> Table:
    from captious.explanation.scene import tuple_text

    return Table(
        f"{one.metric} {one.score:.4f}, precision {one.counts.precision:.4f}, "
        f"recall {one.counts.recall:.4f}, {one.system}, image {one.image_id}: {one.caption}",
        ["verdict", "kind", "candidate", "references", "matched by"],
        [
            [
                str(verdict),
                kind,
                tuple_text(own) if own else "–",
                tuple_text(theirs) if theirs else "–",
                str(by or "–"),
            ]
            for verdict, kind, own, theirs, by in one.rows
        ],
        one.remark,
    )


def _beside_judgments(one: GraphExplanation) -> Table:
    others = [f"{name} {value:.2f}" for name, value in one.other_judgments.items()]
    return Table(
        f"{one.metric} compared with the judgments",
        ["part", one.metric, "judged as", "judged"],
        [
            [name, value, aspect, Number(judged, f"{judged:.2f}")]
            for name, value, aspect, judged in one.side_by_side
        ],
        f"also judged: {', '.join(others)}" if others else "",
    )


def _categories(one: GraphExplanation) -> Table:
    groups: dict[str, Counts] = {"all": one.counts, **one.categories}
    return Table(
        f"{one.metric} by category",
        ["tuples", "matched", "invented", "missed", "precision", "recall", "F"],
        [[name, *counts, counts.precision, counts.recall, counts.f] for name, counts in groups.items()],
        one.signature,
    )
