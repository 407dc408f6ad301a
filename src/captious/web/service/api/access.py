"""Who asks, and is there room: tokens, quotas and the size of what is sent."""

from __future__ import annotations

import errno
import logging
from collections.abc import Mapping

import orjson
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive

from captious.files import WriteError
from captious.web.service.service import Room, Service
from captious.web.service.tokens import OverQuota, Token

JSON = "application/json"
NEEDS_TOKEN = {"WWW-Authenticate": "Bearer"}
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
DISK_SECONDS = 30
_log = logging.getLogger("captious.web")


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    """A request that is refused: the status, one line, and headers."""

    def __init__(self, status: int, line: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(line)
        self.status, self.line, self.headers = status, line, dict(headers or {})


def error_answer(status: int, line: str, headers: Mapping[str, str] | None = None) -> Response:
    """Every error: one line of JSON."""
    return Response(orjson.dumps({"error": line}), status, dict(headers or {}), JSON)


def disk_answer(error: OSError | WriteError) -> Response:
    """The disk is full or read-only: that may pass. Any other error is a fault of ours."""
    if isinstance(error, OSError) and error.errno not in DISK:
        raise error
    _log.warning("cannot write to the disk: %s. Free some space, or make it writable.", error)
    line = "The service cannot write to its disk. Try again later."
    return error_answer(503, line, {"Retry-After": str(DISK_SECONDS)})


def refuse_packed(headers: Mapping[str, str]) -> None:
    """Refuse a body that is compressed: how much would come out of it nobody knows before."""
    coding = headers.get("content-encoding", "").strip().lower()
    if coding not in ("", "identity"):
        taken = {"Accept-Encoding": "identity"}
        raise Refused(415, "Compressed bodies are not accepted. Send it without Content-Encoding.", taken)


def token_of(service: Service, headers: Mapping[str, str]) -> Token | None:
    """The token of a request; None where the service is open to all."""
    given = headers.get("authorization", "")
    if not given:
        if not service.settings.open_to_all:
            line = 'This service needs a token. Send the header "Authorization: Bearer TOKEN".'
            raise Refused(401, line, NEEDS_TOKEN)
        if "origin" in headers:
            # A page of another site could else use the service of whoever opens it.
            raise Refused(403, "Requests from web pages need a token.")
        return None
    kind, _, secret = given.partition(" ")
    token = service.meter.find(secret.strip()) if kind.lower() == "bearer" else None
    if token is None:
        raise Refused(401, "This token is unknown or was revoked.", NEEDS_TOKEN)
    return token


def spend(service: Service, token: Token | None, captions: int) -> None:
    """Count captions against the token's quotas."""
    if token is None:
        return
    try:
        service.meter.spend(token, captions)
    except OverQuota as over:
        raise Refused(429, over.line, {"Retry-After": str(over.wait_seconds)}) from None


def too_large(most: int) -> Refused:
    """The refusal of a body of more than `most` bytes."""
    return Refused(413, f"The body is larger than {most / 2**20:g} MB. Send less in one request.")


def stated_length(headers: Mapping[str, str], most: int) -> int:
    """The length of the body, or `most` where none is stated; refused where it is over."""
    length = headers.get("content-length", "").lstrip("0") or "0"
    if "content-length" not in headers or not (length.isascii() and length.isdigit()):
        return most
    if len(length) > 18 or int(length) > most:
        raise too_large(most)
    return int(length)


async def body_of(receive: Receive, most: int, room: Room) -> bytes:
    """The whole body, counted as it comes."""
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        part, more = message.get("body", b""), message.get("more_body", False)
        size += len(part)
        if size > most:
            raise too_large(most)
        room.take(len(part))
        parts.append(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
