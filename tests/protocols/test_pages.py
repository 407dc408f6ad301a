"""The pages on the protocols show what their examples print."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGES = Path(__file__).resolve().parents[2] / "docs" / "protocols"
EXAMPLE = re.compile(r"```python\n(.*?)```\n```\n(.*?)```", re.DOTALL)
FILE = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


def printed(page: str) -> list[tuple[str, str]]:
    """What each example of a page prints, and what the page shows."""
    names: dict[str, object] = {}
    found = []
    for code, shown in EXAMPLE.findall(page):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(code, names)
        lines = [line.rstrip() for line in out.getvalue().rstrip().splitlines()]
        found.append(("\n".join(lines), shown.rstrip()))
    return found


@pytest.mark.parametrize("name", ["humanr", "tagging", "error-audit", "generic"])
def test_examples_print_what_the_page_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for text in FILE.findall(page):
        (tmp_path / "alt-text.yaml").write_text(text, encoding="utf-8")
    found = printed(page)
    assert found
    for out, shown in found:
        assert out == shown


def test_examples_on_thumbs_release(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(data)
    found = printed((PAGES / "thumb.md").read_text(encoding="utf-8"))
    assert len(found) == 5
    for out, shown in found:
        assert out == shown
