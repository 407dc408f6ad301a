from __future__ import annotations

import re
import sys

import pytest

from captious.charts import render
from captious.charts.theme import DARK, LIGHT
from captious.errors import MissingDependencyError
from captious.report.figures import make_figures
from captious.report.study import make_study


@pytest.fixture(scope="module")
def figures(demo_scores, demo_judgments):
    return make_figures(make_study(demo_scores, demo_judgments, resamples=0))


def test_every_colour_on_the_page_is_a_variable(figures) -> None:
    for figure in figures.all:
        drawn = render.page_svg(figure.wide, figure.alternative, "wide")
        assert "var(--chart-ink)" in drawn
        assert re.findall(r'(?:fill|stroke)="#[0-9a-fA-F]+"', drawn) == []


def test_a_chart_is_one_picture_with_a_name(figures) -> None:
    drawn = render.page_svg(figures.systems[0].wide, 'heron "leads" <all>', "wide")
    assert 'role="img"' in drawn
    assert 'aria-label="heron &quot;leads&quot; &lt;all&gt;"' in drawn
    assert "graphics-symbol" not in drawn


def test_light_and_dark_name_the_same_colours() -> None:
    assert LIGHT.keys() == DARK.keys()
    assert len(set(LIGHT.values())) == len(LIGHT)


def test_every_chart_is_written_for_papers(figures, tmp_path) -> None:
    written = render.export(figures.systems, tmp_path / "charts")
    starts = {"svg": b"<svg", "pdf": b"%PDF-", "png": b"\x89PNG", "json": b"{"}
    assert [path.name for path in written] == ["scores.vl.json", "scores.svg", "scores.pdf", "scores.png"]
    for path in written:
        assert path.read_bytes().startswith(starts[path.suffix[1:]])


def test_missing_library_is_named_with_its_command(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "captious\[report\]"'):
        render.require_libraries()


def test_ids_inside_a_chart_are_the_same_in_every_run(figures) -> None:
    spreads = next(figure for figure in figures.all if figure.key == "spreads")
    first = render.page_svg(spreads.wide, "", "wide", "spreads")
    assert re.findall(r'\bid="([^"]+)"', first)[0] == "spreads-wide-0"
    assert set(re.findall(r"url\(#([^)]+)\)", first)) <= set(re.findall(r'\bid="([^"]+)"', first))
    assert render.page_svg(spreads.wide, "", "wide", "spreads") == first
