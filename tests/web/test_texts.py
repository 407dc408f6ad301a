from __future__ import annotations

import json
import re
import string
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the web application needs captious[web]")

from captious.web import texts as module
from captious.web.pages import HERE
from captious.web.texts import FOLDER, texts

USED = re.compile(r"""\bt\(\s*["']([a-z0-9_.]+)["']""")
IN_CODE = re.compile(r"""["']((?:error|work|link|form|setup|demo|leave|net)\.[a-z0-9_]+)["']""")


def missing(wanted: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """What the catalogue lacks; a key that ends in . or _ is the beginning of others."""
    known = texts().entries
    return sorted(
        (where, key)
        for where, key in wanted
        if key not in known
        and not (key.endswith((".", "_")) and any(entry.startswith(key) for entry in known))
    )


def test_every_text_that_a_template_asks_for_is_in_the_catalogue() -> None:
    wanted = {
        (path.name, key)
        for path in (HERE / "templates").rglob("*.html")
        for key in USED.findall(path.read_text(encoding="utf-8"))
    }
    assert len(wanted) > 50
    assert missing(wanted) == []


def test_every_text_that_the_code_asks_for_is_in_the_catalogue() -> None:
    wanted = {
        (path.name, key)
        for path in HERE.rglob("*.py")
        for key in IN_CODE.findall(path.read_text(encoding="utf-8"))
        if not key.endswith(".html")
    }
    assert len(wanted) > 10
    assert missing(wanted) == []


def test_one_is_said_otherwise_than_many() -> None:
    assert texts()("work.answered", count=1) == "1 answered"
    assert texts()("form.problems", count=2) == "2 answers are missing or not valid"


def translated(folder: Path) -> None:
    """A language of a file: every English word in upper case, placeholders as they are."""

    def shout(text: str) -> str:
        parts = string.Formatter().parse(text)
        return "".join(said.upper() + (f"{{{name}}}" if name else "") for said, name, _, _ in parts)

    english = json.loads((FOLDER / "en.json").read_text(encoding="utf-8"))
    phrases = {"How well does the caption fit?": "HOW WELL?", "Minor errors": "MINOR"}
    own = {key: shout(text) for key, text in english.items() if key != "phrases"}
    for name in ("en.json", "en.admin.json"):
        if (FOLDER / name).is_file():
            (folder / name).write_bytes((FOLDER / name).read_bytes())
    (folder / "xx.json").write_text(json.dumps(own | {"phrases": phrases}), encoding="utf-8")


def test_another_language_is_a_file(site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from captious.campaigns.records import Settings
    from captious.web import entrance
    from captious.web.rater import task_page, work_pages

    translated(tmp_path)
    other = module.texts("xx", tmp_path)
    for pages in (work_pages, entrance, task_page):
        monkeypatch.setattr(pages, "texts", lambda language: module.texts(language, tmp_path))
    campaign = site.campaign("tagging", settings=Settings(language="xx"))
    visitor, _ = site.rater(campaign)
    page = visitor.get(f"/work/{campaign.slug}").text
    assert '<html lang="xx">' in page
    assert other("work.submit") == "SUBMIT"
    for said in ("SUBMIT", "HOW WELL?", "MINOR", "SKIP", "0 OF "):
        assert said in page
    for english in ("Submit", "Report", "Minor errors", "Skip to main content"):
        assert english not in page


def test_an_unknown_language_and_a_path_are_english() -> None:
    assert texts("tlh")("work.submit") == "Submit"
    assert texts("../../etc/passwd")("work.submit") == "Submit"
