"""Jobs over HTTP: send one, ask how far it is, cancel it, fetch its results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from captious.errors import InputError
from captious.groups import GROUPS
from captious.metrics import split_list
from captious.web.service.api.access import (
    JSON,
    NEEDS_TOKEN,
    Refused,
    refuse_packed,
    spend,
    stated_length,
    token_of,
)
from captious.web.service.jobs.store import INPUT, Job
from captious.web.service.service import Service

LINES = "application/x-ndjson"
LINE_TYPES = (LINES, "application/jsonl", "application/octet-stream")


def shown(job: Job) -> dict[str, Any]:
    """A job as its owner sees it."""
    found = asdict(job)
    del found["owner"]
    return found


def routes(service: Service) -> list[Route]:
    """The addresses of jobs."""

    async def create(request: Request) -> Response:
        return await _create(service, request)

    def listed(request: Request) -> Response:
        token = token_of(service, request.headers, "jobs")
        if token is None and service.settings.open_to_strangers:
            # The id of a job is all that keeps it from others who have no token either.
            line = "Listing jobs needs a token. Without one, use the id from the answer to your upload."
            raise Refused(401, line, NEEDS_TOKEN)
        found = service.store.all(token.id if token else "")
        return _json({"jobs": [shown(job) for job in found]})

    def status(request: Request) -> Response:
        return _json(shown(_job(service, request)))

    def cancel(request: Request) -> Response:
        return _json(shown(service.store.cancel(_job(service, request))))

    def delete(request: Request) -> Response:
        job = _job(service, request)
        service.store.cancel(job)
        if not service.store.delete(job):
            raise Refused(409, "The job is running and is being cancelled. Delete it again in a moment.")
        return Response(status_code=204)

    def results(request: Request) -> Response:
        job = _job(service, request)
        if not job.has_ended:
            line = f"The job has not ended: {job.done:,} of {job.lines:,} lines are done. Try again later."
            raise Refused(409, line)
        path = service.store.results(job)
        if not path.exists():  # cancelled before the first line
            return Response(b"", media_type=LINES)
        return FileResponse(path, media_type=LINES, filename=f"{job.id}.jsonl")

    one = "/jobs/{job_id}"
    return [
        Route("/jobs", create, methods=["POST"]),
        Route("/jobs", _in_thread(listed), methods=["GET"]),
        Route(one, _in_thread(status), methods=["GET"]),
        Route(one, _in_thread(delete), methods=["DELETE"]),
        Route(f"{one}/cancel", _in_thread(cancel), methods=["POST"]),
        Route(f"{one}/results", _in_thread(results), methods=["GET"]),
    ]


def _in_thread(endpoint: Callable[[Request], Response]) -> Callable[[Request], Any]:
    async def run(request: Request) -> Response:
        return await run_in_threadpool(endpoint, request)

    return run


def _json(value: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(value), status, media_type=JSON)


def _job(service: Service, request: Request) -> Job:
    token = token_of(service, request.headers, "jobs")
    job = service.store.find(request.path_params["job_id"], token.id if token else "")
    if job is None:
        raise Refused(404, "There is no job with this id, or it is not yours.")
    return job


async def _create(service: Service, request: Request) -> Response:
    token = token_of(service, request.headers, "jobs")
    refuse_packed(request.headers)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in LINE_TYPES:
        raise Refused(415, f"Wrong Content-Type. Send JSON lines as {LINES}.")
    stated_length(request.headers, service.limits.job_bytes)
    metrics = tuple(split_list(request.query_params.get("metrics", "")))
    if metrics:
        service.offer.named([name for name in metrics if name not in GROUPS])
    place = await run_in_threadpool(service.store.receive)
    try:
        await _save(request, place / INPUT, service.limits.job_bytes)
        pay = partial(spend, service, token, of_job=True)
        job = await run_in_threadpool(service.store.create, place, token.id if token else "", metrics, pay)
    except (InputError, Refused, ClientDisconnect, OSError):
        await run_in_threadpool(service.store.discard, place)
        raise
    service.jobs.wake()
    return _json(shown(job), 201)


async def _save(request: Request, path: Path, most: int) -> None:
    size = 0
    with path.open("xb") as file:
        async for part in request.stream():
            size += len(part)
            if size > most:
                raise Refused(413, f"The job is larger than {most / 2**20:g} MB. Split it into several.")
            file.write(part)
