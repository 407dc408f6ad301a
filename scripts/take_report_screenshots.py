"""Take the documentation's screenshots of the report: docs/images/report-*.png.

Writes the two reports of docs/commands/report.md from the bundled sample:
python scripts/take_report_screenshots.py. Needs Playwright and Chromium.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from captious.data import demo_files

OUT = Path(__file__).resolve().parent.parent / "docs" / "images"
NOTE = "Written by the authors of captious to show a report at work; no study was run."
EXPLAINED = "bleu4,cider,spice,vifidel,wmd"


def write_report(out: Path, *more: str) -> Path:
    sample = demo_files()
    files = {
        "--references": sample.references,
        "--images": sample.images,
        "--objects": sample.objects,
        "--judgments": sample.judgments,
        "--out": out,
    }
    given = [str(part) for pair in files.items() for part in pair]
    command = [sys.executable, "-m", "captious", "report", "--candidates", *map(str, sample.systems)]
    subprocess.run([*command, *given, *more], check=True)
    return out


def opened(browser: Browser, report: Path, width: int, height: int, *, dark: bool = False) -> Page:
    scheme = "dark" if dark else "light"
    size = ViewportSize(width=width, height=height)
    page = browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    page.goto(report.as_uri())
    return page


def at(page: Page, selector: str, above: int = 16) -> Page:
    top = page.locator(selector).first.bounding_box()
    assert top is not None, f"{selector} is not on the page"
    page.evaluate("top => window.scrollTo(0, top)", top["y"] + page.evaluate("scrollY") - above)
    return page


def take(browser: Browser, plain: Path, explained: Path) -> None:
    pages = {
        "systems": opened(browser, plain, 1180, 1000),
        "correlations": at(opened(browser, plain, 1180, 860), "#figure-correlations"),
        "explorer-dark": at(opened(browser, plain, 1180, 900, dark=True), "#examples"),
        "explained": opened(browser, explained, 1280, 1380),
    }
    pages["explained"].goto(f"{explained.as_uri()}#image=20&metric=spice")
    panel = pages["explained"].locator("details.panel").first
    panel.locator("summary").first.click()
    at(pages["explained"], "article")
    for name, page in pages.items():
        # All colours are kept: systems are told apart by them.
        path = OUT / f"report-{name}.png"
        Image.open(io.BytesIO(page.screenshot())).convert("RGB").save(path, optimize=True)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        named = ("--judgments-label", "illustrative judgments", "--judgments-note", NOTE)
        title = ("--title", "Four systems on 24 photographs")
        plain = write_report(Path(folder) / "plain.html", *named, *title)
        explained = write_report(Path(folder) / "explained.html", "--metrics", EXPLAINED)
        chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium)
        take(browser, plain, explained)
        browser.close()


if __name__ == "__main__":
    main()
