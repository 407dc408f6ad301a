"""Two scene graphs as one picture: the candidate's above, the references' merged graph below.

An object is a box with its attributes inside, a relation a line with a label from subject to
object. The verdict on each is shown three times: by colour, by a sign (a tick, a cross, a ring)
and by the line (solid, dashed, dotted).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from captious.explanation.drawing import frame, text_width, within, words, wrapped
from captious.explanation.layers import Arrangement, Point, Size, arrange
from captious.explanation.scene import GraphExplanation, Parts, Statement, Verdict, tuple_text

_MARGIN, _PAD = 16.0, 8.0
_HEADING, _NAME, _DETAIL, _NOTE = 15.0, 14.0, 13.0, 12.0  # sizes of text
_LINE, _DETAIL_LINE, _NOTE_LINE = 18.0, 16.0, 15.0  # and of their lines
_LETTERS = 22  # of a label's line
_SIGN_ROOM = 16.0
_PANEL_GAP, _PANEL_HEAD = 26.0, 26.0
_LEAST_WIDTH = 330.0
# Drawn, since not every font has these characters: a tick, a cross, a ring.
_SIGNS = {
    Verdict.matched: "m0 4 3 4 6-8",
    Verdict.invented: "m1 0 7 8m0-8-7 8",
    Verdict.missed: "m4.5 0a4 4 0 1 0 .1 0z",
}
_LEGEND = {
    Verdict.matched: "matched: in both",
    Verdict.invented: "invented: only the candidate",
    Verdict.missed: "missed: only the references",
}


@dataclass
class _Object:
    """A box: an object's name, its other names, its attributes."""

    name: tuple[str, ...]
    verdict: Verdict
    attributes: list[Statement]

    @property
    def title(self) -> list[str]:
        return wrapped(self.name[0], _LETTERS)

    @property
    def others(self) -> list[str]:
        """The synonyms that were merged into it."""
        return wrapped(f"= {', '.join(self.name[1:])}", _LETTERS + 4) if self.name[1:] else []

    @property
    def size(self) -> Size:
        pills = [_pill_size(one) for one in self.attributes]
        wide = [text_width(line, _NAME, bold=True) + _SIGN_ROOM for line in self.title]
        wide += [text_width(line, _NOTE) for line in self.others]
        wide += [pill.width for pill in pills]
        high = _LINE * len(self.title) + _NOTE_LINE * len(self.others)
        return Size(max(wide) + 2 * _PAD, high + sum(p.height + 4 for p in pills) + _PAD + 2)


class _Graph(NamedTuple):
    """Boxes and relations with their places; relation `k` has lines `2 k` and `2 k + 1`."""

    objects: list[_Object]
    relations: list[Statement]
    placed: Arrangement


def graph_picture(told: GraphExplanation, key: str = "graph", *, standalone: bool = True) -> str:
    """Both graphs as SVG; `key` keeps the ids of several pictures on a page apart."""
    graphs = [_laid_out(told.candidate_graph), _laid_out(told.reference_graph)]
    headings = _headings(told)
    wide = [graph.placed.width for graph in graphs]
    wide += [text_width(text, _DETAIL) for text in headings]
    width = max(*wide, _LEAST_WIDTH) + 2 * _MARGIN
    parts, top = [], _MARGIN
    if standalone:
        for line in within(_title(told), width - 2 * _MARGIN, _HEADING):
            top += 20
            parts.append(words(_MARGIN, top - 6, line, "head"))
        top += 8
    for graph, heading in zip(graphs, headings, strict=True):
        parts.append(words(_MARGIN, top + 12, heading, "note"))
        parts.append(f'<g transform="translate({_MARGIN:.0f} {top + _PANEL_HEAD:.0f})">')
        parts += _drawn(graph)
        parts.append("</g>")
        top += _PANEL_HEAD + max(graph.placed.height, _LINE) + _PANEL_GAP
    legend, top = _legend(width, top)
    parts += legend
    opening = frame(width, top, key, _title(told), graph_in_words(told), standalone=standalone)
    return "\n".join([opening, *parts, "</svg>"]) + "\n"


def graph_in_words(told: GraphExplanation) -> str:
    """Both graphs as sentences: what matched, what was invented, what was missed."""
    sides = {
        "Matched": [one.parts for one in told.candidate_graph if one.met],
        "Invented": [one.parts for one in told.candidate_graph if not one.met],
        "Missed": [one.parts for one in told.reference_graph if not one.met],
    }
    sentences = [f"{name}: {_listed(parts)}." for name, parts in sides.items() if parts]
    return " ".join(sentences) or "Neither the candidate nor the references have tuples."


def _listed(parts: Sequence[Parts]) -> str:
    return ", ".join(tuple_text(one, synonyms=False) for one in parts)


def _title(told: GraphExplanation) -> str:
    return f"{told.metric} {told.score:.3f} of image {told.image_id}: {told.caption}"


def _headings(told: GraphExplanation) -> list[str]:
    counts, references = told.counts, len(told.references)
    merged = f"References, {references} merged" if references > 1 else "Reference"
    return [
        f"Candidate: {_of(counts.matched, len(told.candidate_graph))}, precision {counts.precision:.3f}",
        f"{merged}: {_of(counts.matched, len(told.reference_graph))}, recall {counts.recall:.3f}",
    ]


def _of(matched: int, count: int) -> str:
    if not count:
        return "no tuples"
    return f"{matched} of {count} tuple{'' if count == 1 else 's'} matched"


