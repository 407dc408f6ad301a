from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from captious.charts.marked_text import _COLOURS, marked_html, shared_html
from captious.corpus.findings import Finding, Findings, Place


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, list[Place]]:
    caption = draw(st.text(min_size=1, max_size=40))
    starts = draw(st.lists(st.integers(0, len(caption) - 1), max_size=5))
    return caption, [Place(start, draw(st.integers(start + 1, len(caption))), "object") for start in starts]


@given(marked())
def test_the_caption_is_whole_whatever_is_marked(given_: tuple[str, list[Place]]) -> None:
    caption, places = given_
    page = marked_html(caption, {"": places})
    inner = page.removeprefix('<figure class="marked"><p dir="auto">').removesuffix("</p></figure>")
    text = html.unescape(re.sub(r"<[^>]*>", "", re.sub("<small>.*?</small>", "", inner)))
    # `html.unescape` replaces control characters only where they are written as references.
    assert text == caption
    under = "".join(re.findall(r"<mark[^>]*>(.*?)<", inner, re.DOTALL))
    covered = {at for place in places for at in range(place.start or 0, place.end or 0)}
    assert html.unescape(under) == "".join(caption[at] for at in sorted(covered))


def test_overlapping_marks_end_each_with_its_kind() -> None:
    page = marked_html("a red dog", {"m": [Place(2, 9, "object"), Place(2, 5, "attribute", "major")]})
    assert re.sub(r' title="[^"]*"', "", page) == (
        '<figure class="marked"><figcaption>m</figcaption>\n<p dir="auto">a '
        '<mark class="attribute major">red<small>attribute</small></mark>'
        '<mark class="object"> dog<small>object</small></mark></p></figure>'
    )


def test_what_is_missing_and_markup_in_captions() -> None:
    found = [Place(0, 3, "<b>", note='"'), Place(None, None, "object", evidence="a <dog>")]
    page = marked_html("<i>", {"<m>": found})
    assert "<figcaption>&lt;m&gt;</figcaption>" in page and "<b>" not in page and "<i>" not in page
    assert 'missing: <mark class="object" title="object (a &lt;dog&gt;)">a &lt;dog&gt;<small>' in page


def test_the_ink_of_every_mark_has_a_contrast_of_seven() -> None:
    def light(colour: str) -> float:  # relative luminance, WCAG 2
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    assert all((light(one) + 0.05) / (light("#1b2229") + 0.05) > 7 for one in _COLOURS.values())


def test_findings_show_themselves_in_notebooks() -> None:
    rows = [Finding(str(i), "m", f"A dog {i}.", 2, 5, "object", source="chair") for i in range(30)]
    rows += [Finding("0", "m", "A dog 0.", None, None, "", source="ann")]
    page = Findings.from_rows(rows)._repr_html_()
    assert page.count("<mark") == 20 and page.count("<figure") == 21 and "10 more captions" in page


def test_places_say_how_many_raters_mark_them() -> None:
    ann = [Place(2, 5, "attribute"), Place(None, None, "object", note="a <sofa>")]
    found = shared_html("A red dog.", {"ann": ann, "bob": [Place(2, 9, "count")], "cem": []})
    assert re.findall(r">([^<]*)<small>([^<]*)", found) == [("red", "2 of 3"), (" dog", "1 of 3")]
    assert re.findall(r'class="(?:\w+ )*alone"', found) == ['class="count alone"']
    assert "missing: a &lt;sofa&gt; (ann)" in found
    # A place that its only reader marks is not one on which others disagree.
    assert "alone" not in shared_html("A red dog.", {"ann": ann})
