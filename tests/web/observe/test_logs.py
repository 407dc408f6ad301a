"""Lines of requests leave a few at a time, none is lost, and none holds a token."""

from __future__ import annotations

import asyncio
import io
import re

import orjson
import pytest

from captious.web.observe.logs import MOST_WAITING, WAIT_SECONDS, AccessHandler, Form, redacted

FACTS = {"method": "GET", "path": "/join/AQAAsecret", "status": 200, "milliseconds": 1.2, "client": "::1"}
SAYS = '::1 "GET /join/AQAAsecret HTTP/1.1" 200 1.2 ms'


def handler(form: Form = "plain") -> tuple[AccessHandler, io.StringIO]:
    out = io.StringIO()
    return AccessHandler(form, redacted, out), out


def test_a_line_says_when_what_and_which_request() -> None:
    lines, out = handler()
    lines.request(SAYS, FACTS, "0123456789abcdef")  # no event loop: at once
    stamp = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}"
    said = r'INFO ::1 "GET /join/… HTTP/1\.1" 200 1\.2 ms \[0123456789abcdef\]\n'
    assert re.fullmatch(f"{stamp} {said}", out.getvalue())


def test_a_line_of_json_has_the_facts_and_no_token() -> None:
    lines, out = handler("json")
    lines.request(SAYS, FACTS, "0123456789abcdef")
    line = orjson.loads(out.getvalue())
    assert line["request_id"] == "0123456789abcdef"
    assert (line["level"], line["logger"]) == ("info", "captious.access")
    assert (line["method"], line["path"], line["status"]) == ("GET", "/join/…", 200)
    assert "AQAAsecret" not in out.getvalue()


@pytest.mark.parametrize("ends_by", ["waiting", "closing"])
def test_lines_leave_together_and_none_is_lost(ends_by: str) -> None:
    lines, out = handler()

    async def requests() -> int:
        for at in range(3):
            lines.request(SAYS, FACTS, f"{at:016x}")
        before = len(out.getvalue())
        if ends_by == "waiting":
            await asyncio.sleep(WAIT_SECONDS * 3)
        else:
            lines.flush()  # as `logging` does when the process ends
        return before

    assert asyncio.run(requests()) == 0
    assert re.findall(r"\[(\w+)\]", out.getvalue()) == [f"{at:016x}" for at in range(3)]


def test_a_burst_does_not_pile_up() -> None:
    lines, out = handler()

    async def burst() -> None:
        for _ in range(MOST_WAITING):
            lines.request(SAYS, FACTS, "0" * 16)

    asyncio.run(burst())
    assert out.getvalue().count("\n") == MOST_WAITING
