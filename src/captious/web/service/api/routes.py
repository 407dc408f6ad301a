"""The HTTP of the scoring service, before whatever else an application has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from captious.errors import CaptiousError, InputError, one_line
from captious.files import WriteError
from captious.web.service.api.access import (
    JSON,
    Refused,
    body_of,
    disk_answer,
    error_answer,
    refuse_packed,
    spend,
    stated_length,
    token_of,
    too_large,
)
from captious.web.service.api.openapi import describe, document
from captious.web.service.queue.scoring_queue import QueueFull
from captious.web.service.requests import ScoreRequest, read_request
from captious.web.service.scoring.together import INTERNAL, Answer
from captious.web.service.service import Room, Service

PREFIX = "/api/v1"
SCORE = f"{PREFIX}/score"
MULTIPART = "multipart/form-data"
REQUEST_PART = "request"
PICTURES_PART = "images"
JSON_BYTES = JSON.encode()
LEFT = Answer(499, b"")  # nobody reads it; the log tells it from an answer

REFUSALS = (Refused, QueueFull, CaptiousError, HTTPException, OSError)


class ServiceRoutes:
    """The service's addresses; `service.running()` must be entered around it.

    Requests for scores, nearly all of them, pass by the framework's routes: it would take longer than
    scoring a caption by words does.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app, self.service = app, service
        self.others = _others(service)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is the service's, let the rest through."""
        if scope["type"] != "http" or not scope["path"].startswith(f"{PREFIX}/"):
            await self.app(scope, receive, send)
        elif scope["path"] == SCORE and scope["method"] == "POST":
            await self._score(scope, receive, send)
        else:
            await self.others({**scope, "root_path": PREFIX}, receive, send)

    async def _score(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            answer = await _score(self.service, scope, receive)
        except REFUSALS as error:
            await refused(error)(scope, receive, send)
            return
        length = str(len(answer.body)).encode()
        headers = [(b"content-type", JSON_BYTES), (b"content-length", length)]
        if answer.status == 503:
            headers.append((b"retry-after", b"5"))
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": answer.body})


def _others(service: Service) -> Starlette:
    async def metrics(request: Request) -> Response:
        token_of(service, request.headers)
        return Response(orjson.dumps(describe(service.offer)), media_type=JSON)

    async def openapi(request: Request) -> Response:
        found = document(request.scope.get("root_path", ""))
        return Response(orjson.dumps(found), media_type=JSON)

    async def handle(_: Request, error: Exception) -> Response:
        return refused(error)

    return Starlette(
        routes=[
            Route("/score", PostOnly()),
            Route("/metrics", metrics, methods=["GET"]),
            Route("/openapi.json", openapi, methods=["GET"]),
        ],
        exception_handlers={**dict.fromkeys(REFUSALS, handle), Exception: handle},
    )


class PostOnly:
    """Whatever method comes here is not POST."""

    async def __call__(self, _scope: Scope, _receive: Receive, _send: Send) -> None:
        """Say so."""
        raise HTTPException(405, headers={"Allow": "POST"})


def refused(error: Exception) -> Response:
    """The answer to a request that went wrong: one line."""
    if isinstance(error, Refused):
        return error_answer(error.status, error.line, error.headers)
    if isinstance(error, QueueFull):
        seconds = str(error.wait_seconds)
        return error_answer(
            429, f"The queue is full. Try again in {seconds} seconds.", {"Retry-After": seconds}
        )
    if isinstance(error, (OSError, WriteError)):
        return disk_answer(error)
    if isinstance(error, CaptiousError):
        return error_answer(422, str(error))
    if isinstance(error, HTTPException):
        lines = {
            404: "There is nothing at this address.",
            408: "The body took too long to arrive.",
            405: "This address does not accept this method. The header Allow names those it accepts.",
        }
        return error_answer(error.status_code, lines.get(error.status_code, str(error.detail)), error.headers)
    return error_answer(500, INTERNAL)


async def _score(service: Service, scope: Scope, receive: Receive) -> Answer:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    token = token_of(service, headers)
    refuse_packed(headers)
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in (JSON, MULTIPART):
        raise Refused(415, f"Wrong Content-Type. Send {JSON}, or {MULTIPART} with images.")
    most = service.limits.upload_bytes if kind == MULTIPART else service.limits.body_bytes
    with service.room(stated_length(headers, most)) as room:
        try:
            if kind == JSON:
                asked = read_request(await body_of(receive, most, room))
            else:
                asked = await _with_pictures(service, Request(scope, receive), most, room)
        except ClientDisconnect:
            return LEFT
        asked = service.offer.settled(asked)
        spend(service, token, len(asked.captions))
        return await service.queue_for(asked).score(asked, receive) or LEFT


async def _with_pictures(service: Service, request: Request, most: int, room: Room) -> ScoreRequest:
    body, pictures = await _parts(service, request, most, room)
    return await run_in_threadpool(read_request, body, pictures)


async def _parts(
    service: Service, request: Request, most: int, room: Room
) -> tuple[bytes, Mapping[str, bytes]]:
    """The JSON and the images of a multipart body; an image's file name is its id."""
    limits = service.limits
    received = 0

    async def counted() -> Any:
        nonlocal received
        async for part in request.stream():
            received += len(part)
            if received > most:
                raise too_large(most)
            room.take(len(part))
            yield part

    parser = MultiPartParser(
        request.headers,
        counted(),
        max_files=limits.pictures + 1,
        max_fields=2,
        max_part_size=limits.body_bytes,
    )
    try:
        form = await parser.parse()
    except (MultiPartException, KeyError) as error:  # KeyError: a header without a boundary
        raise InputError(f"the multipart form cannot be read: {one_line(str(error), 120)}.") from None
    try:
        given = form.get(REQUEST_PART)
        body = await given.read() if isinstance(given, UploadFile) else str(given or "").encode()
        pictures = {}
        for name, part in form.multi_items():
            if name == PICTURES_PART and isinstance(part, UploadFile):
                pictures[part.filename or ""] = await part.read()
            elif name != REQUEST_PART:
                raise InputError(
                    f'the form has an unknown part "{one_line(name, 40)}". Known: request, images.'
                )
    finally:
        await form.close()
    return body, pictures
