"""Explanations as a page: a picture and its table for each."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from captious.explain import Explanation
from captious.explain_svg import picture

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem;
       color: #1b2229; background: #ffffff; }
figure { margin: 0; overflow-x: auto; }
table { border-collapse: collapse; }
caption { text-align: left; color: #56616c; }
th, td { padding: .2rem .8rem .2rem 0; text-align: left; border-bottom: 1px solid #c9d0d7; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
code { font-size: .8rem; overflow-wrap: anywhere; }
"""


def page(explanations: Sequence[Explanation]) -> str:
    """One self-contained page.

    >>> from captious.corpus import Corpus
    >>> from captious.explain import explain
    >>> corpus = Corpus.from_lists(["a dog on a beach"], objects={"0": ["dog", "frisbee"]})
    >>> "<h2>Image 0, candidates: vifidel</h2>" in page(explain(corpus))
    True
    """
    sections = "\n".join(_section(one, f"plan-{i}") for i, one in enumerate(explanations, 1))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Why these captions got their scores</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n<h1>Why these captions got their scores</h1>\n{sections}\n"
        "</main>\n</body>\n</html>\n"
    )


def _section(one: Explanation, key: str) -> str:
    facts = [f"<p>{escape(one.caption)}</p>"]
    if one.reference is not None:
        facts.append(f"<p>Reference: {escape(one.reference)}</p>")
    for name, words in (
        ("Unmatched", one.unmatched),
        ("Unsupported", one.unsupported),
        ("Without a vector", one.without_vector),
    ):
        if words:
            facts.append(f"<p>{name}: {escape(', '.join(words))}</p>")
    return (
        f"<section>\n<h2>Image {escape(one.image_id)}, {escape(one.system)}: {one.metric}</h2>\n"
        + "\n".join(facts)
        + f'\n<figure tabindex="0">\n{picture(one, key)}</figure>\n{_table(one)}\n'
        f"<p><code>{escape(one.signature)}</code></p>\n</section>"
    )


def _table(one: Explanation) -> str:
    moved = "Object" if one.of_objects else "Word of the reference"
    heads = [f"<th scope='col'>{moved}</th>", "<th scope='col'>Word</th>"]
    numbers = ("Share", "Cost", "Share x cost", "Cosine")
    heads += [f"<th scope='col' class='number'>{name}</th>" for name in numbers]
    rows = []
    for flow in one.flows:
        values = [f"{flow.share:.1%}", f"{flow.cost:.3f}", f"{flow.part:.3f}",
                  f"{flow.similarity:.2f}"]  # fmt: skip
        cells = [f"<td>{escape(flow.source)}</td>", f"<td>{escape(flow.target)}</td>"]
        cells += [f"<td class='number'>{value}</td>" for value in values]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f"<table>\n<caption>{one.metric} {one.score:.4f} = exp(-{one.distance:.4f})</caption>\n"
        f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n"
        + "\n".join(rows)
        + "\n</tbody>\n</table>"
    )
