"""Questions of one's own by a form instead of a file."""

from __future__ import annotations

from typing import Any

BUILT = {"build__1__ask": "Is it <true>?", "build__1__high": "3", "build__raters": "2"}


def test_questions_of_ones_own_by_a_form(manager: Any, files: Any) -> None:
    assert "data-builder" in manager.text("/admin/new/generic")
    assert "data-builder" not in manager.text("/admin/new/thumb")
    shown = manager.post("/admin/new/generic/questions", **BUILT)
    assert shown.status_code == 200
    assert "Is it &lt;true&gt;?" in shown.text
    assert shown.text.count('type="radio"') == 3
    wrong = manager.post("/admin/new/generic/questions", **{**BUILT, "build__1__low": "3"})
    assert "question 1, &#34;Is it &lt;true&gt;?&#34;: a scale from 3 to 3" in wrong.text
    assert "line 7" not in wrong.text
    refused = manager.post(
        "/admin/new/generic", files(), title="Mine", **{**BUILT, "build__1__aspect": "a b"}
    )
    assert refused.status_code == 422
    assert 'href="#f-build-1-aspect"' in refused.text
    nothing = manager.post("/admin/new/generic", files(), title="Mine")
    assert "question 1: it is empty" in nothing.text
    pairs = manager.post("/admin/new/generic/questions", **{**BUILT, "build__1__kind": "pair"})
    assert pairs.text.count('type="radio"') == 3  # left, alike, right
    assert manager.post("/admin/new/thumb/questions").status_code == 404
    made = manager.post("/admin/new/generic", files(), title="Mine", **BUILT)
    assert made.status_code == 303, made.text
    assert manager.twin(made.headers["location"])["first"] == 16  # 8 captions, two raters each
