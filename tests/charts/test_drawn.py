"""Every kind of chart: what it writes, where its axes end, and what it says in words."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest

from captious.charts.apart import file_pictures, page_pictures
from captious.charts.drawn import chart_files, digest_of, figure_of, page_figure
from captious.charts.theme import DARK, LIGHT
from captious.errors import CaptiousError
from captious.tables import Chart, Table
from captious.tables.values import from_dict, to_dict

pytest.importorskip("altair", reason="charts need captious[report]")
pytest.importorskip("vl_convert", reason="charts need captious[report]")
TAG = "{http://www.w3.org/2000/svg}"
SCALE = (1.0, 5.0)

PLANE = Table(
    "Mean scores by system",
    ("system", "precision", "recall"),
    (("heron", 4.8, 4.7), ("dodo", 2.0, 2.2)),
    chart=Chart("points", "precision", "recall", series="system", x_scale=SCALE, y_scale=SCALE),
)
RATERS = Table(
    "Raters",
    ("rater", "seconds", "agreement", "standing"),
    (("r1", 8.0, 0.9, "no flag"), ("r2", 0.9, -0.2, "flagged: time"), ("r3", 7.0, 0.1, "removed")),
    chart=Chart("points", "seconds", "agreement", series="rater", mark="standing", y_scale=(-1.0, 1.0)),
)
HEAT = Table(
    "Error rates",
    ("source", "question", "rate"),
    (
        ("human", "grammar", 0.0),
        ("human", "main_object", 0.0),
        ("m2", "grammar", 0.2),
        ("m2", "main_object", 0.6),
    ),
    chart=Chart("heat", "question", "source", value="rate"),
)
HUMANR = Table(
    "HUMANr",
    ("system", "humanr", "low", "high"),
    (("human-human", 0.0, -0.1, 0.1), ("dodo", -0.68, -0.77, -0.55)),
    chart=Chart("intervals", "humanr", "system", baseline="human-human", x_scale=(-1.0, 1.0)),
)
SHARES = Table(
    "Scores by system",
    ("aspect", "system", "score", "share"),
    tuple(
        ("recall", name, float(at), share)
        for name, five in (("a", 0.0), ("b", 1.0))
        for at, share in ((1, 1 - five), (2, 0.0), (3, 0.0), (4, 0.0), (5, five))
    ),
    chart=Chart("shares", "score", "share", series="system", panel="aspect"),
)
LINES = Table(
    "Responses over time",
    ("time", "responses", "fewest", "most", "kind"),
    (
        ("2026-11-01 08:00:00", 0, float("nan"), float("nan"), "so far"),
        ("2026-11-01 12:00:00", 40, float("nan"), float("nan"), "so far"),
        ("2026-11-01 12:00:00", 40, 40, 40, "forecast"),
        ("2026-11-01 18:00:00", 100, 80, 100, "forecast"),
    ),
    chart=Chart("lines", "time", "responses", low="fewest", high="most", series="kind", dashed="forecast",
                y_scale=(0.0, 110.0), goal=100.0),
)  # fmt: skip
ALL = (PLANE, RATERS, HEAT, HUMANR, SHARES, LINES)


@pytest.fixture(scope="module")
def pictures() -> dict[str, tuple[str, str]]:
    return {table.title: page_figure(figure_of(table)) for table in ALL}


def texts(drawn: str) -> list[str]:
    return ["".join(one.itertext()) for one in ElementTree.fromstring(drawn).iter(f"{TAG}text")]


@pytest.mark.parametrize("table", ALL, ids=lambda table: table.title)
def test_every_chart_is_a_picture_with_a_name_that_fits_a_phone(table: Table, pictures: dict) -> None:
    wide, narrow = pictures[table.title]
    for drawn in (wide, narrow):
        root = ElementTree.fromstring(drawn)
        assert root.get("role") == "img"
        assert root.get("aria-label", "").startswith(f"{table.title}. ")
        # Every colour is a variable, so that the page's light and dark reach it.
        assert not re.search(r'(?:fill|stroke)="#', drawn)
        used = set(re.findall(r"var\(--([\w-]+)\)", drawn))
        assert used <= set(LIGHT)
        assert used <= set(DARK)
    # A phone's card leaves about 330: the picture shrinks by a tenth at most.
    assert float(ElementTree.fromstring(narrow).get("width", "0")) <= 365


def test_axes_end_where_the_scale_does(pictures: dict) -> None:
    # The points lie between 2.0 and 4.8; the scale is 1 to 5.
    assert {"1", "5"} <= set(texts(pictures["Mean scores by system"][0]))
    # The intervals lie between -0.77 and 0.1; the scale is -1 to 1.
    assert {"−1", "1"} <= set(texts(pictures["HUMANr"][0]))
    # Nobody gave 2, 3 or 4.
    assert [one for one in texts(pictures["Scores by system"][0]) if one in "12345"] == list("12345") * 2


def test_a_number_stands_under_every_bar() -> None:
    rows = tuple(("verdict", "a", at / 4, 0.2) for at in range(5))
    wide, narrow = page_figure(figure_of(replace(SHARES, rows=rows)))
    numbers = [[one for one in texts(drawn) if re.fullmatch(r"[\d.]+", one)] for drawn in (wide, narrow)]
    assert numbers == [["0", "0.25", "0.5", "0.75", "1"], ["0", "1"]]


def test_names_stand_at_the_marks_and_flags_have_a_shape(pictures: dict) -> None:
    assert {"heron", "dodo"} <= set(texts(pictures["Mean scores by system"][0]))
    wide = pictures["Raters"][0]
    assert {"no flag", "flagged", "removed", "r2"} <= set(texts(wide))
    # A circle is drawn with arcs, a triangle and a cross with straight lines only.
    marks = re.findall(r'<path transform="translate[^>]* d="([^"]+)"', wide)
    assert len({re.sub(r"[-\d.,]+", "", d) for d in marks}) == 3


def test_a_cell_of_the_heat_map_says_its_number(pictures: dict) -> None:
    found = texts(pictures["Error rates"][0])
    assert {"0", "20", "60", "main object", "human"} <= set(found)


def test_the_goal_and_the_kinds_of_lines_are_named(pictures: dict) -> None:
    wide = pictures["Responses over time"][0]
    assert {"wanted: 100", "so far", "forecast"} <= set(texts(wide))
    assert "stroke-dasharray" in wide


@pytest.mark.parametrize("minutes", [0.08, 1.5, 5, 40, 600, 1500, 4000, 15_000])
def test_no_two_ticks_of_a_time_axis_read_alike(minutes: float) -> None:
    begun = datetime(2026, 11, 18, 6, 34, 7, tzinfo=UTC)
    moments = [begun + timedelta(minutes=minutes * at / 8) for at in range(9)]
    rows = tuple((f"{one:%Y-%m-%d %H:%M:%S}", at, "so far") for at, one in enumerate(moments))
    table = Table(
        "Course",
        ("time", "responses", "kind"),
        rows,
        chart=Chart("lines", "time", "responses", series="kind"),
    )
    for drawn in page_figure(figure_of(table)):
        ticks = [one for one in texts(drawn) if re.search(r"\d\d:\d\d|\d (Nov|Dec)", one)]
        assert len(ticks) == len({*ticks}), ticks
        assert ticks


def test_what_is_drawn_is_said_in_words() -> None:
    assert (
        figure_of(PLANE).finding == "Heron: precision 4.80, recall 4.70; dodo: precision 2.00, recall 2.20."
    )
    assert figure_of(RATERS).finding == "1 without a flag; flagged: r2; removed: r3."
    assert figure_of(HEAT).finding == "Human: none; m2: most of all main object (60%)."
    assert figure_of(HUMANR).finding == "Human-human 0.00 (−0.10 to 0.10); dodo −0.68 (−0.77 to −0.55)."
    assert figure_of(SHARES).finding == "Recall, most often: a 1 (100%), b 5 (100%)."
    said = "So far: 40 by 2026-11-01 12:00:00; forecast: 100 (80 to 100) by 2026-11-01 18:00:00."
    assert figure_of(LINES).finding == said


def test_a_table_that_was_kept_is_drawn_the_same() -> None:
    again = from_dict(to_dict(HUMANR))
    assert again.chart == HUMANR.chart
    assert digest_of(again) == digest_of(HUMANR)
    other = Table(HUMANR.title, HUMANR.columns, HUMANR.rows[:1], chart=HUMANR.chart)
    assert digest_of(other) != digest_of(HUMANR)


def test_a_process_of_its_own_draws_the_same() -> None:
    assert tuple(page_pictures([HUMANR])[0]) == page_figure(figure_of(HUMANR))
    assert file_pictures([HUMANR]) == chart_files([HUMANR])
    assert page_pictures([]) == []


def test_a_chart_that_cannot_be_drawn_is_one_line() -> None:
    broken = Table("T", ("a",), (("x",),), chart=Chart("bars", "a", "nowhere"))
    with pytest.raises(CaptiousError, match=r"^charts: .*nowhere"):
        page_pictures([broken])


def test_a_value_without_an_interval_is_told_without_one() -> None:
    table = Table(
        "Means",
        ("system", "mean", "low", "high"),
        (("heron", 3.5, "", ""), ("dodo", 2.0, 1.5, 2.5), ("kiwi", "", "", "")),
        chart=Chart("intervals", "mean", "system", x_scale=(1.0, 5.0)),
    )
    figure = figure_of(table)
    assert figure.finding == "Heron 3.50; dodo 2.00 (1.50 to 2.50)."
    shown = texts(page_figure(figure)[0])
    assert {"heron", "dodo"} <= set(shown) and "kiwi" not in shown
