"""The report in a real browser: by mouse, by keyboard, on a phone, in the dark, without script."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from markupsafe import Markup
from PIL import Image

from captious import Corpus, Judgments, scoring
from captious.corpus.judged import read_judgments
from captious.corpus.load import load_corpus
from captious.data import demo_files
from captious.report import write_report

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("altair", reason="a report needs captious[report]")
pytest.importorskip("vl_convert", reason="a report needs captious[report]")

pytestmark = pytest.mark.browser
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    demo = demo_files()
    corpus = load_corpus(demo.systems, [demo.references], images=demo.images, objects=demo.objects)
    scores = scoring.score(corpus, ["bleu1", "bleu4", "rouge_l", "cider"], resamples=100)
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        return write_report(
            scores,
            folder / "demo.html",
            judgments=read_judgments(demo.judgments).judgments,
            title="The demo sample",
            resamples=100,
            explanations={"Words": [Markup("<em>fragment</em>")] + [""] * (len(corpus) - 1)},
        ).page


@pytest.fixture
def view(chromium, page_file) -> Iterator[playwright.Page]:
    context = chromium.new_context(viewport=DESK)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    page.on(
        "request",
        lambda asked: problems.append(asked.url) if not asked.url.startswith(("file:", "data:")) else None,
    )
    page.goto(page_file.as_uri())
    yield page
    context.close()
    assert problems == []


def _ids(view) -> list[str]:
    return view.locator(".card").evaluate_all("cards => cards.map(c => c.dataset.image)")


def _focused(view) -> str | None:
    return view.evaluate("document.activeElement.closest('.card')?.dataset.image ?? null")


def test_script_draws_the_cards_that_the_page_came_with(chromium, page_file, view) -> None:
    context = chromium.new_context(viewport=DESK, java_script_enabled=False)
    plain = context.new_page()
    plain.goto(page_file.as_uri())
    without = plain.content().split('<ol id="cards"')[1].split("</ol>")[0]
    context.close()
    drawn = view.content().split('<ol id="cards"')[1].split("</ol>")[0]
    to_text = """html => {
        const box = new DOMParser().parseFromString(`<ol${html}</ol>`, "text/html");
        return [...box.querySelectorAll(".card")].map(card => [
            card.textContent.replace(/\\s+/g, ""), card.querySelector("img").src,
            card.querySelector("img").alt,
            card.querySelector(".disputed .system").textContent]);
    }"""
    assert view.evaluate(to_text, drawn) == view.evaluate(to_text, without)
    assert len(_ids(view)) == 20


def test_by_mouse(view) -> None:
    first = _ids(view)
    view.get_by_role("button", name="Next page").click()
    assert view.locator("#page").inner_text() == "Page 2 of 2"
    assert len(_ids(view)) == 4
    assert not set(_ids(view)) & set(first)
    view.get_by_label("Search captions, references and ids").fill("espresso")
    assert view.get_by_role("status").inner_text() == "1 image, 4 captions"
    assert _ids(view) == ["4"]
    assert view.locator("mark").first.inner_text().lower() == "espresso"
    view.get_by_label("System", exact=True).select_option("dodo")
    assert view.locator(".candidate").count() == 1
    assert "q=espresso" in view.url
    assert "system=dodo" in view.url
    view.get_by_label("Search captions, references and ids").fill("no such words")
    assert "Nothing found" in view.get_by_role("status").inner_text()


def test_orders_differ_by_metric_aspect_and_direction(view) -> None:
    seen = {tuple(_ids(view))}
    view.get_by_label("Metric", exact=True).select_option(label="ROUGE-L")
    seen.add(tuple(_ids(view)))
    view.get_by_label("Judged", exact=True).select_option(label="recall")
    seen.add(tuple(_ids(view)))
    view.get_by_label("Order", exact=True).select_option(label="metric much higher first")
    seen.add(tuple(_ids(view)))
    assert "higher" in view.locator(".disputed .verdict").first.inner_text()
    view.get_by_label("Order", exact=True).select_option(label="corpus order")
    assert _ids(view) == [str(k) for k in range(1, 21)]
    assert len(seen) == 4


def test_by_keyboard(view) -> None:
    ids = _ids(view)
    view.keyboard.press("j")
    assert _focused(view) == ids[0]
    view.keyboard.press("ArrowDown")
    view.keyboard.press("j")
    assert _focused(view) == ids[2]
    view.keyboard.press("k")
    assert _focused(view) == ids[1]
    view.keyboard.press("ArrowRight")
    assert view.locator("#page").inner_text() == "Page 2 of 2"
    assert _focused(view) == _ids(view)[0]
    view.keyboard.press("k")  # before the first card is the last of the page before
    assert _focused(view) == ids[-1]
    view.keyboard.press("/")
    assert view.evaluate("document.activeElement.id") == "search"
    view.keyboard.type("jk/")  # in the field these are letters
    assert view.locator("#search").input_value() == "jk/"
    view.keyboard.press("Escape")
    assert len(_ids(view)) == 20


def test_a_link_opens_its_image(chromium, page_file) -> None:
    page = chromium.new_page(viewport=DESK)
    page.goto(f"{page_file.as_uri()}#image=7")
    assert _focused(page) == "7"
    box = page.locator(".card[data-image='7']").bounding_box()
    assert box is not None
    assert 0 <= box["y"] < DESK["height"]
    page.goto(f"{page_file.as_uri()}#image=20&metric=bleu4&sort=low")
    assert _focused(page) == "20"
    assert page.locator("#metric option:checked").inner_text() == "BLEU-4"
    page.close()


def test_a_table_sorts_by_its_headings(view) -> None:
    table = view.locator("table.sortable")
    table.get_by_role("button", name="captions").click()
    table.get_by_role("button", name="CIDEr").click()
    names = table.locator("tbody th").all_inner_texts()
    assert names[0] == "heron"
    assert names[-1] == "dodo"
    table.get_by_role("button", name="CIDEr").click()
    assert table.locator("tbody th").all_inner_texts() == names[::-1]
    assert table.locator("th[aria-sort='ascending']").inner_text() == "CIDEr"


def test_an_explanation_stands_with_its_caption_only(view) -> None:
    panel = view.locator("details.panel")
    if panel.count() == 0:
        view.get_by_role("button", name="Next page").click()
    assert panel.count() == 1
    panel.locator("summary").click()
    assert panel.locator("em").inner_text() == "fragment"


def test_dark_mode_follows_the_system_and_the_button(chromium, page_file) -> None:
    context = chromium.new_context(viewport=DESK, color_scheme="dark")
    page = context.new_page()
    page.goto(page_file.as_uri())
    colour = "getComputedStyle(document.querySelector('.chart text')).fill"
    dark = page.evaluate(colour)
    button = page.get_by_role("button", name="Dark mode")
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    assert page.evaluate(colour) != dark
    assert button.get_attribute("aria-pressed") == "false"
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_no_serious_barrier(chromium, page_file, scheme, size) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    context = chromium.new_context(viewport=size, color_scheme=scheme)
    page = context.new_page()
    page.goto(page_file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    # Cards are all built alike, so three are checked; charts have the same colours on a phone.
    left_out = [[".card:nth-child(n+4)"], *([[".chart"]] if size is PHONE else [])]
    found = axe.Axe().run(page, context={"exclude": left_out}).response["violations"]
    serious = [
        (v["id"], v["nodes"][0]["html"][:200], v["nodes"][0].get("failureSummary", ""))
        for v in found
        if v["impact"] in ("serious", "critical")
    ]
    context.close()
    assert serious == []


def test_a_phone_never_scrolls_sideways(chromium, page_file) -> None:
    page = chromium.new_page(viewport=PHONE)
    page.goto(page_file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert page.locator(".chart.wide").first.is_hidden()
    assert page.locator(".chart.narrow").first.is_visible()
    page.close()


def test_a_wide_table_shows_that_it_goes_on(chromium, page_file) -> None:
    page = chromium.new_page(viewport={"width": 360, "height": 780})
    page.goto(page_file.as_uri())
    box = page.locator(".scroll:has(table.sortable)")
    assert box.get_attribute("role") == "region"
    assert box.get_attribute("aria-label")
    assert box.evaluate("b => b.scrollWidth > b.clientWidth + 40")
    # What moves with the table hides the shade that stays at the edge, so the order matters.
    assert box.evaluate("b => getComputedStyle(b).backgroundAttachment") == "local, scroll, scroll"
    box.scroll_into_view_if_needed()
    shaded = _edge(page, box)
    box.focus()
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("b => b.scrollLeft + b.clientWidth >= b.scrollWidth - 1", arg=box.element_handle())
    assert _edge(page, box) > shaded + 20
    left = box.evaluate("b => b.getBoundingClientRect().left + b.clientLeft")
    for name in ("thead th:first-child", "tbody th"):
        assert box.locator(name).first.bounding_box()["x"] == pytest.approx(left, abs=1)
    page.close()


def _edge(page, box) -> int:
    """Brightness of the table's right edge, below its first row of numbers."""
    area = box.bounding_box()
    row = box.locator("tbody tr").first.bounding_box()
    spot = {"x": area["x"] + area["width"] - 4, "y": row["y"] + row["height"] - 5}
    shot = page.screenshot(clip={**spot, "width": 2, "height": 2})
    return sum(Image.open(io.BytesIO(shot)).convert("RGB").getpixel((0, 0))) // 3


