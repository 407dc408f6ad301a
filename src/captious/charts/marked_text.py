"""A caption with what is wrong in it marked, as HTML: in notebooks, reports and on pages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Protocol

# Kinds that have a colour of their own; others share the last ones by their names.
_COLOURS = {
    "object": "#ffd3bd",
    "attribute": "#ffeb99",
    "count": "#d3edbd",
    "relation": "#c9e3fc",
    "text": "#e6d6fa",
    "inference": "#dfe4e9",
    "other1": "#fbd0e2",
    "other2": "#c4eee6",
}
# Finer kinds have the colour of the kind that they belong to.
_FAMILY = {"main object": "object", "hallucinated": "object", "awkward": "text"}
_OTHERS = [kind for kind in _COLOURS if kind.startswith("other")]
# Each mark has its own ground and ink, so that its contrast (over 10) is the same in light and dark.
MARKED_CSS = (
    ".marked{margin:0 0 .6em}"
    ".marked figcaption{font-weight:bold;font-size:.85em}"
    ".marked p{margin:.1em 0 .4em;white-space:pre-wrap;line-height:1.7}"
    ".marked mark{color:#1b2229;padding:.05em .15em;border-radius:.2em;border-bottom:2px dotted #1b2229}"
    ".marked mark.major{border-bottom-style:solid}"
    ".marked mark small{user-select:none;font-size:.7em;font-weight:bold;margin-inline-start:.3em}"
    + "".join(f".marked mark.{kind}{{background:{colour}}}" for kind, colour in _COLOURS.items())
    + ".marked mark.shared{border-bottom-style:solid}"
    + ".marked mark.alone{background:none;color:inherit;border-bottom:2px dotted currentColor}"
)


class Mark(Protocol):
    """What is marked: a finding, or a place in a caption that is known."""

    @property
    def start(self) -> int | None:
        """Where it begins, in code points; None for what is missing from the caption."""

    @property
    def end(self) -> int | None:
        """Where it ends."""

    @property
    def kind(self) -> str:
        """Its kind, shown as text."""

    @property
    def severity(self) -> str:
        """How severe it is."""

    @property
    def confidence(self) -> float:
        """How sure the source is; NaN if it does not say."""

    @property
    def note(self) -> str:
        """A remark."""

    @property
    def evidence(self) -> str:
        """What it is held against, or what is missing."""


def marked_html(caption: str, by_source: Mapping[str, Sequence[Mark]]) -> str:
    """The caption once for each source, with what that source marks; `MARKED_CSS` gives the colours.

    A mark says its kind as text; its title says severity, confidence, note and evidence. Where marks of
    one source overlap, each ends with its own kind. What is missing follows the caption.

    >>> from captious.corpus.findings import Place
    >>> print(marked_html("A red dog.", {"ann": [Place(2, 5, "attribute", "major", 0.9, "it is brown")]}))
    <figure class="marked"><figcaption>ann</figcaption>
    <p dir="auto">A <mark class="attribute major" title="attribute, major, 90%: it is brown">red<small>attribute</small></mark> dog.</p></figure>
    """  # noqa: E501
    return "\n".join(_figure(caption, source, marks) for source, marks in by_source.items())


def shared_html(caption: str, by_source: Mapping[str, Sequence[Mark]]) -> str:
    """The caption once, with how many of the sources mark each place and as what.

    What only one marks is dotted, without a colour; of what several mark, the most frequent kind gives it.

    >>> from captious.corpus.findings import Place
    >>> ann, bob = [Place(2, 5, "attribute")], [Place(2, 9, "attribute")]
    >>> print(shared_html("A red dog.", {"ann": ann, "bob": bob}))
    <figure class="marked"><p dir="auto">A <mark class="attribute shared" title="ann: attribute; bob: attribute">red<small>2 of 2</small></mark><mark class="attribute alone" title="bob: attribute"> dog<small>1 of 2</small></mark>.</p></figure>
    """  # noqa: E501
    cuts = {0, len(caption)}
    for marks in by_source.values():
        cuts |= {cut for mark in marks for cut in (mark.start, mark.end) if cut is not None}
    parts = []
    for first, last in pairwise(sorted(cuts)):
        here = [
            (source, mark)
            for source, marks in by_source.items()
            for mark in marks
            if mark.start is not None and mark.end is not None and mark.start <= first and last <= mark.end
        ]
        parts.append(_shared(escape(caption[first:last]), here, len(by_source)))
    missing = [
        f"{escape(mark.note or mark.evidence)} ({escape(source)})"
        for source, marks in by_source.items()
        for mark in marks
        if mark.start is None and mark.kind
    ]
    tail = f'\n<p dir="auto">missing: {"; ".join(missing)}</p>' if missing else ""
    return f'<figure class="marked"><p dir="auto">{"".join(parts)}</p>{tail}</figure>'


def _shared(text: str, here: Sequence[tuple[str, Mark]], sources: int) -> str:
    """Text that some sources mark, and how many of them."""
    if not here:
        return text
    who = len({source for source, _ in here})
    kind = Counter(mark.kind for _, mark in here).most_common(1)[0][0]
    title = escape("; ".join(f"{source}: {described(mark)}" for source, mark in here))
    how = "alone" if who == 1 and sources > 1 else "shared"
    count = f"<small>{who} of {sources}</small>"
    return f'<mark class="{_colour(kind)} {how}" title="{title}">{text}{count}</mark>'


def _figure(caption: str, source: str, marks: Sequence[Mark]) -> str:
    placed = [(m.start, m.end, m) for m in marks if m.start is not None and m.end is not None]
    cuts = sorted({0, len(caption), *(cut for start, end, _ in placed for cut in (start, end))})
    parts = []
    for first, last in pairwise(cuts):
        here = [mark for start, end, mark in placed if start <= first and last <= end]
        ending = [mark for mark in here if mark.end == last]
        text = escape(caption[first:last])
        parts.append(_mark(text, here, ending) if here else text)
    missing = [mark for mark in marks if mark.start is None and mark.kind]
    also = "".join(" " + _mark(escape(mark.evidence or mark.note), [mark], [mark]) for mark in missing)
    head = f"<figcaption>{escape(source)}</figcaption>\n" if source else ""
    tail = f'\n<p dir="auto">missing:{also}</p>' if also else ""
    return f'<figure class="marked">{head}<p dir="auto">{"".join(parts)}</p>{tail}</figure>'


def _mark(text: str, here: Sequence[Mark], ending: Sequence[Mark]) -> str:
    """Text under one or several marks; the shortest gives the colour."""
    top = min(here, key=lambda mark: (mark.end or 0) - (mark.start or 0))
    major = " major" if any(mark.severity == "major" for mark in here) else ""
    labels = "".join(f"<small>{escape(mark.kind)}</small>" for mark in ending)
    title = escape("; ".join(map(described, here)))
    return f'<mark class="{_colour(top.kind)}{major}" title="{title}">{text}{labels}</mark>'


def described(mark: Mark) -> str:
    """Kind, severity and confidence of a finding, its note and its evidence, in one line.

    >>> from captious.corpus.findings import Place
    >>> described(Place(0, 3, "object", confidence=0.83, evidence="dog"))
    'object, 83% (dog)'
    """
    sure = "" if math.isnan(mark.confidence) else f"{mark.confidence:.0%}"
    text = ", ".join(filter(None, [mark.kind, mark.severity, sure]))
    return text + (f": {mark.note}" if mark.note else "") + (f" ({mark.evidence})" if mark.evidence else "")


def _colour(kind: str) -> str:
    kind = _FAMILY.get(kind, kind)
    return kind if kind in _COLOURS else _OTHERS[sum(map(ord, kind)) % len(_OTHERS)]
