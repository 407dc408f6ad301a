from __future__ import annotations

import pytest

from captious.campaigns.work import responses


@pytest.fixture
def api(site):
    campaign = site.campaign("humanr", images=4)
    visitor, _ = site.rater(campaign)
    return visitor, campaign, visitor.get("/api/work/dogs").json()


def headers(work, key: str = "one") -> dict[str, str]:
    return {"Idempotency-Key": key, "X-CSRF-Token": work["csrf"]}


def test_work_tells_what_to_do_and_nothing_of_who_wrote_what(api) -> None:
    visitor, _, work = api
    assert (work["campaign"], work["protocol"], work["state"]) == ("dogs", "humanr", "open")
    assert [task["position"] for task in work["tasks"]] == list(range(len(work["tasks"])))
    first = work["tasks"][0]
    assert [caption["key"] for caption in first["item"]["captions"]] == ["left", "right"]
    assert first["item"]["fields"][0]["name"] == "preference"
    assert visitor.get(first["image_url"]).status_code == 200
    text = visitor.get("/api/work/dogs").text
    for hidden in ("heron", "dodo", "sources", '"check"', "balance", "not_for"):
        assert hidden not in text


def test_an_answer_is_stored_once_for_its_key(site, api) -> None:
    visitor, campaign, work = api
    address = f"/api/work/dogs/{work['tasks'][0]['task']}"
    body = {"answers": {"preference": 5}}
    first = visitor.post(address, json=body, headers=headers(work))
    again = visitor.post(address, json={"answers": {"preference": 9}}, headers=headers(work))
    assert first.json() == {**again.json(), "duplicate": False}
    (row,) = responses.stored(site.db, campaign)
    assert (row.answers, row.source) == ({"preference": 5.0}, "api")
    progress = visitor.get("/api/work/dogs/progress").json()
    assert (progress["answered"], progress["group_done"]) == (1, 1)


def test_a_second_answer_must_say_which_one_it_replaces(site, api) -> None:
    visitor, campaign, work = api
    address = f"/api/work/dogs/{work['tasks'][0]['task']}"

    def send(value: int, key: str, **more):
        return visitor.post(
            address, json={"answers": {"preference": value}, **more}, headers=headers(work, key)
        )

    first = send(5, "one").json()["response"]
    asked = send(7, "two")
    assert (asked.status_code, asked.json()["stands"]) == (409, first)
    assert "replaces" in asked.json()["error"]
    second = send(7, "two", replaces=first)
    assert (second.status_code, second.json()["correction"]) == (200, True)
    # What was replaced stands no more, and the key of a stored answer is its receipt whatever else is sent.
    assert send(9, "three", replaces=first).json()["stands"] == second.json()["response"]
    assert send(9, "two").json() == {**second.json(), "duplicate": True}
    stored = [(row.answers["preference"], row.replaces) for row in responses.stored(site.db, campaign)]
    assert stored == [(5.0, None), (7.0, first)]


def test_what_is_wrong_is_told_field_by_field(api) -> None:
    visitor, _, work = api
    address = f"/api/work/dogs/{work['tasks'][0]['task']}"
    answer = visitor.post(address, json={"answers": {"preference": 12}}, headers=headers(work))
    assert answer.status_code == 422
    assert answer.json()["problems"] == [
        {
            "field": "preference",
            "message": "Which caption goes best with the image? 12 is not a whole number from 1 to 9.",
        }
    ]


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"X-CSRF-Token": "wrong"}, 403),
        ({"X-CSRF-Token": ""}, 403),
        ({"Idempotency-Key": ""}, 422),
        ({"Idempotency-Key": "a" * 101}, 422),
        ({"Idempotency-Key": "two words"}, 422),
    ],
)
def test_headers_that_are_not_right_are_refused(site, api, changed, status: int) -> None:
    visitor, campaign, work = api
    address = f"/api/work/dogs/{work['tasks'][0]['task']}"
    body = {"answers": {"preference": 5}}
    answer = visitor.post(address, json=body, headers=headers(work) | changed)
    assert answer.status_code == status
    assert answer.json()["error"]
    assert list(responses.stored(site.db, campaign)) == []


def test_openapi_documents_the_errors_and_the_bodies(site) -> None:
    api = site.visitor().get("/api/openapi.json").json()
    submit = api["paths"]["/api/work/{slug}/{task}"]["post"]
    assert {"200", "401", "403", "404", "409", "413", "415", "422"} <= set(submit["responses"])
    schema = submit["responses"]["422"]["content"]["application/json"]["schema"]
    assert schema == {"$ref": "#/components/schemas/ErrorBody"}
    conflict = submit["responses"]["409"]["content"]["application/json"]["schema"]
    assert conflict == {"$ref": "#/components/schemas/AnsweredBody"}
    assert "stands" in api["components"]["schemas"]["AnsweredBody"]["properties"]
    assert "replaces" in api["components"]["schemas"]["AnswersBody"]["properties"]
    page = api["paths"]["/work/{slug}/{task}"]["post"]
    form = page["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]
    assert form["required"] == ["csrf", "key"]
    for path, operations in api["paths"].items():
        for method, operation in operations.items():
            assert operation.get("summary"), (method, path)
            assert "HTTPValidationError" not in str(operation), (method, path)
