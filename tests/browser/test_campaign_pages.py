"""Every page of the web application: axe-core, light and dark, desk and phone, nothing cut off.

The pages are those of the documentation's screenshots.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")
pytest.importorskip("fastapi", reason="the web application needs captious[web]")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parent.parent.parent
PICTURES = ROOT / "docs" / "images" / "web"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
DESK, PHONE = {"width": 1280, "height": 860}, {"width": 360, "height": 760}
VIEWS = [(DESK, "light"), (DESK, "dark"), (PHONE, "light"), (PHONE, "dark")]
MOST_BYTES = 150_000


def _tour() -> ModuleType:
    path = ROOT / "scripts" / "take_screenshots.py"
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("take_screenshots", path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


TOUR = _tour()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with TOUR.open_site(tmp_path_factory.mktemp("site")) as found:
        yield found


def faults(page: Any) -> list[str]:
    """What axe finds wrong, and whether the page is wider than the window."""
    found = axe.Axe().run(page, options={"runOnly": RULES})
    assert len(found.response["passes"]) > 10
    lines = [
        f"{one['impact']} {one['id']}: {node['html'][:160]}"
        for one in found.response["violations"]
        for node in one["nodes"][:3]
    ]
    room, needed = page.evaluate(
        "[document.documentElement.clientWidth, document.documentElement.scrollWidth]"
    )
    return [*lines, *([f"{needed} pixels in a window of {room}"] if needed > room else [])]


def look(chromium: Any, site: Any, name: str, views: list[tuple[dict[str, int], str]]) -> None:
    """Visit a page once and look at it in several windows and colours."""
    stop = next(one for one in TOUR.STOPS if one.name == name)
    context = chromium.new_context(viewport=views[0][0], reduced_motion="reduce")
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    stop.visit(page, site)
    for size, scheme in views:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        assert faults(page) == [], (name, size["width"], scheme)
    context.close()
    assert errors == []


# One of each kind of page; every page in every view takes minutes.
SOME = {
    "rater-thumb-second": (PHONE, "dark"),
    "rater-generic": (DESK, "dark"),
    "rater-error-plain": (PHONE, "dark"),
    "admin-campaigns": (PHONE, "dark"),
    "admin-preview": (PHONE, "light"),
    "admin-overview": (PHONE, "dark"),
    "admin-raters": (DESK, "dark"),
    "admin-quality": (PHONE, "dark"),
    "admin-adjudicate": (PHONE, "light"),
    "rater-arrive": (PHONE, "dark"),
    "admin-crowd": (PHONE, "dark"),
}


@pytest.mark.parametrize("name", SOME)
def test_a_page_of_each_kind_has_no_fault(chromium, site, name: str) -> None:
    look(chromium, site, name, [SOME[name]])


@pytest.mark.long
@pytest.mark.parametrize("name", [stop.name for stop in TOUR.STOPS])
def test_every_page_in_every_view_has_no_fault(chromium, site, name: str) -> None:
    look(chromium, site, name, VIEWS)


@pytest.mark.parametrize("name", [stop.name for stop in TOUR.STOPS])
def test_every_page_is_pictured_desk_and_phone(name: str) -> None:
    stop = next(one for one in TOUR.STOPS if one.name == name)
    for suffix in ("", "-phone"):
        size = (PICTURES / f"{name}{suffix}.{stop.file}").stat().st_size
        assert 1000 < size <= MOST_BYTES


def test_pages_of_the_documentation_name_pictures_that_are_there() -> None:
    for document in ("rating.md", "admin.md", "campaigns.md", "screens.md", "crowd.md"):
        text = (ROOT / "docs" / document).read_text()
        named = {part.split(")")[0].split('"')[0] for part in text.split("images/web/")[1:]}
        assert {name for name in named if not (PICTURES / name).is_file()} == set(), document
