"""A request's headers and body, read once and without the framework, for what is asked all day."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_plus

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, cookie_parser
from starlette.types import Message, Receive, Scope, Send

from captious.web.errors import takes_json
from captious.web.guard import security

PLAIN_FORM = b"application/x-www-form-urlencoded"
MOST_FIELDS = 1000
# Raters send the same cookies with every answer; those of others are not worth remembering.
LONGEST_REMEMBERED = 1000
_JSON = (b"content-type", b"application/json")


class RawRequest:
    """The headers of a request; of several with one name the first counts, as in Starlette."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))

    def header(self, name: bytes) -> str:
        """A header by its name in small letters; "" where there is none."""
        return self.headers.get(name, b"").decode("latin-1")

    @property
    def is_plain_form(self) -> bool:
        """Whether the body is a form without files."""
        kind = self.headers.get(b"content-type", b"")
        return kind == PLAIN_FORM or kind.partition(b";")[0].strip().lower() == PLAIN_FORM

    @property
    def takes_json(self) -> bool:
        """Whether a script asks."""
        return takes_json(self.header(b"accept"))

    def cookies(self) -> Mapping[str, str]:
        """All cookies."""
        if b"cookie" not in self.headers:
            return {}
        given = [value for name, value in self.scope["headers"] if name == b"cookie"]
        text = b";".join(given).decode("latin-1")
        return _remembered(text) if len(text) <= LONGEST_REMEMBERED else cookie_parser(text)


_remembered = lru_cache(maxsize=4096)(cookie_parser)


async def body_of(receive: Receive) -> bytes:
    """The body of a request."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def fields_of(body: bytes) -> FormData:
    """The fields of a form without files; every text in them can be stored.

    >>> fields_of(b"a=1+%C3%A4&b=&&c&a=2").multi_items()
    [('a', '1 ä'), ('b', ''), ('c', ''), ('a', '2')]
    """
    if body.count(b"&") >= MOST_FIELDS:
        raise HTTPException(400)
    split = [pair.partition("=") for pair in body.decode("latin-1").split("&") if pair]
    pairs: list[tuple[str, Any]]
    if b"%" in body or b"+" in body:
        pairs = [(unquote_plus(name), unquote_plus(value)) for name, _, value in split]
    else:
        pairs = [(name, value) for name, _, value in split]
    # What is decoded with replacements has no halves of surrogate pairs.
    if b"%00" in body or b"\0" in body:
        security.refuse_unstorable(pairs)
    return FormData(pairs)


async def send_json(send: Send, body: bytes) -> None:
    """Answer with JSON that is already written."""
    start: Message = {
        "type": "http.response.start",
        "status": 200,
        "headers": [(b"content-length", b"%d" % len(body)), _JSON],
    }
    await send(start)
    await send({"type": "http.response.body", "body": body})
