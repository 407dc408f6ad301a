"""The worker's side: a HIT's page with ours in a frame, accepting, returning, handing in."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from turk_market import Hit, Job, TurkError

if TYPE_CHECKING:
    from turk_server import TurkServer

Answer = tuple[int, dict[str, str], str]


def answer(turk: TurkServer, method: str, path: str, body: bytes) -> Answer:  # noqa: PLR0911
    """A page of the worker site."""
    parts = urlsplit(path)
    asked, sent = dict(parse_qsl(parts.query)), dict(parse_qsl(body.decode(), keep_blank_values=True))
    try:
        if method == "GET" and parts.path == "/mturk/preview":
            return 200, {}, _preview(turk, _hit(turk, asked), asked.get("worker", "AWORKER1"))
        if method == "POST" and parts.path == "/mturk/accept":
            job = turk.market.accept(sent["hitId"], sent["workerId"])
            return 303, {"Location": f"/mturk/work?assignmentId={job.id}"}, ""
        if method == "GET" and parts.path == "/mturk/work":
            return 200, {}, _work(turk, turk.market.own_job(asked["assignmentId"], "Pending"))
        if method == "POST" and parts.path == "/mturk/return":
            turk.market.give_back(sent["assignmentId"])
            return 200, {}, _page("Returned", "<p>You returned the HIT.</p>")
        if method == "POST" and parts.path == "/mturk/externalSubmit":
            job_id = sent.pop("assignmentId", "")
            turk.market.submit(job_id, sent)
            return 200, {}, _page("Submitted", "<p id=done>The HIT has been submitted.</p>")
    except (TurkError, KeyError) as error:
        return 400, {}, _page("Error", f"<p id=error>{escape(str(error))}</p>")
    return 404, {}, _page("Not found", "")


def _hit(turk: TurkServer, asked: dict[str, str]) -> Hit:
    """A HIT of a group that can still be accepted, as the worker site picks one."""
    found = [turk.market.own_hit(asked["hitId"])] if "hitId" in asked else list(turk.market.hits.values())
    for hit in found:
        if asked.get("groupId", hit.type_id) == hit.type_id and turk.market.status(hit) == "Assignable":
            return hit
    raise TurkError("NoMoreWork", "There are no more of these HITs available.")


def _preview(turk: TurkServer, hit: Hit, worker: str) -> str:
    frame = _frame(turk, hit, {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": hit.id})
    return _page(
        hit.kind["Title"],
        f'<form method=post action=/mturk/accept><input type=hidden name=hitId value="{hit.id}">'
        f'<input type=hidden name=workerId value="{escape(worker)}"><button>Accept</button></form>{frame}',
    )


def _work(turk: TurkServer, job: Job) -> str:
    hit = turk.market.hits[job.hit]
    ids = {"assignmentId": job.id, "hitId": hit.id, "workerId": job.worker, "turkSubmitTo": turk.workers}
    return _page(
        hit.kind["Title"],
        f'<form method=post action=/mturk/return><input type=hidden name=assignmentId value="{job.id}">'
        f"<button>Return</button></form>{_frame(turk, hit, ids)}",
    )


def _frame(turk: TurkServer, hit: Hit, ids: dict[str, Any]) -> str:
    address = turk.market.address(hit)
    address += ("&" if "?" in address else "?") + urlencode(ids)
    return (
        f'<iframe id=task title="task" src="{escape(address)}"'
        ' style="width:100%;height:80vh;border:1px solid" sandbox="allow-scripts allow-same-origin'
        ' allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals"></iframe>'
    )


def _page(title: str, inner: str) -> str:
    return f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title>{inner}</html>"
