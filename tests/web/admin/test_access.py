"""Who may do what: every route, every role, and nobody without the token of the page."""

from __future__ import annotations

import re
from typing import Any

import pytest

PUBLIC = ("/admin/sign-in",)
OWNERS = ("/admin/accounts", "/api/admin/accounts", "/admin/log", "/api/admin/log")
# What a viewer may post: signing out, their own password, and an export without names.
FOR_VIEWERS = ("/admin/sign-out", "/admin/account", "/admin/c/{slug}/exports")
FOR_MANAGERS = (
    "/admin/new",
    "/admin/drafts",
    "/api/admin/drafts",
    "/admin/c/{slug}/do/",
    "/admin/c/{slug}/raters/{rater_id}/remove",
)


def routes(site: Any) -> list[tuple[str, str]]:
    paths = site.app.openapi()["paths"]
    return [
        (method, path)
        for path, found in paths.items()
        for method in found
        if path.startswith(("/admin", "/api/admin"))
    ]


def filled(path: str, campaign: Any) -> str:
    values = {
        "slug": campaign.slug,
        "action": "pause",
        "rater_id": "1",
        "flag_id": "1",
        "item": "x",
        "token": "0" * 32,
        "number": "0",
        "place": "1",
        "protocol": "tagging",
        "account_id": "1",
        "key": "0" * 32,
        "note": "1",
        "kind": "results",
        "form": "csv",
    }
    return re.sub(r"\{(\w+)\}", lambda found: values[found[1]], path)


def test_every_route_is_documented(site: Any) -> None:
    found = routes(site)
    assert len(found) >= 50
    for method, path in found:
        statuses = site.app.openapi()["paths"][path][method]["responses"]
        assert "422" in statuses


def test_an_outsider_gets_nothing(site: Any, tagged: Any) -> None:
    visitor = site.visitor()
    for method, path in routes(site):
        if path in PUBLIC:
            continue
        address = filled(path, tagged)
        answer = visitor.get(address) if method == "get" else visitor.post(address, data={"a": "b"})
        if path.startswith("/api"):
            assert answer.status_code == 401, path
            assert set(answer.json()) == {"error", "problems"}
        else:
            assert answer.status_code == 303, (method, path)
            assert answer.headers["location"].startswith("/admin/sign-in")
        assert "Dogs" not in answer.text


def test_a_rater_is_an_outsider_here(site: Any, tagged: Any) -> None:
    visitor, _ = site.rater(tagged, "Eve")
    for method, path in routes(site):
        if path in PUBLIC:
            continue
        address = filled(path, tagged)
        answer = visitor.get(address) if method == "get" else visitor.post(address, data={"a": "b"})
        assert answer.status_code in (401, 303), (method, path)


def test_a_viewer_changes_nothing(site: Any, viewer: Any, tagged: Any) -> None:
    for method, path in routes(site):
        if path in (*PUBLIC, *FOR_VIEWERS) and method == "post":
            continue
        address = filled(path, tagged)
        if method == "post":
            assert viewer.post(address, reason="x", decision="upheld").status_code == 403, path
        elif path.startswith((*OWNERS, *FOR_MANAGERS)):
            assert viewer.get(address).status_code == 403, path


def test_a_manager_is_no_owner(site: Any, manager: Any) -> None:
    for path in OWNERS:
        assert manager.get(path).status_code == 403
    answer = manager.post("/admin/accounts", name="x", password="long enough", role="owner")
    assert answer.status_code == 403


@pytest.mark.parametrize("token", ["", "wrong", "0" * 64])
def test_no_write_without_the_pages_token(site: Any, owner: Any, tagged: Any, token: str) -> None:
    before = site.db.now(), owner.twin(f"/admin/c/{tagged.slug}/log")["entries"]
    for method, path in routes(site):
        if method == "post":
            data = {"csrf": token, "reason": "x", "decision": "upheld", "name": "n"}
            answer = owner.visitor.post(filled(path, tagged), data=data)
            assert answer.status_code == 403, path
    assert owner.twin(f"/admin/c/{tagged.slug}/log")["entries"] == before[1]


def test_a_token_of_another_session_is_none(site: Any, owner: Any, manager: Any) -> None:
    campaign = site.campaign()
    address = f"/admin/c/{campaign.slug}/do/pause"
    assert owner.visitor.post(address, data={"csrf": manager.csrf}).status_code == 403


def test_bodies_that_are_no_forms_are_refused(site: Any, manager: Any) -> None:
    campaign = site.campaign()
    address = f"/admin/c/{campaign.slug}/do/pause"
    headers = {"X-CSRF-Token": manager.csrf}
    answer = manager.visitor.post(address, json={"a": 1}, headers=headers)
    assert answer.status_code == 415
    nul = manager.visitor.post(
        f"/admin/c/{campaign.slug}/raters", data={"csrf": manager.csrf, "lines": "Ann\x00"}
    )
    assert nul.status_code == 422


def test_pages_carry_the_headers_that_keep_them_safe(manager: Any) -> None:
    headers = manager.get("/admin").headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
