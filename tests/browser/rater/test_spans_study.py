"""A whole study by mouse, keyboard and touch: marks, a decision, the export, the commands, the import."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from captious.campaigns.exchange.importing import import_file
from captious.campaigns.results import analysis
from captious.campaigns.setup import lifecycle
from captious.campaigns.store.database import Database
from captious.cli.main import main
from captious.corpus.finding_files import read_findings
from captious.data import demo_files

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
IMAGES = 3
# The word that each rater marks in every caption: Ann and Bo the first, Cem the second.
FIRST = {"mouse": 0, "keyboard": 0, "touch": 1}


def mark(page: Page, way: str) -> None:
    """A word as an invented object, major, in the way of the rater."""
    if way == "keyboard":
        for key in ("ArrowDown", "3", "2"):
            page.keyboard.press(key)
        return
    press = "tap" if way == "touch" else "click"
    for target in (
        page.locator(".markable .w").nth(FIRST[way]),
        page.locator('[data-error="hallucinated"]'),
        page.locator('[data-severity="major"]'),
    ):
        getattr(target, press)()


def answer(page: Page, way: str) -> None:
    token = page.locator(".answers").get_attribute("data-task")
    mark(page, way)
    score = page.locator('[name="score"]')
    if way == "keyboard":
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowDown")
        page.keyboard.type("50")
        page.keyboard.press("Enter")
    else:
        score.fill("50")
        (page.locator("[data-submit]").tap if way == "touch" else page.locator("[data-submit]").click)()
    page.wait_for_function("token => document.querySelector('.answers')?.dataset.task !== token", arg=token)


@pytest.fixture
def ran(capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """The JSON that a command prints."""

    def call(*arguments: object) -> dict[str, Any]:
        with pytest.raises(SystemExit, match="0"):
            main([*map(str, arguments), "--resamples", "20", "--format", "json"])
        said: dict[str, Any] = json.loads(capsys.readouterr().out)
        return said

    return call


def test_a_study_by_mouse_keyboard_and_touch_compares_three_metrics(
    studio: Any, office: Any, cut_sample: Any, start: Any, ran: Any, tmp_path: Path
) -> None:
    desk = office(studio.owner())
    desk.create("spans", "A whole study", cut_sample(IMAGES, "dodo"), raters="3", audit=True, thumb=True)
    links = desk.invite("Ann", "Bo", "Cem")
    for way, link in zip(FIRST, links, strict=True):
        hand = studio.visitor(way if way != "touch" else "mouse", **(PHONE if way == "touch" else {}))
        page = start(hand, link).page
        for _ in range(IMAGES):
            answer(page, way)
        expect(page.get_by_role("heading", level=1)).to_contain_text("done")

    # The lead accepts what Ann says of the first caption.
    desk.tab("Disagreements")
    desk.hand.activate(desk.hand.page.locator("main tbody tr").first.get_by_role("link"))
    desk.hand.push("Accept r001")
    assert "Error audit from the marks" in desk.tab("Results")
    desk.hand.follow("Show marked captions")
    page = desk.hand.page
    expect(page.locator(".marked-caption")).to_have_count(IMAGES)
    shared = page.locator(".marked-caption figure.marked").first.locator("mark small").all_inner_texts()
    assert shared == ["2 of 3", "1 of 3"]
    assert page.get_by_text("Decision", exact=True).count() == 1
    found = axe.Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]})
    assert [one["id"] for one in found.response["violations"]] == []
    folder = desk.export(tmp_path)
    found = read_findings(folder / "findings.jsonl")
    assert found.sources == ["r001", "r002", "r003"] and len(found) == 3 * IMAGES
    assert len(read_findings(folder / "final_findings.jsonl")) == 3 * IMAGES - 2

    # Two of three pairs of raters differ everywhere, one agrees everywhere.
    agreed = ran("judgments", "agreement", folder / "findings.jsonl")
    assert agreed["coefficients"]["exact_f1"]["value"] == pytest.approx(1 / 3)
    assert agreed["scores"]["items"] == IMAGES
    compared = ran(
        "meta", folder / "findings.jsonl", "--metrics", "chair,invented,spice",
        "--objects", demo_files().objects, "--compare",
    )  # fmt: skip
    assert compared["n"] == IMAGES and len(compared["results"]) == 3
    assert len({one["coefficient"] for one in compared["comparisons"]}) == 6
    audited = ran("judgments", "audit", folder / "judgments.jsonl", "--trials", 20)
    rates = {one["question"]: one["rate"]["value"] for one in audited["rates"]}
    assert rates["hallucinated"] == 1 and rates["grammar"] == 0

    with Database.open(tmp_path / "other.db", files=tmp_path / "other") as other:
        again = import_file(other, folder, actor="test")
        own = analysis.result_tables(studio.db, lifecycle.find(studio.db, desk.slug))
        assert [one.rows for one in analysis.result_tables(other, again)] == [one.rows for one in own]
