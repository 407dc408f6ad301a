"""Forms without files are read by us, and as Python reads them."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import parse_qsl

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from captious.web.guard.security import MOST_FIELDS, fields_of, submitted
from captious.web.refusals import Refusal

BODIES = [
    b"",
    b"&&",
    b"=",
    b"a",
    b"a=1&a=2&b=",
    b"a=1=2&=3;b=4",
    b"verdict=minor+error&note=%22quoted%22+%3C%2Fscript%3E",
    b"note=%F0%9F%90%95+caf%C3%A9+%C3%28+%E2%82",  # a dog, an accent, and bytes that are no UTF-8
    b"note=%ED%A0%BD",  # half a surrogate pair, as bytes
    b"note=%zz%4&%61=%2B",
    "note=café".encode(),
    "note=café".encode("latin-1"),
]


@pytest.mark.parametrize("body", BODIES)
def test_fields_are_those_that_python_finds(body: bytes) -> None:
    expected = parse_qsl(body.decode("latin-1"), keep_blank_values=True)
    found = fields_of(body).multi_items()
    assert found == expected
    "".join(str(text) for pair in found for text in pair).encode()  # every text can be stored


@pytest.mark.parametrize("body", [b"a=%00", b"%00=1", b"a=b\x00c"])
def test_a_nul_is_refused(body: bytes) -> None:
    with pytest.raises(Refusal) as refused:
        fields_of(body)
    assert refused.value.status == 422


def test_a_thousand_fields_are_read_and_more_are_refused() -> None:
    assert len(fields_of(b"&".join([b"a=1"] * MOST_FIELDS)).multi_items()) == MOST_FIELDS
    with pytest.raises(HTTPException) as refused:
        fields_of(b"&".join([b"a=1"] * (MOST_FIELDS + 1)))
    assert refused.value.status_code == 400


def _receiving(*messages: dict[str, Any]) -> Any:
    left = list(messages)

    async def receive() -> dict[str, Any]:
        return left.pop(0)

    return receive


def test_a_body_in_parts_is_joined_and_one_without_end_is_none() -> None:
    first = {"type": "http.request", "body": b"a=", "more_body": True}
    last = {"type": "http.request", "body": b"1", "more_body": False}
    scope = {
        "type": "http",
        "headers": [(b"content-type", b"application/x-www-form-urlencoded; charset=utf-8")],
    }
    found = asyncio.run(submitted(Request(scope, _receiving(first, last))))
    assert found.multi_items() == [("a", "1")]
    with pytest.raises(ClientDisconnect):
        asyncio.run(submitted(Request(scope, _receiving(first, {"type": "http.disconnect"}))))