def test_everything_is_there_without_script(chromium, page_file) -> None:
    context = chromium.new_context(viewport=DESK, java_script_enabled=False)
    page = context.new_page()
    page.goto(page_file.as_uri())
    assert page.locator(".chart.wide").count() == 7
    assert page.locator(".card").count() == 20
    assert page.locator(".card img").first.evaluate("i => i.complete && i.naturalWidth > 0")
    assert page.locator("#controls").is_hidden()
    assert page.locator("#theme").is_hidden()
    context.close()


def test_markup_in_a_caption_never_runs(chromium, tmp_path) -> None:
    evil = "<img src=x onerror=\"document.title='ran'\"></script><script>document.title='ran'</script>"
    corpus = Corpus.from_lists([evil, "a cat"], [[evil]] * 2, image_ids=[evil] * 2, systems=[evil, "b"])
    judged = Judgments.from_columns(images=[evil] * 2, systems=[evil, "b"], values=[1, 2])
    written = write_report(
        scoring.score(corpus, ["bleu1"]), tmp_path / "evil.html", judgments=judged, title="safe"
    )
    page = chromium.new_page()
    page.goto(written.page.as_uri())
    page.get_by_label("Search captions, references and ids").fill("img src")
    assert page.locator(".caption", has_text="<img src=x").count() == 1
    assert page.locator(".card img, .card script").count() == 0
    assert page.title() == "safe"
    page.close()
