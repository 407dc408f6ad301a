"""Jobs: lines in, lines out, across restarts."""

from __future__ import annotations

import errno
import json
import os
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import captious
from captious import Corpus
from captious.errors import InputError
from captious.web.service.app import scoring_app
from captious.web.service.jobs.store import DAY, JobStore, check_lines
from captious.web.service.limits import Limits
from captious.web.service.settings import ServiceSettings
from captious.web.service.tokens.store import TokenStore

LINES = {"Content-Type": "application/x-ndjson"}


def lines(count: int, metric: str = "bleu1") -> bytes:
    rows = [
        {
            "custom_id": f"row {number}",
            "body": {
                "metrics": [metric],
                "examples": [{"caption": f"a dog {number}", "references": ["a dog"]}],
            },
        }
        for number in range(count)
    ]
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def until_ended(client: TestClient, job: str, headers: dict[str, str]) -> dict[str, Any]:
    for _ in range(600):
        found: dict[str, Any] = client.get(f"/api/v1/jobs/{job}", headers=headers).json()
        if found["state"] in ("done", "cancelled"):
            return found
        time.sleep(0.1)
    raise AssertionError(found)


def test_a_job_gives_a_line_for_each_line(running: Any) -> None:
    wrong = b'{"custom_id": "wrong", "body": {"examples": [{"caption": 5}]}}\n'
    sent = running.client.post(
        "/api/v1/jobs?metrics=rouge_l", content=lines(3) + wrong, headers=running.token | LINES
    )
    assert sent.status_code == 201, sent.text
    job = sent.json()
    assert (job["lines"], job["captions"], job["metrics"]) == (4, 4, ["rouge_l"])
    ended = until_ended(running.client, job["id"], running.token)
    assert (ended["state"], ended["done"]) == ("done", 4)
    answer = running.client.get(f"/api/v1/jobs/{job['id']}/results", headers=running.token)
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    results = [json.loads(line) for line in answer.text.splitlines()]
    assert [one["custom_id"] for one in results] == ["row 0", "row 1", "row 2", "wrong"]
    assert results[3] == {
        "custom_id": "wrong",
        "status": 422,
        "error": 'examples[0].caption: is 5. Each example needs a "caption", a string.',
    }
    for number in range(3):
        local = captious.score(Corpus.from_lists([f"a dog {number}"], [["a dog"]]), ["bleu1"])["bleu1"]
        assert results[number]["body"]["examples"][0]["scores"] == {"bleu1": local.values[0]}
    assert running.client.delete(f"/api/v1/jobs/{job['id']}", headers=running.token).status_code == 204
    assert running.client.get(f"/api/v1/jobs/{job['id']}", headers=running.token).status_code == 404


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the job has no lines"),
        (b"{\n", "line 1: is not valid JSON"),
        (lines(1) + b'{"custom_id": "x"}\n', "line 2: must have the form"),
        (lines(1) * 2, 'line 2: custom_id "row 0" is used twice'),
        (b'{"custom_id": "x", "body": {}}\n', 'line 1: "metrics" is missing. Add it'),
        (b'{"custom_id": 5, "body": {}}\n', "line 1: custom_id must be a string"),
    ],
)
def test_a_file_that_is_no_job_is_refused_with_its_line(running: Any, content: bytes, says: str) -> None:
    sent = running.client.post("/api/v1/jobs", content=content, headers=running.token | LINES)
    assert sent.status_code == 422
    assert says in sent.json()["error"]
    assert not list(running.service.store.folder.glob("*.part"))


def test_a_killed_server_goes_on_after_the_last_whole_line(tmp_path: Path) -> None:
    """What a kill leaves: some lines, half of the next, the state `running`. Nothing is scored twice."""
    store = JobStore(tmp_path)
    place = store.receive()
    (place / "input.jsonl").write_bytes(lines(5))
    job = store.create(place, "", ())
    store.progress(job, state="running", done=1)
    kept = b'{"custom_id":"row 0","kept":true}\n{"custom_id":"row 1","kept":true}\n'
    store.results(job).write_bytes(kept + b'{"custom_id":"row 2","sta')
    with TestClient(scoring_app(ServiceSettings("bleu1", tmp_path, open_to_all=True))) as client:
        assert until_ended(client, job.id, {})["done"] == 5
    found = store.results(job).read_bytes()
    assert found.startswith(kept)
    rows = [json.loads(line) for line in found.splitlines()]
    assert [row["custom_id"] for row in rows] == [f"row {number}" for number in range(5)]
    assert [row.get("status") for row in rows] == [None, None, 200, 200, 200]


def test_a_server_that_stops_leaves_whole_chunks(tmp_path: Path) -> None:
    """A stop in the middle of a job: the next server finishes it, each line once."""
    settings = ServiceSettings("bleu1", tmp_path, open_to_all=True)
    with TestClient(scoring_app(settings)) as client:
        job = client.post("/api/v1/jobs", content=lines(2000), headers=LINES).json()["id"]
    with TestClient(scoring_app(settings)) as client:
        assert until_ended(client, job, {})["done"] == 2000
        results = client.get(f"/api/v1/jobs/{job}/results").text.splitlines()
    assert [json.loads(line)["custom_id"] for line in results] == [f"row {n}" for n in range(2000)]
    assert {json.loads(line)["status"] for line in results} == {200}


