"""The documentation site: builds without a warning, and documents every public name."""

import html
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import captious
import captious.compat.coco
import captious.learn
import captious.stats
from captious.metrics.registry import known_metrics
from captious.protocols.registry import known_protocols

ROOT = Path(__file__).parents[2]


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    site = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(site)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    page = (site / "api.html").read_text(encoding="utf-8")
    named = [name for name in captious.__all__ if name != "__version__"]
    assert [name for name in named if f'id="captious.{name}"' not in page] == []
    more = (site / "api-more.html").read_text(encoding="utf-8")
    for module in (captious.stats, captious.learn, captious.compat.coco):
        public = [name for name in module.__all__ if callable(getattr(module, name))]
        assert [name for name in public if f'id="{module.__name__}.{name}"' not in more] == []
    for place in (
        "lmms_eval.aggregation",
        "inspect_ai.captions",
        "torchmetrics.CaptionMetric",
        "evaluate.folder",
    ):
        assert f'id="captious.compat.{place}"' in more
    assert undocumented_options(html.unescape((site / "commands" / "options.html").read_text("utf-8"))) == []
    # Nothing is fetched from elsewhere: the search works without a network.
    assert (site / "search" / "search_index.json").is_file()
    assert re.findall(r'<(?:script|link)[^>]*(?:src|href)="https?:', page) == []


def undocumented_options(page: str) -> list[str]:
    """The options that have no line in the section of their command."""
    sections = {part.partition('"')[0]: part for part in page.split('<h2 id="')[1:]}
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

    metrics, protocols = shown("metrics"), shown("protocols")
    assert [name for name in known_metrics() if not re.search(rf"`{name}[`\[]", metrics)] == []
    assert [
        name for name in known_protocols() if not re.search(rf"[`\".]{name}[`\"]|create {name}", protocols)
    ] == []
    assert {path.stem for path in (ROOT / "docs" / "commands").glob("*.md")} == set(COMMANDS)
