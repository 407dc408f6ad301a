"""The HTTP of the scoring service, as an ASGI application of its own."""

from __future__ import annotations

import asyncio
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
from starlette.types import Receive, Scope, Send

from captious.errors import CaptiousError, InputError, one_line
from captious.web.service import job_routes
from captious.web.service.access import JSON, Refused, body_of, error_answer, spend, stated_length, token_of
from captious.web.service.openapi import describe, document
from captious.web.service.queue import QueueFull
from captious.web.service.request import ScoreRequest, read_request
from captious.web.service.service import Service

MULTIPART = "multipart/form-data"
REQUEST_PART = "request"
PICTURES_PART = "images"
CLIENT_LEFT = 499  # nobody reads it; the log tells it from an answer


REFUSALS = (Refused, QueueFull, CaptiousError, HTTPException)


class Application:
    """The service's addresses; `service.running()` must be entered around it.

    Requests for scores, nearly all of them, pass by the framework's routes: it would take longer than
    scoring a caption by words does.
    """

    def __init__(self, service: Service) -> None:
        self.service = service
        self.others = _others(service)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        if scope["type"] != "http" or scope["method"] != "POST" or path != "/score":
            await self.others(scope, receive, send)
            return
        try:
            answer = await _score(self.service, Request(scope, receive))
        except REFUSALS as error:
            answer = refused(error)
        await answer(scope, receive, send)


def _others(service: Service) -> Starlette:
    async def score(_: Request) -> Response:
        raise HTTPException(405, headers={"Allow": "POST"})

    async def metrics(request: Request) -> Response:
        token_of(service, request, "score")
        return Response(orjson.dumps(describe(service.offer)), media_type=JSON)

    async def openapi(request: Request) -> Response:
        found = document(service.offer, request.scope.get("root_path", ""))
        return Response(orjson.dumps(found), media_type=JSON)

    async def handle(_: Request, error: Exception) -> Response:
        return refused(error)

    return Starlette(
        routes=[
            Route("/score", score, methods=["GET", "PUT", "DELETE", "PATCH", "OPTIONS"]),
            Route("/metrics", metrics, methods=["GET"]),
            Route("/openapi.json", openapi, methods=["GET"]),
            *job_routes.routes(service),
        ],
        exception_handlers={**dict.fromkeys(REFUSALS, handle), Exception: handle},
    )


def refused(error: Exception) -> Response:
    """The answer to a request that went wrong: one line."""
    if isinstance(error, Refused):
        return error_answer(error.status, error.line, error.headers)
    if isinstance(error, QueueFull):
        seconds = str(error.wait_seconds)
        return error_answer(429, f"The queue is full. Try again in {seconds} s.", {"Retry-After": seconds})
    if isinstance(error, CaptiousError):
        return error_answer(422, str(error))
    if isinstance(error, HTTPException):
        lines = {404: "There is nothing at this address.", 405: "This address takes another method."}
        return error_answer(error.status_code, lines.get(error.status_code, str(error.detail)), error.headers)
    return error_answer(500, "Something failed here. The log says what.")


async def _score(service: Service, request: Request) -> Response:
    token = token_of(service, request, "score")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in (JSON, MULTIPART):
        raise Refused(415, f"Send {JSON}, or {MULTIPART} with images.")
    most = service.limits.upload_bytes if kind == MULTIPART else service.limits.body_bytes
    with service.room(stated_length(request, most)):
        try:
            asked = await _asked(service, request, kind, most)
        except ClientDisconnect:
            return Response(status_code=CLIENT_LEFT)
        asked = service.offer.settled(asked)
        spend(service, token, len(asked.captions))
        leave = asyncio.ensure_future(request.receive())
        try:
            answer = await service.queue.score(asked, leave)
        finally:
            leave.cancel()
    if answer is None:
        return Response(status_code=CLIENT_LEFT)
    headers = {"Retry-After": "5"} if answer.status == 503 else None
    return Response(answer.body, answer.status, headers, JSON)


async def _asked(service: Service, request: Request, kind: str, most: int) -> ScoreRequest:
    if kind == JSON:
        return read_request(await body_of(request, most), service.limits)
    body, pictures = await _parts(service, request, most)
    return await run_in_threadpool(read_request, body, service.limits, pictures)


async def _parts(service: Service, request: Request, most: int) -> tuple[bytes, Mapping[str, bytes]]:
    """The JSON and the images of a multipart body; an image's file name is its id."""
    limits = service.limits
    received = 0

    async def counted() -> Any:
        nonlocal received
        async for part in request.stream():
            received += len(part)
            if received > most:
                raise Refused(413, f"The body is over {most / 2**20:g} MB. Send less at once.")
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
        raise InputError(f"the form cannot be read: {one_line(str(error), 120)}.") from None
    try:
        given = form.get(REQUEST_PART)
        body = await given.read() if isinstance(given, UploadFile) else str(given or "").encode()
        pictures = {}
        for name, part in form.multi_items():
            if name == PICTURES_PART and isinstance(part, UploadFile):
                pictures[part.filename or ""] = await part.read()
            elif name != REQUEST_PART:
                raise InputError(f'the form has a part "{one_line(name, 40)}"; known are request and images.')
    finally:
        await form.close()
    return body, pictures
