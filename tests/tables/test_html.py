from __future__ import annotations

from captious.tables import Number, Table
from captious.tables.html import DrawnColumn, interval_svg, to_html
from captious.tables.values import Drawn

EVIL = "<script>&\"'"
SAFE = "&lt;script&gt;&amp;&quot;&#x27;"


def test_every_text_is_escaped() -> None:
    table = Table(EVIL, [EVIL, "b"], [[EVIL, EVIL], ["x", Number(1.0, EVIL, EVIL, best=True)]], EVIL)
    page = to_html(table, label=EVIL)
    assert "<script" not in page and page.count(SAFE) == 8
    drawn = to_html(table, drawn=DrawnColumn(EVIL, ["", ""]))
    assert "<script" not in drawn
    assert SAFE in to_html(Table("T", ["a"], []), empty=EVIL)


def test_numbers_stand_to_the_right_and_sort_by_their_value() -> None:
    page = to_html(Table("T", ["system", "r"], [["m", Number(0.5, "50.0", best=True)]]), sortable=True)
    assert '<td class="number" data-value="0.5"><strong>50.0</strong></td>' in page
    assert '<th scope="col" class="number">r</th>' in page
    unknown = to_html(Table("T", ["system", "r"], [["m", float("nan")]]), sortable=True)
    assert '<td class="number">n/a</td>' in unknown


def test_an_interval_is_drawn_to_scale() -> None:
    # From -1 to 1, zero stands at 50; 0.5 at 75; 0.4 and 0.6 at 70 and 80.
    drawing = interval_svg(Drawn(0.5, 0.4, 0.6), -1.0, 1.0)
    assert 'class="zero" x1="50.0" x2="50.0"' in drawing
    assert 'class="point" x1="75.0" x2="75.0"' in drawing
    assert 'class="range" x1="70.0" x2="80.0"' in drawing
    assert "range" not in interval_svg(Drawn(0.5, None, None), 0.0, 1.0)