def _laid_out(statements: Sequence[Statement]) -> _Graph:
    objects = {
        one.parts[0]: _Object(one.parts[0], one.verdict, []) for one in statements if one.kind == "object"
    }
    relations = [one for one in statements if one.kind == "relation"]
    for one in statements:
        if one.kind == "attribute":
            objects[one.parts[0]].attributes.append(one)
    place = {name: number for number, name in enumerate(objects)}
    sizes = [one.size for one in objects.values()] + [_pill_size(one) for one in relations]
    edges = []
    for number, one in enumerate(relations, len(objects)):
        subject, target, _ = one.parts
        edges += [(place[subject], number), (number, place[target])]
    return _Graph(list(objects.values()), relations, arrange(sizes, edges))


def _drawn(graph: _Graph) -> list[str]:
    corners, lines = graph.placed.corners, graph.placed.lines
    if not graph.objects:
        return [words(0, _LINE - 5, "nothing", "note")]
    drawn = []
    for number, one in enumerate(graph.relations):
        tail, head = lines[2 * number], lines[2 * number + 1]
        pill = _pill(one, corners[len(graph.objects) + number])
        drawn.append(_group(one.verdict, f"{_lines(tail, head)}{_arrow(head)}{pill}"))
    boxes = zip(graph.objects, corners, strict=False)  # the labels' corners come after
    return drawn + [_box(thing, corner) for thing, corner in boxes]


def _box(one: _Object, corner: Point) -> str:
    (x, y), size = corner, one.size
    inner, at = [_rect(corner, size, 8), _sign(one.verdict, x + _PAD, y + 9)], y + 4
    for line in one.title:
        at += _LINE
        inner.append(words(x + _PAD + _SIGN_ROOM, at - 4, line, "object"))
    for line in one.others:
        at += _NOTE_LINE
        inner.append(words(x + _PAD, at - 4, line, "also"))
    drawn = [_group(one.verdict, "".join(inner))]
    for attribute in one.attributes:
        pill = _pill(attribute, (x + _PAD, at + 2))
        drawn.append(_group(attribute.verdict, pill))
        at += _pill_size(attribute).height + 4
    return "".join(drawn)


def _detail_lines(one: Statement) -> list[str]:
    said = one.parts[-1]
    return wrapped(said[0] + (f" = {', '.join(said[1:])}" if said[1:] else ""), _LETTERS)


def _pill_size(one: Statement) -> Size:
    lines = _detail_lines(one)
    widest = max(text_width(line, _DETAIL) for line in lines)
    return Size(widest + _SIGN_ROOM + 14, _DETAIL_LINE * len(lines) + 6)


def _pill(one: Statement, corner: Point) -> str:
    (x, y), size = corner, _pill_size(one)
    inner = [_rect(corner, size, 11), _sign(one.verdict, x + 7, y + 7)]
    for number, line in enumerate(_detail_lines(one)):
        inner.append(words(x + 7 + _SIGN_ROOM, y + 15 + number * _DETAIL_LINE, line))
    return "".join(inner)


def _group(verdict: Verdict, inner: str) -> str:
    return f'<g class="{verdict}">{inner}</g>'


def _rect(corner: Point, size: Size, rounding: int) -> str:
    return (
        f'<rect x="{corner[0]:.0f}" y="{corner[1]:.0f}" width="{size.width:.0f}" '
        f'height="{size.height:.0f}" rx="{rounding}"/>'
    )


def _sign(verdict: Verdict, x: float, y: float) -> str:
    return f'<path class="sign" d="M{x:.0f} {y:.0f}{_SIGNS[verdict]}"/>'


def _lines(*lines: Sequence[Point]) -> str:
    return f'<path class="line" d="{"".join(map(_curve, lines))}"/>'


def _curve(points: Sequence[Point]) -> str:
    """Level where it passes a column, bent between columns."""
    (x, y), *rest = [(round(x), round(y)) for x, y in points]
    drawn, level = [f"M{x} {y}"], True
    for to_x, to_y in rest:
        if not level and to_y != y:
            middle = round((x + to_x) / 2)
            drawn.append(f"C{middle} {y} {middle} {to_y} {to_x} {to_y}")
        elif to_x != x:
            drawn.append(f"H{to_x}")
        x, y, level = to_x, to_y, not level
    return "".join(drawn)


def _arrow(points: Sequence[Point]) -> str:
    x, y = points[-1]
    back = 7 if points[0][0] > x else -7
    return f'<path class="arrow" d="M{x:.0f} {y:.0f}l{back} -4v8z"/>'


def _legend(width: float, top: float) -> tuple[list[str], float]:
    """What signs and lines mean, in as many lines as the width needs, and where it ends."""
    drawn, left = [], _MARGIN
    for verdict, meaning in _LEGEND.items():
        name, _, rest = meaning.partition(":")
        size = Size(text_width(name, _DETAIL) + _SIGN_ROOM + 14, 22)
        whole = size.width + text_width(rest, _NOTE) + 20
        if left > _MARGIN and left + whole > width - _MARGIN:
            left, top = _MARGIN, top + 28
        inner = (
            _rect((left, top), size, 11)
            + _sign(verdict, left + 7, top + 7)
            + words(left + 7 + _SIGN_ROOM, top + 15, name)
        )
        drawn.append(_group(verdict, inner))
        drawn.append(words(left + size.width + 5, top + 15, rest.strip(), "note"))
        left += whole
    return drawn, top + 22 + _MARGIN
