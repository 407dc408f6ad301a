"""Charts on the pages: pictures when they are drawn, tables at once, and words for both."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from typing import Any

import pytest

from captious.charts.theme import DARK, LIGHT, css_variables
from captious.web.pages import STATIC

pytest.importorskip("altair", reason="charts need captious[report]")
pytest.importorskip("vl_convert", reason="charts need captious[report]")


def test_the_style_sheet_has_the_colours_of_the_theme() -> None:
    sheet = (STATIC / "charts.css").read_text()
    assert sheet.count(css_variables(LIGHT)) == 1
    assert sheet.count(css_variables(DARK)) == 2  # as the system has it, and as the visitor chose


def test_a_chart_stands_with_its_table_and_its_words(viewer: Any, tagged: Any) -> None:
    twin = viewer.twin(f"/admin/c/{tagged.slug}/charts/results")
    (chart,) = twin["charts"]
    assert (chart["title"], chart["drawn"]) == ("Scores by system", True)
    # Six captions by two raters: dodo's three are complete to one and unrelated to the other.
    rows = {(row[1], row[2]): row[3] for row in chart["table"]["rows"]}
    assert rows["dodo", 0.0] == rows["dodo", 1.0] == 3
    assert rows["dodo", 0.5] == 0
    text = viewer.text(f"/admin/c/{tagged.slug}/results")
    for part in ('class="chart wide" role="img"', 'class="chart narrow" role="img"', "Show as a table"):
        assert part in text
    assert chart["finding"] in text


def test_every_kind_of_chart_has_a_page_and_a_twin(viewer: Any, tagged: Any) -> None:
    for kind in ("progress", "agreement", "results", "quality"):
        found = viewer.twin(f"/admin/c/{tagged.slug}/charts/{kind}")
        text = viewer.text(f"/admin/c/{tagged.slug}/charts/{kind}")
        assert all(one["title"] in text for one in found["charts"])
        assert "<html" not in text
    assert viewer.get(f"/admin/c/{tagged.slug}/charts/other").status_code == 422


def test_without_the_library_the_table_is_there(viewer: Any, tagged: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("captious.web.admin.figures.charts_page.can_draw", lambda: False)
    twin = viewer.twin(f"/admin/c/{tagged.slug}/charts/results")
    assert [one["drawn"] for one in twin["charts"]] == [False]
    text = viewer.text(f"/admin/c/{tagged.slug}/results")
    assert "needs captious[report]" in text
    assert "<details open>" in text
    assert "chart wide" not in text


def test_the_same_content_is_drawn_once(site: Any, viewer: Any, tagged: Any, monkeypatch: Any) -> None:
    viewer.twin(f"/admin/c/{tagged.slug}/charts/results")
    asked = []
    pictures = "captious.web.admin.figures.charts_page.page_pictures"
    monkeypatch.setattr(pictures, lambda tables: asked.append(tables) or [])
    viewer.twin(f"/admin/c/{tagged.slug}/charts/results")
    assert asked == []


def test_a_page_with_charts_is_light(viewer: Any, tagged: Any) -> None:
    for path in ("", "/results", "/agreement", "/quality"):
        viewer.twin(f"/admin/c/{tagged.slug}/charts/{path.strip('/') or 'progress'}")
        size = len(viewer.text(f"/admin/c/{tagged.slug}{path}").encode())
        assert size < 100_000


def test_the_archive_holds_the_charts(manager: Any, tagged: Any) -> None:
    fields = {"format-jsonl": "yes"}
    answer = manager.post(f"/admin/c/{tagged.slug}/exports", **fields)
    assert answer.status_code == 200
    with zipfile.ZipFile(BytesIO(answer.content)) as archive:
        drawn = archive.read(f"{tagged.slug}/scores-by-system.svg").decode()
        readme = archive.read(f"{tagged.slug}/README.md").decode()
    assert re.search(r"<text[^>]*>dodo</text>", drawn)
    assert "scores-by-system.svg" in readme
