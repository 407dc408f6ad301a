"""The documentation site: builds without a warning, and documents every public name."""

import html
import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import captious
import captious.compat.coco
import captious.learn
import captious.stats
from captious.metrics.registry import known_metrics
from captious.protocols.registry import known_protocols

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; a warning is an error."""
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return folder


def test_the_site_documents_every_public_name(site: Path) -> None:
    def missing(page: str, module: ModuleType, names: list[str]) -> list[str]:
        text = (site / page).read_text(encoding="utf-8")
        return [name for name in names if f'id="{place(module.__name__, name)}"' not in text]

    def place(module: str, name: str) -> str:
        """Where a name is documented: in its own module, if a module of that name hides it."""
        hidden = f"{module}.{name}" in sys.modules
        return f"{module}.{name}.{name}" if hidden else f"{module}.{name}"

    def functions(module: ModuleType) -> list[str]:
        return [name for name in module.__all__ if callable(getattr(module, name))]

    assert missing("api.html", captious, [name for name in captious.__all__ if name != "__version__"]) == []
    assert missing("api-stats.html", captious.stats, functions(captious.stats)) == []
    for module in (captious.learn, captious.compat.coco):
        assert missing("api-more.html", module, functions(module)) == []
    adapters = [
        "lmms_eval.aggregation",
        "inspect_ai.captions",
        "torchmetrics.CaptionMetric",
        "evaluate.folder",
    ]
    assert missing("api-more.html", captious.compat, adapters) == []
    assert undocumented_options(html.unescape((site / "commands" / "index.html").read_text("utf-8"))) == []


def test_every_public_name_has_a_line_in_a_table(site: Path) -> None:
    for page in ("api.html", "api-stats.html", "api-more.html"):
        text = (site / page).read_text(encoding="utf-8")
        headings = re.findall(r'<h3 id="(captious[\w.]+)"', text)
        assert headings
        assert [name for name in headings if f'<td><a href="#{name}">' not in text] == []


def test_pages_load_nothing_from_other_sites(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="https?:', text) == [], page


def test_formulas_are_drawn(site: Path) -> None:
    pages = {page: page.read_text("utf-8") for page in (site / "metrics").glob("*.html")}
    assert sum(text.count("<math") for text in pages.values()) > 50
    assert [page.name for page, text in pages.items() if 'class="arithmatex"' in text] == []
    # $w = 2.5$
    drawn = "<mrow><mi>w</mi><mo>&#x0003D;</mo><mn>2.5</mn></mrow></math>"
    assert drawn in pages[site / "metrics" / "clipscore.html"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not path:
        pytest.skip("no Chromium here: install it, or set $CHROMIUM to its path")
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.mark.browser
def test_the_search_works_in_pages_that_are_opened_from_disk(site: Path, chromium: Any) -> None:
    page = chromium.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "metrics" / "bleu.html").as_uri())
    page.locator("input.md-search__input").click()
    page.keyboard.type("krippendorff_alpha")
    found = page.locator("a.md-search-result__link[href*='captious.stats.krippendorff_alpha']")
    found.first.wait_for(state="attached")
    assert [address for address in asked if not address.startswith("file:")] == []
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_have_no_serious_barriers(site: Path, chromium: Any, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = chromium.new_page(color_scheme=scheme)
    found = []
    for name in ("index", "metrics/cider", "commands/score", "notebooks/compare", "screens", "api-stats"):
        page.goto((site / f"{name}.html").as_uri())
        found += [
            (name, violation["id"], violation["nodes"][0]["html"][:200])
            for violation in axe.Axe().run(page).response["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
    page.close()
    assert found == []


def undocumented_options(page: str) -> list[str]:
    """The options that have no line in the section of their command."""
    sections = {part.partition('"')[0]: part for part in page.split('<h3 id="')[1:]}
    commands = runpy.run_path(str(ROOT / "scripts" / "docs" / "options.py"))["commands"]
    return [
        f"captious {' '.join(words)} {name}"
        for words, command in commands()
        for parameter in command.params
        for name in (parameter.opts if parameter.param_type_name == "option" else [])
        if f"<code>{name}</code>" not in sections.get("-".join(["captious", *words]).lower(), "")
    ]


def test_every_metric_protocol_and_command_has_its_page() -> None:
    from captious.cli.main import COMMANDS

    def shown(folder: str) -> str:
        return "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "docs" / folder).glob("*.md")))

    protocols = shown("protocols")
    metrics = {path.name: path.read_text("utf-8") for path in (ROOT / "docs" / "metrics").glob("*.md")}
    index = metrics.pop("README.md")
    for name in known_metrics():
        pages = {page for page, text in metrics.items() if re.search(rf"`{name}[`\[]", text)}
        row = next((line for line in index.splitlines() if re.match(rf"\|.*`{name}`.*\|.*\|", line)), "")
        assert pages & set(re.findall(r"\((\S+\.md)\)", row)), f"{name}: no page, or no row that leads to it"
    assert [
        name for name in known_protocols() if not re.search(rf"[`\".]{name}[`\"]|create {name}", protocols)
    ] == []
    assert {path.stem for path in (ROOT / "docs" / "commands").glob("*.md")} == set(COMMANDS)
