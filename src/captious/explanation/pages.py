"""Explanations as HTML: a page of their own, or a fragment inside a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from captious.charts.marked_text import MARKED_CSS
from captious.explanation.drawing import DARK, LIGHT, style_sheet, variables
from captious.explanation.left_out import LeftOutExplanation, left_out_table
from captious.explanation.marked import MarkedExplanation, marked_picture, marked_table
from captious.explanation.occlusion import GRID, METHOD, OcclusionExplanation, strongest
from captious.explanation.scene import GraphExplanation, Parts, tuple_text
from captious.explanation.svg import AnyExplanation, picture
from captious.explanation.transport import Explanation
from captious.metrics.spice import Counts
from captious.tables.html import to_html

_STYLE = """
:root { color-scheme: light; --ink: #1b2229; --soft: #4d5863; --line: #d5dbe1; --page: #fbfcfd;
  --accent: #00598f; }
@media screen and (prefers-color-scheme: dark) {
  :root { color-scheme: dark; --ink: #e8ecf0; --soft: #b3bec8; --line: #39434c; --page: #14181c;
    --accent: #79c2f2; }
}
* { box-sizing: border-box; }
body { font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "Liberation Sans", sans-serif; margin: 0 auto;
  max-width: 62rem; padding: 1rem 1.1rem 3rem; color: var(--ink); background: var(--page);
  overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin: 0 0 .3rem; }
section { border-top: 1px solid var(--line); padding: 1.4rem 0; }
.said { font-size: 1.15rem; margin: .2rem 0 .6rem; } .soft { color: var(--soft); }
ul { padding-left: 1.2rem; margin: .3rem 0 .8rem; }
.scroll { overflow-x: auto; margin: .7rem 0; max-width: 100%; }
.scroll svg { display: block; border: 1px solid var(--line); border-radius: 10px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
summary { cursor: pointer; color: var(--accent); width: fit-content; }
table { border-collapse: collapse; font-size: .94rem; }
caption { text-align: left; color: var(--soft); padding: .2rem 0; }
th, td { padding: .25rem 1.1rem .25rem 0; text-align: left; border-bottom: 1px solid var(--line);
  vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
code { font-size: .8rem; overflow-wrap: anywhere; }
@media print {
  body { max-width: none; } section { break-inside: avoid-page; } .scroll { overflow: visible; }
  .scroll svg { max-width: 100%; height: auto; }
}
"""
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(explanations: Sequence[AnyExplanation]) -> str:
    """One self-contained page.

    >>> from captious.corpus import Corpus
    >>> from captious.explanation import explain
    >>> corpus = Corpus.from_lists(["a dog on a beach"], objects={"0": ["dog", "frisbee"]})
    >>> "<h2>Image 0, candidates: vifidel</h2>" in page(explain(corpus))
    True
    """
    sections = "\n".join(_section(one, f"plan-{i}") for i, one in enumerate(explanations, 1))
    light, dark = (
        " ".join(f"--{name}: {value};" for name, value in variables(colours).items())
        for colours in (LIGHT, DARK)
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="color-scheme" content="light dark">\n'
        "<title>Why these captions got their scores</title>\n"
        f"<style>\n:root {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"
        f"{_STYLE}{style_sheet()}{MARKED_CSS}</style>\n</head>\n"
        f"<body>\n<main>\n<h1>Why these captions got their scores</h1>\n{sections}\n"
        "</main>\n</body>\n</html>\n"
    )


def fragment(one: AnyExplanation, key: str) -> str:
    """Picture and numbers for a page that has `style_sheet()` and names the caption itself."""
    parts = [_scores(one), _picture(one, key), *_facts(one)]
    parts.append(f"<details><summary>The same as a table</summary>{_details(one)}</details>")
    return "".join(parts)


def _section(one: AnyExplanation, key: str) -> str:
    parts = [
        f"<h2>Image {escape(one.image_id)}, {escape(one.system)}: {one.metric}</h2>",
        f'<p class="said">{escape(one.caption)}</p>',
    ]
    if isinstance(one, GraphExplanation):
        texts = "".join(f"<li>{escape(text)}</li>" for text in one.references)
        count = f"{len(one.references)} reference{'' if len(one.references) == 1 else 's'}"
        parts.append(f"<details open><summary>{count}</summary><ul>{texts}</ul></details>")
    parts += [_scores(one), _picture(one, key), *_facts(one), _details(one)]
    parts.append(f"<p><code>{escape(one.signature)}</code></p>")
    return "<section>\n" + "\n".join(parts) + "\n</section>"


def _picture(one: AnyExplanation, key: str) -> str:
    if isinstance(one, MarkedExplanation):
        return marked_picture(one)
    if isinstance(one, LeftOutExplanation):
        return to_html(replace(left_out_table(one), title=f"Words of {_name(one)}", note=""))
    kinds = {GraphExplanation: "Scene graphs", OcclusionExplanation: "Words and regions"}
    what = kinds.get(type(one), "Transport plan")
    return _scrolled(picture(one, key, standalone=False), f"{what} of {_name(one)}")


def _name(one: AnyExplanation) -> str:
    return f"{one.metric}, image {one.image_id}, {one.system}"


def _scrolled(inner: str, label: str) -> str:
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(label)}">\n{inner}</div>'


def _scores(one: AnyExplanation) -> str:
    if isinstance(one, OcclusionExplanation):
        return f"<p>{one.metric} {one.score:.4f}; {METHOD}, a grid of {GRID} x {GRID} cells</p>"
    if isinstance(one, (MarkedExplanation, LeftOutExplanation)):
        return f"<p>{one.metric} {one.score:.4f}</p>"
    if isinstance(one, Explanation):
        return f"<p>{one.metric} {one.score:.4f} = exp(-{one.distance:.4f})</p>"
    counts = one.counts
    line = (
        f"<p>{one.metric} {one.score:.3f}: precision {counts.precision:.3f}, recall {counts.recall:.3f}</p>"
    )
    if not one.side_by_side:
        return line
    rows = [
        [name if name == aspect else f"{name} and {aspect}", f"{value:.3f}", f"{judged:.2f}"]
        for name, value, aspect, judged in one.side_by_side
    ]
    return line + _table("compared with the judgments", ["aspect", one.metric, "judged"], rows, of_text=1)


def _facts(one: AnyExplanation) -> list[str]:
    """What is not in the picture, a paragraph each."""
    if isinstance(one, (OcclusionExplanation, MarkedExplanation, LeftOutExplanation)):
        return []
    if isinstance(one, GraphExplanation):
        others = [f"{name} {value:.2f}" for name, value in one.other_judgments.items()]
        facts = [f"Also judged: {', '.join(others)}."] if others else []
        facts += [one.remark] if one.remark else []
    else:
        facts = [f"Reference: {one.reference}"] if one.reference is not None else []
        facts += [
            f"{name}: {', '.join(found)}"
            for name, found in (
                ("Unmatched", one.unmatched),
                ("Unsupported", one.unsupported),
                ("Without a vector", one.without_vector),
            )
            if found
        ]
    return [f"<p>{escape(fact)}</p>" for fact in facts]


def _details(one: AnyExplanation) -> str:
    if isinstance(one, GraphExplanation):
        return _scrolled(_tuples(one), f"Tuples of {_name(one)}") + _scrolled(
            _categories(one), f"Categories of {_name(one)}"
        )
    if isinstance(one, MarkedExplanation):
        return to_html(replace(marked_table(one), title=f"Findings of {_name(one)}", note=""))
    if isinstance(one, LeftOutExplanation):
        return ""
    if isinstance(one, OcclusionExplanation):
        return _scrolled(_covered(one), f"Table of {_name(one)}")
    return _scrolled(_flows(one), f"Table of {_name(one)}")


def _tuples(one: GraphExplanation) -> str:
    rows = [
        [str(verdict), kind, _tuple(own), _tuple(theirs), str(by or "–")]
        for verdict, kind, own, theirs, by in one.rows
    ]
    heads = ["Verdict", "Kind", "Candidate", "References", "Matched by"]
    return _table(f"{one.metric}: every tuple of both graphs", heads, rows)


def _tuple(parts: Parts | None) -> str:
    return "–" if parts is None else tuple_text(parts)


def _categories(one: GraphExplanation) -> str:
    groups: dict[str, Counts] = {"all": one.counts, **one.categories}
    rows = [
        [
            name,
            str(c.matched),
            str(c.invented),
            str(c.missed),
            f"{c.precision:.3f}",
            f"{c.recall:.3f}",
            f"{c.f:.3f}",
        ]
        for name, c in groups.items()
    ]
    heads = ["Tuples", "Matched", "Invented", "Missed", "Precision", "Recall", "F"]
    return _table(f"{one.metric} by category", heads, rows, of_text=1)


def _covered(one: OcclusionExplanation) -> str:
    rows = [["word", word.name, f"{word.without:.4f}", f"{word.loss:+.4f}"] for word in one.words]
    rows += [
        [
            "region",
            f"row {cell.row + 1}, column {cell.column + 1}",
            f"{cell.without:.4f}",
            f"{cell.loss:+.4f}",
        ]
        for cell in strongest(one, GRID)
    ]
    heads = ["Covered", "Which", "Score without it", "Loss"]
    return _table(f"{one.metric}: every word, and the regions that lose most", heads, rows, of_text=2)


def _flows(one: Explanation) -> str:
    moved = "Object" if one.of_objects else "Word of the reference"
    rows = [
        [
            flow.source,
            flow.target,
            f"{flow.share:.1%}",
            f"{flow.cost:.3f}",
            f"{flow.part:.3f}",
            f"{flow.similarity:.2f}",
        ]
        for flow in one.flows
    ]
    heads = [moved, "Word", "Share", "Cost", "Share x cost", "Cosine"]
    return _table(f"{one.metric}: what moved where", heads, rows, of_text=2)


def _table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], of_text: int = 9) -> str:
    """A table whose first `of_text` columns are text and whose others are numbers."""
    kinds = ["" if place < of_text else ' class="number"' for place in range(len(heads))]
    top = "".join(
        f'<th scope="col"{kind}>{escape(head)}</th>' for head, kind in zip(heads, kinds, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
        + "</tr>"
        for row in rows
    )
    return (
        f"<table>\n<caption>{escape(caption)}</caption>\n<thead><tr>{top}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table>"
    )
