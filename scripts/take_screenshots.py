"""Take the documentation's screenshots of the web application: docs/images/web.

Runs the demo on a free port, goes to every page, and keeps each as seen on a desk and on a phone:
python scripts/take_screenshots.py [name …]. Needs Playwright and Chromium.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from screens import leads, raters
from screens.site import Site, open_site, serving
from screens.stops import Stop

OUT = Path(__file__).resolve().parent.parent / "docs" / "images" / "web"
DESK, PHONE = {"width": 1280, "height": 860}, {"width": 360, "height": 760}
ADMIN_DESK = {"width": 1000, "height": 1000}
MOST_BYTES = 150_000
STOPS = (*raters.STOPS, *leads.STOPS)
# Shown in dark colours too.
DARK = ("rater-tagging", "admin-agreement")

__all__ = ["DESK", "OUT", "STOPS", "keep", "open_site", "serving"]


def keep(picture: bytes, path: Path) -> int:
    """Write a picture small enough for a page of documentation; returns its bytes."""
    shot = Image.open(io.BytesIO(picture)).convert("RGB")
    for quality in (82, 74, 66, 58, 50):
        kept = io.BytesIO()
        if path.suffix == ".jpg":
            shot.save(kept, "JPEG", quality=quality, optimize=True, progressive=True)
        else:
            shot.quantize(quality * 2).save(kept, "PNG", optimize=True)
        if kept.tell() <= MOST_BYTES:
            break
    path.write_bytes(kept.getvalue())
    return kept.tell()


def shoot(browser: Browser, site: Site, stop: Stop, suffix: str) -> int:
    """One picture of one page."""
    phone = "phone" in suffix
    desk = ADMIN_DESK if stop.name.startswith("admin") and not stop.photo else DESK
    context = browser.new_context(
        viewport=PHONE if phone else desk,
        device_scale_factor=2 if phone and stop.photo else 1.5 if phone else 1,
        color_scheme="dark" if "dark" in suffix else "light",
        java_script_enabled=stop.script,
        reduced_motion="reduce",
    )
    page = context.new_page()
    stop.visit(page, site)
    page.wait_for_load_state("networkidle")
    size = keep(page.screenshot(), OUT / f"{stop.name}{suffix}.{stop.file}")
    context.close()
    return size


def main() -> None:
    """Take them all, or those that are named."""
    wanted = sys.argv[1:]
    unknown = set(wanted) - {stop.name for stop in STOPS}
    if unknown:
        raise SystemExit(f"no such page: {', '.join(sorted(unknown))}")
    OUT.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, open_site(Path(folder)) as site, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for stop in STOPS:
            if wanted and stop.name not in wanted:
                continue
            for suffix in ("", "-phone", *(("-dark",) if stop.name in DARK else ())):
                size = shoot(browser, site, stop, suffix)
                print(f"{stop.name}{suffix}.{stop.file}\t{size // 1000} kB", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
