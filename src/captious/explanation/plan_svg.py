"""A transport plan as a picture: objects above, words of the caption below, what moved between.

In the manner of figure 2 of Madhyastha et al. 2019. The picture is one SVG file that needs nothing
else: it has a title and a description for those who do not see it, and says in words and dashes
whatever it says in colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from captious.errors import one_line
from captious.explanation.drawing import frame, safe, text_width, words
from captious.explanation.transport import Explanation, Flow, Word

_HEADING, _NAME, _SHARE = 15.0, 14.0, 11.0  # sizes of text
_GAP, _MARGIN = 14.0, 24.0
_BOX = 44.0
_SLOT = 54.0  # room for a number between the rows
_HEAD = 48.0  # room for the heading of a file of its own
_TOP, _MIDDLE, _BOTTOM, _FOOT = 26.0, 142.0, 220.0, 292.0
_THINNEST, _THICKEST = 1.2, 9.0
_LONGEST_HEADING = 90


class _Box(NamedTuple):
    left: float
    width: float
    word: Word

    @property
    def centre(self) -> float:
        return self.left + self.width / 2


def plan_picture(explanation: Explanation, key: str = "plan", *, standalone: bool = True) -> str:
    """The plan as SVG; `key` keeps the ids of several pictures on a page apart."""
    flows = explanation.flows
    heading = _heading(explanation) if standalone else ""
    widths = [
        _row_width(explanation.sources),
        _row_width(explanation.targets),
        len(flows) * _SLOT,
        text_width(heading, _HEADING, bold=True),
        text_width(_score_line(explanation), 12.0),
        420.0,
    ]
    width = max(widths) + 2 * _MARGIN
    above = _boxes(explanation.sources, width)
    below = _boxes(explanation.targets, width)
    head = _HEAD if standalone else 0.0
    parts = [
        frame(
            width, _FOOT + head, key, _title(explanation), plan_in_words(explanation), standalone=standalone
        ),
        words(_MARGIN, 24, heading, "head") if standalone else "",
        words(_MARGIN, 46, _score_line(explanation), "note") if standalone else "",
        f'<g transform="translate(0 {head:.0f})">',
        *_curves(explanation, above, below, width),
        *(_box(box, _TOP, "unmatched", above=True) for box in above),
        *(_box(box, _BOTTOM, "unsupported", above=False) for box in below),
        "</g>\n</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def plan_in_words(explanation: Explanation) -> str:
    """The whole picture as sentences."""
    sentences = []
    for word in explanation.sources:
        own = [flow for flow in explanation.flows if flow.source == word.text]
        went = [f"{f.target} ({f.share:.0%} at a cost of {f.cost:.2f})" for f in own]
        sentences.append(f"{word.text} went to {_listed(went)}.")
    for name, alone in (("Unmatched", explanation.unmatched), ("Unsupported", explanation.unsupported)):
        if alone:
            sentences.append(f"{name}: {', '.join(alone)}.")
    return " ".join(sentences)


def _listed(items: Sequence[str]) -> str:
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def _title(explanation: Explanation) -> str:
    return (
        f"{explanation.metric} {explanation.score:.3f} of image {explanation.image_id}: {explanation.caption}"
    )


def _heading(explanation: Explanation) -> str:
    what = "Objects" if explanation.of_objects else "Words of the reference"
    return f"{what} moved to the words of “{one_line(explanation.caption, _LONGEST_HEADING)}”"


def _score_line(explanation: Explanation) -> str:
    return (
        f"distance {explanation.distance:.3f}, "
        f"{explanation.metric} = exp(-distance) = {explanation.score:.3f}"
    )


def _box_width(word: Word) -> float:
    """Wide enough for the word, for what stands below it and for what stands beside the box."""
    name, share = text_width(word.text, _NAME, bold=True), text_width(_second_line(word), _SHARE)
    return max(name, share, 0.0 if word.met else 60.0) + 20


def _second_line(word: Word) -> str:
    penalty = "" if word.penalty is None else f", ρ {word.penalty:.2f}"
    return f"{word.share:.0%}{penalty}"


def _row_width(words: Sequence[Word]) -> float:
    return sum(map(_box_width, words)) + _GAP * (len(words) - 1)


def _boxes(words: Sequence[Word], width: float) -> list[_Box]:
    """A row of boxes spread over the width."""
    free = width - 2 * _MARGIN - sum(map(_box_width, words))
    gap = free / (len(words) + 1)
    boxes, left = [], _MARGIN + gap
    for word in words:
        boxes.append(_Box(left, _box_width(word), word))
        left += boxes[-1].width + gap
    return boxes


def _curves(explanation: Explanation, above: list[_Box], below: list[_Box], width: float) -> list[str]:
    """A curve for each flow through a slot of its own, where its part of the distance stands."""
    source = {box.word.text: box.centre for box in above}
    target = {box.word.text: box.centre for box in below}
    flows = sorted(explanation.flows, key=lambda f: source[f.source] + target[f.target])
    slot = (width - 2 * _MARGIN) / len(flows)
    drawn, numbers = [], []
    for place, flow in enumerate(flows):
        x = _MARGIN + slot * (place + 0.5)
        drawn.append(_curve(flow, source[flow.source], x, target[flow.target], explanation.near))
        numbers.append(_number(flow, x))
    return drawn + numbers


def _curve(flow: Flow, start: float, middle: float, end: float, near: float) -> str:
    top, bottom = _TOP + _BOX, _BOTTOM
    thick = _THINNEST + (_THICKEST - _THINNEST) * flow.share
    met = "met" if flow.similarity >= near else "alone"
    rise, fall = (top + _MIDDLE) / 2, (_MIDDLE + bottom) / 2
    return (
        f'<path class="flow {met}" d="M{start:.0f} {top:.0f} C{start:.0f} {rise:.0f} '
        f"{middle:.0f} {rise:.0f} {middle:.0f} {_MIDDLE:.0f} "
        f'S{end:.0f} {fall:.0f} {end:.0f} {bottom:.0f}" stroke-width="{thick:.1f}">'
        f"<title>{safe(_told(flow))}</title></path>"
    )


def _told(flow: Flow) -> str:
    return (
        f"{flow.source} to {flow.target}: {flow.share:.1%} at {flow.cost:.3f} = {flow.part:.3f}; "
        f"cosine {flow.similarity:.2f}"
    )


def _number(flow: Flow, x: float) -> str:
    return (
        f'<rect class="paper" x="{x - 20:.0f}" y="{_MIDDLE - 10:.0f}" width="40" height="19" '
        'rx="4"/>' + words(x, _MIDDLE + 4, f"{flow.part:.3f}", "part")
    )


def _box(box: _Box, top: float, alone: str, *, above: bool) -> str:
    met = box.word.met
    parts = [
        f'<rect class="box {"met" if met else "alone"}" x="{box.left:.1f}" y="{top:.0f}" '
        f'width="{box.width:.1f}" height="{_BOX:.0f}" rx="6"/>',
        words(box.centre, top + 19, box.word.text, "name"),
        words(box.centre, top + 36, _second_line(box.word), "below"),
    ]
    if not met:
        parts.append(words(box.centre, top - 6 if above else top + _BOX + 16, alone, "says"))
    return "".join(parts)
