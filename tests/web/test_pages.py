"""What holds for every template and static file."""

from __future__ import annotations

import re

import pytest

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
