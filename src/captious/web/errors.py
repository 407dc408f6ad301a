"""Everything that can go wrong, as a page or as JSON: one clear sentence and the right status."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from captious.campaigns.records import LinkRefused, NotOpen, NotYours, SignInRefused, TooManyTries
from captious.campaigns.store.writer import is_outage
from captious.errors import CaptiousError, UnknownNameError, one_line
from captious.protocols import Problem
from captious.web import pages
from captious.web.guard import security
from captious.web.guard.headers_and_limits import HEADERS
from captious.web.pages import texts, wants_json
from captious.web.refusals import Refusal, SignInNeeded
from captious.wrong_fields import in_words

Responses = dict[int | str, dict[str, Any]]
log = logging.getLogger("captious.web")
RETRY_SECONDS = 3


class FieldProblem(BaseModel):
    """What is wrong with one field."""

    field: str
    message: str


class ErrorBody(BaseModel):
    """Every JSON error: one sentence, and where a form was wrong, a line for each field."""

    error: str
    problems: list[FieldProblem] = []


STATUSES = {
    400: "The request cannot be read.",
    401: "There is no session: open a rater link or sign in.",
    403: "The CSRF token or the role does not allow it.",
    404: "It does not exist, or you do not have access to it.",
    409: "It cannot be done in the current state.",
    410: "The link has ended.",
    413: "The body is too large.",
    415: "The body is of the wrong type.",
    422: "Something in the request is wrong.",
    429: "Too many tries; Retry-After says how long to wait.",
    503: "The database cannot be used for the moment; Retry-After says when to come back.",
}


def documented(*statuses: int) -> Responses:
    """The error answers of a JSON route for OpenAPI."""
    return {
        status: {"model": ErrorBody, "description": STATUSES[status]}
        for status in sorted({400, 404, 413, 422, *statuses})
    }


def documented_pages(*statuses: int) -> Responses:
    """The error pages of an HTML route for OpenAPI: HTML, or JSON for who asks for it."""
    schema = {"schema": {"type": "string"}}
    return {
        status: {"description": STATUSES[status], "model": ErrorBody, "content": {"text/html": schema}}
        for status in sorted({400, 404, 413, 422, *statuses})
    }


def answer(
    request: Request,
    status: int,
    message: str,
    *,
    problems: Iterable[Problem] = (),
    headers: dict[str, str] | None = None,
) -> Response:
    """The error as JSON or as a page."""
    found = [FieldProblem(field=p.field, message=p.message) for p in problems]
    if wants_json(request):
        body = ErrorBody(error=message, problems=found)
        return JSONResponse(body.model_dump(), status_code=status, headers=headers)
    return pages.render(
        request,
        "error.html",
        status_code=status,
        headers=headers,
        status=status,
        message=message,
        problems=found,
    )


def _say(request: Request, key: str, **values: object) -> str:
    return texts(security.settings_of(request).language)(key, **values)


def refused(request: Request, error: Refusal) -> Response:
    """A refusal of ours."""
    if isinstance(error, SignInNeeded) and not wants_json(request):
        return RedirectResponse(f"/admin/sign-in?next={quote(_back(request))}", status_code=303)
    message = _say(request, error.key, **error.values)
    return answer(request, error.status, message, problems=error.problems, headers=error.headers or None)


def _back(request: Request) -> str:
    """Where to go on after signing in: only a page can be opened again."""
    if request.method != "GET":
        return "/admin"
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{request.url.path}{query}"


def http_error(request: Request, error: HTTPException) -> Response:
    """An error of the framework, in our words."""
    known = f"error.{error.status_code}"
    catalogue = texts(security.settings_of(request).language)
    message = catalogue.entries.get(known) or catalogue("error.other")
    headers = dict(error.headers) if error.headers else None
    return answer(request, error.status_code, message, headers=headers)


def invalid(request: Request, error: RequestValidationError) -> Response:
    """Fields of a request that are not what OpenAPI says."""
    problems = [
        Problem(one_line(".".join(str(part) for part in found["loc"])), one_line(in_words(found), 200))
        for found in error.errors()[:20]
    ]
    return answer(request, 422, _say(request, "error.422"), problems=problems)


def ours(request: Request, error: CaptiousError) -> Response:
    """Errors that captious raises on purpose; their one line is fit to be shown."""
    if isinstance(error, NotYours):
        return answer(request, 404, _say(request, "error.404"))
    if isinstance(error, TooManyTries):
        wait = max(1, round(error.wait_seconds))
        message = _say(request, "error.too_many_tries", count=wait)
        return answer(request, 429, message, headers={"Retry-After": str(wait)})
    if isinstance(error, SignInRefused):
        return answer(request, 401, _say(request, "error.sign_in_refused"))
    if isinstance(error, LinkRefused):
        status = 403 if error.reason == "forged" else 410
        return answer(request, status, _say(request, f"link.{error.reason}"))
    if isinstance(error, UnknownNameError):
        return answer(request, 404, str(error))
    return answer(request, 409 if isinstance(error, NotOpen) else 422, _sentence(str(error)))


def _sentence(line: str) -> str:
    return line[:1].upper() + line[1:]


def failed(request: Request, error: Exception) -> Response:
    """The database or the disk failed: who may come back soon is told when."""
    if not is_outage(error):
        raise error
    log.warning("%s: the database or the disk cannot be used: %s", request.method, one_line(str(error), 200))
    return answer(request, 503, _say(request, "error.503"), headers={"Retry-After": str(RETRY_SECONDS)})


def unexpected(request: Request, error: Exception) -> Response:
    """A fault of ours: the visitor gets an apology."""
    if is_outage(error):
        found = failed(request, error)
        found.headers.update(HEADERS)
        return found
    # The server logs the traceback itself. This answer is made outside the guard.
    log.error("%s failed: %s", request.method, type(error).__name__)
    return answer(request, 500, _say(request, "error.500"), headers=dict(HEADERS))


async def gone(_request: Request, _error: ClientDisconnect) -> Response:
    """The client hung up in the middle of its request; nobody hears this, so no thread is taken for it."""
    return Response(status_code=400)


_HANDLERS: dict[type[Exception], Callable[[Request, Any], Response]] = {
    Refusal: refused,
    HTTPException: http_error,
    RequestValidationError: invalid,
    CaptiousError: ours,
    SQLAlchemyError: failed,
    OSError: failed,
}


async def answered(request: Request, error: Exception) -> Response:
    """The answer to an error, for who is called without the framework; raised where it has none here."""
    handler = next((_HANDLERS[kind] for kind in type(error).__mro__ if kind in _HANDLERS), None)
    if handler is None:
        raise error
    return await run_in_threadpool(handler, request, error)


def install(app: FastAPI) -> None:
    """Let the application answer every error from here."""
    for kind, handler in _HANDLERS.items():
        app.add_exception_handler(kind, handler)
    app.add_exception_handler(ClientDisconnect, gone)  # type: ignore[arg-type]
    app.add_exception_handler(Exception, unexpected)