def test_a_cancelled_job_is_not_worked_on(tmp_path: Path) -> None:
    store = JobStore(tmp_path)
    place = store.receive()
    (place / "input.jsonl").write_bytes(lines(3))
    job = store.create(place, "", ())
    assert store.cancel(job).state == "cancelled"
    with TestClient(scoring_app(ServiceSettings("bleu1", tmp_path, open_to_all=True))) as client:
        other = client.post("/api/v1/jobs", content=lines(1), headers=LINES).json()["id"]
        until_ended(client, other, {})
        found = client.get(f"/api/v1/jobs/{job.id}").json()
        assert (found["state"], found["done"]) == ("cancelled", 0)
        assert client.get(f"/api/v1/jobs/{job.id}/results").text == ""
        assert len(client.get("/api/v1/jobs").json()["jobs"]) == 2


def test_a_job_belongs_to_its_token(running: Any) -> None:
    store = JobStore(running.folder)
    place = store.receive()
    (place / "input.jsonl").write_bytes(lines(1))
    stranger = store.create(place, "somebody", ())
    for path in (stranger.id, f"{stranger.id}/results", "job_x", "..%2f..%2fetc"):
        assert running.client.get(f"/api/v1/jobs/{path}", headers=running.token).status_code == 404
    store.cancel(stranger)


def test_so_many_jobs_at_a_time_and_old_ones_go(tmp_path: Path) -> None:
    store = JobStore(tmp_path, Limits(jobs=1, kept_days=7))
    place = store.receive()
    (place / "input.jsonl").write_bytes(lines(1))
    job = store.create(place, "a", ())
    again = store.receive()
    (again / "input.jsonl").write_bytes(lines(1))
    with pytest.raises(captious.errors.InputError, match="unfinished jobs: 1; at most 1 are allowed"):
        store.create(again, "a", ())
    ended = store.progress(job, state="done", ended=1000.0)
    assert ended.ended is not None
    assert store.sweep(ended.ended + 6 * DAY) == 0
    assert store.sweep(ended.ended + 8 * DAY) == 1
    assert store.all() == []


def nested(depth: int) -> bytes:
    """A line that is JSON and deeper than Python can write it."""
    objects = b"[" * depth + b"]" * depth
    body = (
        b'{"metrics": ["bleu1"], "objects": %b, "examples": [{"caption": "a", "references": ["b"]}]}'
        % objects
    )
    return b'{"custom_id": "deep", "body": %b}\n' % body


def test_a_line_of_any_depth_is_a_wrong_line_and_the_next_job_runs(running: Any) -> None:
    first = running.client.post("/api/v1/jobs", content=nested(1015), headers=running.token | LINES).json()
    second = running.client.post("/api/v1/jobs", content=lines(1), headers=running.token | LINES).json()
    for job, status in ((first, 422), (second, 200)):
        assert until_ended(running.client, job["id"], running.token)["state"] == "done"
        answer = running.client.get(f"/api/v1/jobs/{job['id']}/results", headers=running.token)
        assert answer.json()["status"] == status


def test_a_job_that_fails_makes_way_for_the_others(tmp_path: Path) -> None:
    """Its input is a folder where a file should be, as after a copy that went wrong."""
    store = JobStore(tmp_path)
    jobs = []
    for _ in range(2):
        place = store.receive()
        (place / "input.jsonl").write_bytes(lines(1))
        jobs.append(store.create(place, "", ()))
    broken = store.folder / jobs[0].id / "input.jsonl"
    broken.unlink()
    broken.mkdir()
    with TestClient(scoring_app(ServiceSettings("bleu1", tmp_path, open_to_all=True))) as client:
        assert until_ended(client, jobs[1].id, {})["state"] == "done"
        assert client.get(f"/api/v1/jobs/{jobs[0].id}").json()["state"] != "done"


def test_a_job_over_the_quota_is_never_one(running: Any) -> None:
    secret, _ = TokenStore(running.folder).create("few", ["jobs"], per_day=2)
    running.service.meter.refresh()
    few = {"Authorization": f"Bearer {secret}"}
    sent = running.client.post("/api/v1/jobs", content=lines(3), headers=few | LINES)
    assert sent.status_code == 429
    assert int(sent.headers["retry-after"]) >= 1
    assert running.client.get("/api/v1/jobs", headers=few).json() == {"jobs": []}
    assert not list(running.service.store.folder.glob("*.part"))
    # It was refused before a server could have begun it, and cost nothing.
    assert running.client.post("/api/v1/jobs", content=lines(2), headers=few | LINES).status_code == 201


@pytest.mark.parametrize(("strangers", "status"), [(True, 401), (False, 200)])
def test_without_a_token_only_the_id_finds_a_job_among_strangers(
    tmp_path: Path, strangers: bool, status: int
) -> None:
    settings = ServiceSettings("bleu1", tmp_path, open_to_all=True, open_to_strangers=strangers)
    with TestClient(scoring_app(settings)) as client:
        job = client.post("/api/v1/jobs", content=lines(1), headers=LINES).json()["id"]
        assert client.get("/api/v1/jobs").status_code == status
        assert client.get(f"/api/v1/jobs/{job}").status_code == 200


def test_a_full_disk_is_no_fault_of_the_client(running: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Path, *args: Any, **options: Any) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "mkdir", full)
    answer = running.client.post("/api/v1/jobs", content=lines(1), headers=running.token | LINES)
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) >= 1
    assert str(running.folder) not in answer.text


def test_a_line_is_not_read_further_than_it_may_be_long(tmp_path: Path) -> None:
    path = tmp_path / "input.jsonl"
    path.write_bytes(b"x" * 50_000_000)
    tracemalloc.start()
    with pytest.raises(InputError, match="line 1: is larger than"):
        check_lines(path, Limits(upload_bytes=1000), named=True)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
