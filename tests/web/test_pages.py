"""What holds for every template and static file."""

from __future__ import annotations

import json
import re
import string
from pathlib import Path

import pytest

from captious.web import pages as module
from captious.web.pages import FOLDER, HERE, texts

pytest.importorskip("fastapi", reason="the web application needs captious[web]")

from captious.web.pages import STATIC, TEMPLATES, local, static

INLINE = re.compile(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|javascript:", re.I)
ELSEWHERE = re.compile(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", re.I)


@pytest.mark.parametrize(
    "path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.relative_to(TEMPLATES).as_posix()
)
def test_no_template_has_inline_code_or_looks_elsewhere(path) -> None:
    text = path.read_text(encoding="utf-8")
    assert INLINE.findall(text) == []
    assert ELSEWHERE.findall(text) == []
    assert "|safe" not in text.replace(" ", "")


@pytest.mark.parametrize("path", sorted(STATIC.glob("*.*")), ids=lambda path: path.name)
def test_no_static_file_looks_elsewhere(path) -> None:
    found = ELSEWHERE.findall(path.read_text(encoding="utf-8"))
    assert [address for address in found if "w3.org" not in address] == []


def test_an_address_with_a_digest_is_kept_for_long_and_others_are_not(site) -> None:
    visitor = site.visitor()
    assert "immutable" in visitor.get(static("site.css")).headers["cache-control"]
    assert visitor.get("/static/site.css").headers["cache-control"] == "no-store"
    assert visitor.get("/static/../pages.py").status_code == 404
    assert visitor.get("/static/%2e%2e/pages.py").status_code == 404


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "work",
        "",
        "/a\r\nSet-Cookie: b",
        "javascript:alert(1)",
        "http://[",
        "/\u202e",
    ],
)
def test_nobody_is_sent_elsewhere(address: str) -> None:
    assert local(address) == "/"


def test_the_theme_is_kept_and_needs_no_script(site) -> None:
    visitor = site.visitor()
    page = visitor.page("/")
    assert page.tags[0][1].get("data-theme") is None
    answer = visitor.post("/theme", data={"theme": "dark", "back": "/"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert visitor.page("/").tags[0][1]["data-theme"] == "dark"
    visitor.post("/theme", data={"theme": "system", "back": "//evil.example"})
    assert "data-theme" not in visitor.page("/").tags[0][1]


def test_health_says_that_the_database_answers(site) -> None:
    answer = site.visitor().get("/health")
    assert (answer.status_code, answer.json()["database"]) == (200, "sqlite")


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
