"""Forms and cookies of the requests that raters send all day are read as the framework reads them."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import parse_qsl

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from captious.web.rater.raw_request import LONGEST_REMEMBERED, MOST_FIELDS, RawRequest, body_of, fields_of
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


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [b"a=1; b=2"],
        [b'a="1 \\073 2"; b=; ; =3; loose; a=4'],
        [b"a=1", b"a=2; b=3"],
        [b"long=" + b"x" * LONGEST_REMEMBERED],
        [b"name=caf\xe9"],
    ],
)
def test_cookies_are_those_that_the_framework_finds(headers: list[bytes]) -> None:
    scope = {"type": "http", "headers": [(b"cookie", one) for one in headers]}
    assert dict(RawRequest(scope).cookies()) == Request(scope).cookies


def test_of_two_headers_with_one_name_the_first_counts() -> None:
    scope = {"type": "http", "headers": [(b"accept", b"application/json"), (b"accept", b"text/html")]}
    assert RawRequest(scope).header(b"accept") == Request(scope).headers["accept"] == "application/json"


def _receiving(*messages: dict[str, Any]) -> Any:
    left = list(messages)

    async def receive() -> dict[str, Any]:
        return left.pop(0)

    return receive


def test_a_body_in_parts_is_joined_and_one_without_end_is_none() -> None:
    first = {"type": "http.request", "body": b"a=", "more_body": True}
    last = {"type": "http.request", "body": b"1"}
    assert asyncio.run(body_of(_receiving(first, last))) == b"a=1"
    with pytest.raises(ClientDisconnect):
        asyncio.run(body_of(_receiving(first, {"type": "http.disconnect"})))
