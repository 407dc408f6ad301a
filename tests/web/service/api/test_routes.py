"""Scores over HTTP: what is answered, what is refused and in which words."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from starlette.testclient import TestClient

import captious
from captious import Corpus
from captious.web.service.app import scoring_app
from captious.web.service.queue.scoring_queue import QueueFull
from captious.web.service.settings import ServiceSettings
from captious.web.service.tokens import TokenStore

CAPTIONS = ["a dog on the beach", "two cats", "a man rides a wave"]
REFERENCES = [["A dog runs.", "a dog on a beach"], ["Two cats sleep.", "cats"], ["a man surfs", "a wave"]]


def examples() -> list[dict[str, Any]]:
    return [{"caption": c, "references": r} for c, r in zip(CAPTIONS, REFERENCES, strict=True)]


def test_scores_are_those_of_python(running: Any) -> None:
    found = running.score(metrics=["cider", "bleu4"], examples=examples(), intervals={"resamples": 200})
    assert found.status_code == 200, found.text
    body = found.json()
    local = captious.score(Corpus.from_lists(CAPTIONS, REFERENCES), ["cider", "bleu4"], resamples=200)
    for name in local:
        value = local[name].systems["candidates"]
        assert [one["scores"][name] for one in body["examples"]] == local[name].values.tolist()
        assert body["systems"]["candidates"][name] == value._asdict()
        assert body["metrics"][name]["signature"] == local[name].signature


def test_references_and_objects_may_be_given_once_for_an_image(running: Any) -> None:
    apart = [
        {"caption": c, "image": 7, "system": s, "references": ["a dog"], "objects": ["dog"]}
        for c, s in (("a dog", "a"), ("a cat", "b"))
    ]
    shared = [{key: one[key] for key in ("caption", "image", "system")} for one in apart]
    asked = {"metrics": ["bleu1", "vifidel"]}
    first = running.score(**asked, examples=apart)
    second = running.score(**asked, examples=shared, references={"7": ["a dog"]}, objects={"7": ["dog"]})
    assert first.status_code == 200
    assert first.json() == second.json()
    assert list(first.json()["systems"]) == ["a", "b"]


def test_a_group_is_what_of_it_is_offered_and_can_run(running: Any) -> None:
    """One image has no document frequencies, and METEOR is not offered: a note says so."""
    found = running.score(metrics=["classic"], examples=examples()[:1]).json()
    assert list(found["metrics"]) == ["bleu1", "bleu4", "rouge_l"]
    assert found["notes"] == [
        "bleu2, bleu3, meteor are left out: not offered here.",
        "cider is left out: at least 2 images are needed.",
    ]


def test_images_are_uploaded_beside_the_request(running: Any) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(picture, "PNG")
    asked = {"metrics": ["bleu1"], "examples": [{"caption": "red", "image": "a.png", "references": ["red"]}]}
    sent = running.client.post(
        "/api/v1/score",
        data={"request": json.dumps(asked)},
        files=[("images", ("a.png", picture.getvalue(), "image/png"))],
        headers=running.token,
    )
    assert sent.status_code == 200, sent.text
    assert sent.json()["examples"][0]["scores"]["bleu1"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, 'the body: object missing required field "metrics".'),
        ({"examples": [{"caption": "a"}]}, 'the body: object missing required field "metrics".'),
        ({"metrics": [], "examples": [{"caption": "a"}]}, "metrics: expected array of length >= 1."),
        (
            {"metrics": ["bleu4"], "examples": [{"text": "a"}]},
            'examples[0]: object contains unknown field "text". Known: caption, image, system, references',
        ),
        ({"metrics": ["bleu4"], "examples": [{"caption": 5}]}, "examples[0].caption: expected str, got int."),
        (
            {"metrics": ["bleu4"], "examples": [{"caption": "a", "references": "a"}]},
            "examples[0].references: expected array | null, got str.",
        ),
        (
            {"metrics": ["bleu4"], "examples": [{"caption": "a", "image": 1}, {"caption": "b"}]},
            "examples[1].image: is missing",
        ),
        ({"metrics": ["bleu4"], "examples": [{"caption": "a", "image": " "}]}, "examples[0].image: is empty"),
        (
            {"metrics": ["bleu4"], "examples": [{"caption": "a" * 5001}]},
            "examples[0].caption: expected str of length <= 5000.",
        ),
        (
            {"metrics": ["bleu4"], "examples": [{"caption": "a"}] * 10_001},
            "examples: expected array of length <= 10000.",
        ),
        (
            {
                "metrics": ["bleu4"],
                "examples": [{"caption": "a", "image": 1, "objects": [o]} for o in ("cat", "dog")],
            },
            'objects of image "1": has two different lists',
        ),
        (
            {"metrics": ["bleu4"], "examples": [{"caption": "a"}], "pictures": {"1": "!"}},
            "pictures[...]: invalid base64 encoded string.",
        ),
        ({"metrics": ["wmd"], "examples": [{"caption": "a"}]}, '"wmd" is not offered here. Offered: bleu1'),
        ({"metrics": ["bleu4[x=1]"], "examples": [{"caption": "a"}]}, 'unknown option of bleu4 "x"'),
        (
            {"metrics": ["bleu4"], "examples": [{"caption": "a"}], "seed": 1},
            'unknown field "seed". Known: metrics, ',
        ),
        (
            {"metrics": ["bleu4"], "examples": [{"caption": "a"}], "intervals": {"resamples": -1}},
            "intervals.resamples: expected int >= 0.",
        ),
        (
            {"metrics": ["cider"], "examples": [{"caption": "a", "references": ["a"]}]},
            "Score more images, or give document frequencies",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(running: Any, body: dict[str, Any], says: str) -> None:
    found = running.score(**body)
    assert found.status_code == 422
    assert says in found.json()["error"]
    assert "\n" not in found.json()["error"]


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 422),
        (b"\xff\xfe", "application/json", 422),
        (b"caption=a", "application/x-www-form-urlencoded", 415),
        (b"no parts", "multipart/form-data", 422),
        (b"--x--\r\n", "multipart/form-data; boundary=x", 422),
        (b"[" * 100_000, "application/json", 422),
        (b" " * (9 * 2**20), "application/json", 413),
    ],
)
def test_bodies_that_cannot_be_read(running: Any, content: bytes, kind: str, status: int) -> None:
    headers = running.token | {"Content-Type": kind}
    found = running.client.post("/api/v1/score", content=content, headers=headers)
    assert found.status_code == status
    assert set(found.json()) == {"error"}


def test_who_may_ask(running: Any) -> None:
    store = TokenStore(running.folder)
    other, _ = store.create("other")
    revoked, token = store.create("old")
    store.revoke(token.id)
    running.service.meter.refresh()
    body = {"metrics": ["bleu1"], "examples": [{"caption": "a", "references": ["a"]}]}

    def status(authorization: str | None) -> tuple[int, str]:
        headers = {"Authorization": authorization} if authorization is not None else {}
        found = running.client.post("/api/v1/score", json=body, headers=headers)
        return found.status_code, found.json().get("error", "")

    assert status(None) == (401, 'This service needs a token. Send the header "Authorization: Bearer TOKEN".')
    assert status("Bearer captious_guess")[0] == 401
    assert status(f"Bearer {revoked}") == (401, "This token is unknown or was revoked.")
    assert status(f"Basic {other}")[0] == 401
    assert status(f"Bearer {other}")[0] == 200


def test_quotas_count_captions(running: Any) -> None:
    store = TokenStore(running.folder)
    secret, token = store.create("five a day", per_day=5)
    hurried, _ = store.create("three a minute", per_minute=3)
    running.service.meter.refresh()

    def send(secret: str, captions: int) -> Any:
        body = {"metrics": ["lm"], "examples": [{"caption": "a dog"}] * captions}
        return running.client.post("/api/v1/score", json=body, headers={"Authorization": f"Bearer {secret}"})

    assert [send(secret, n).status_code for n in (3, 3, 2, 1)] == [200, 429, 200, 429]
    refused = send(secret, 1)
    assert refused.json() == {
        "error": "Token five a day: 0 of 5 captions per day are left; the request has 1."
    }
    assert 0 < int(refused.headers["retry-after"]) <= 86_400
    running.service.meter.refresh()
    assert store.used(running.service.meter.today)[token.id] == 5
    assert [send(hurried, n).status_code for n in (3, 3)] == [200, 429]
    refused = send(hurried, 4)
    assert "the request has 4 captions; the quota is 3 per minute" in refused.json()["error"]


def test_without_tokens_it_serves_programs_of_this_machine_only(tmp_path: Path) -> None:
    app = scoring_app(ServiceSettings("lm", tmp_path, open_to_all=True))
    body = {"metrics": ["lm"], "examples": [{"caption": "a dog"}]}
    with TestClient(app) as client:
        assert client.post("/api/v1/score", json=body).status_code == 200
        page = client.post("/api/v1/score", json=body, headers={"Origin": "https://elsewhere.example"})
        assert (page.status_code, page.json()["error"]) == (403, "Requests from web pages need a token.")
        assert client.get("/health").json()["status"] == "ok"
        assert client.get("/else").status_code == 404


def test_the_offer_lists_metrics_with_the_options_that_may_be_set(running: Any) -> None:
    found = running.client.get("/api/v1/metrics", headers=running.token).json()
    assert sorted(found["metrics"]) == ["bleu1", "bleu4", "cider", "lm", "rouge_l", "spice", "vifidel"]
    assert found["metrics"]["cider"]["needs"] == ["references"]
    assert "vectors" not in found["metrics"]["vifidel"]["options"]
    assert found["metrics"]["vifidel"]["options"]["p"] == 2


def test_a_compressed_body_is_refused_in_words(running: Any) -> None:
    headers = running.token | {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    found = running.client.post("/api/v1/score", content=gzip.compress(b"{}"), headers=headers)
    assert found.status_code == 415
    assert "without Content-Encoding" in found.json()["error"]


@pytest.mark.parametrize("depth", [200, 990, 1000, 1010, 1020])
def test_no_depth_of_json_is_a_fault_of_ours(running: Any, depth: int) -> None:
    content = b'{"metrics": ["bleu4"], "examples": [{"caption": %b}]}' % (b"[" * depth + b"]" * depth)
    headers = running.token | {"Content-Type": "application/json"}
    found = running.client.post("/api/v1/score", content=content, headers=headers)
    assert found.status_code == 422, found.text


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "TRACE", "OPTIONS"])
def test_only_post_asks_for_scores(running: Any, method: str) -> None:
    found = running.client.request(method, "/api/v1/score", headers=running.token)
    assert (found.status_code, found.headers["allow"]) == (405, "POST")


def test_stating_a_length_takes_no_room_from_others(running: Any) -> None:
    """Whoever says that much will come, and sends nothing, keeps nobody out; what has come is counted."""
    service = running.service
    most = service.limits.waiting_bytes
    with service.room(most), service.room(most) as room:
        assert service.held_bytes == 0
        room.take(most - 10)
        with pytest.raises(QueueFull), service.room(11):
            pass
        with service.room(10) as other, pytest.raises(QueueFull):
            other.take(11)
    assert service.held_bytes == 0


def test_large_requests_have_a_process_of_their_own(running: Any) -> None:
    service = running.service
    before = service.large.calls  # other tests send large requests too
    large = {"caption": "a dog runs " * 400, "references": ["a dog runs " * 400] * 2}
    (found,) = running.score(metrics=["bleu1", "bleu4"], examples=[large]).json()["examples"]
    assert found["scores"]["bleu1"] == pytest.approx(1.0)
    assert (
        running.score(metrics=["bleu1"], examples=[{"caption": "a", "references": ["a"]}]).status_code == 200
    )
    assert service.large.process.process_id not in (None, service.process.process_id)
    assert (service.large.calls, service.queue.calls > 0) == (before + 1, True)
