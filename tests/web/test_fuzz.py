"""Requests made up from the application's own OpenAPI: every answer is one that it documents."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("schemathesis", reason="needs schemathesis")

import schemathesis
from schemathesis.core.failures import FailureGroup

from captious.campaigns.people import accounts, raters
from captious.campaigns.records import NewRater
from captious.campaigns.work import assignment, responses

SLUG = "dogs"
# How often a made-up part of an address gives way to one that exists.
REAL = 0.8
# What ends the session, or costs a slow password hash each time, is tried last and less.
LAST = ("/admin/sign-in", "/admin/account", "/admin/accounts", "/admin/sign-out")


class Fuzzer:
    """Sends made-up requests as one kind of visitor, with a session and its token."""

    def __init__(self, site: Any, who: str) -> None:
        self.site, self.who = site, who
        self.chance = random.Random(7)
        self.campaign = site.campaign("tagging", raters=2, two_rounds=False)
        (self.rater,) = raters.add(site.db, self.campaign, [NewRater("Ada")], actor="lea")
        self.owner = accounts.create_account(
            site.db, "owner one", "correct horse battery", "owner", actor="test"
        )
        (task, *_) = assignment.next_tasks(site.db, self.campaign, self.rater)
        responses.respond(site.db, self.rater, task.token, {"verdict": "minor"}, key="first")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.schema = schemathesis.openapi.from_asgi("/api/openapi.json", site.app)

    def operations(self) -> Iterator[Any]:
        """All operations; those that end things come last."""
        found = [result.ok() for result in self.schema.get_all_operations()]
        yield from sorted(found, key=lambda one: (one.path in LAST, one.method != "get", one.path))

    def begin(self) -> None:
        """A fresh session, for the operation before may have ended it."""
        self.cookies, self.csrf = {}, ""
        if self.who == "owner":
            token, session = accounts.start_session(self.site.db, self.owner, hours=1)
            self.cookies = {"captious_session": token}
            self.csrf = session.csrf
        elif self.who == "rater":
            token, session = accounts.start_session(self.site.db, self.rater, hours=1)
            self.cookies = {f"captious_session_{SLUG}": token}
            self.csrf = session.csrf
        found = assignment.next_tasks(self.site.db, self.campaign, self.rater)
        self.known = {"slug": SLUG, "task": found[0].token if found else "none"}

    def send(self, case: Any) -> Any:
        """Send one request, most often to something that exists."""
        for name, value in self.known.items():
            if name in (case.path_parameters or {}) and self.chance.random() < REAL:
                case.path_parameters[name] = value
        for name in case.path_parameters or {}:
            if name.endswith("_id") and self.chance.random() < REAL:
                case.path_parameters[name] = 1
        if isinstance(case.body, dict) and "csrf" in case.body and self.chance.random() < REAL:
            case.body["csrf"] = self.csrf
        headers = {"X-CSRF-Token": self.csrf} if self.chance.random() < REAL else {}
        answer = case.call(headers=headers, cookies=self.cookies, allow_redirects=False)
        assert "default-src 'none'" in answer.headers["content-security-policy"][0]
        if self.who == "outsider" and case.path.startswith(("/api/admin", "/api/work")):
            assert answer.status_code >= 400
        return answer


def fuzz(site: Any, who: str, examples: int, fuzz_operation: Any) -> list[str]:
    """Try every operation; what was wrong, a text for each operation that is."""
    fuzzer = Fuzzer(site, who)
    wrong = []
    tried = 0
    for operation in fuzzer.operations():
        few = max(1, examples // 4) if operation.path in LAST else examples
        fuzzer.begin()
        try:
            fuzz_operation(operation, few, fuzzer.send)
        except (AssertionError, FailureGroup) as error:
            wrong.append(f"{operation.method} {operation.path}: {error} {_parts(error)}")
        tried += 1
    assert tried >= 60
    return wrong


def _parts(error: BaseException) -> list[str]:
    return [str(part) for part in getattr(error, "exceptions", ())]


@pytest.mark.parametrize("who", ["outsider", "rater", "owner"])
def test_no_made_up_request_breaks_anything(site: Any, who: str, fuzz_operation: Any) -> None:
    wrong = fuzz(site, who, 2 if who == "outsider" else 4, fuzz_operation)
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.long
@pytest.mark.parametrize("who", ["outsider", "rater", "owner"])
def test_no_made_up_request_breaks_anything_at_length(site: Any, who: str, fuzz_operation: Any) -> None:
    wrong = fuzz(site, who, 100, fuzz_operation)
    assert not wrong, "\n\n".join(wrong)
