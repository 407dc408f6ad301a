"""The documentation site: builds without a warning, and documents every public name."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import captious
import captious.compat.coco
import captious.learn
import captious.stats

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
    # Nothing is fetched from elsewhere: the search works without a network.
    assert (site / "search" / "search_index.json").is_file()
    assert re.findall(r'<(?:script|link)[^>]*(?:src|href)="https?:', page) == []
