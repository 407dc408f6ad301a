from __future__ import annotations

from pathlib import Path

import pytest

from captious.errors import InputError
from captious.models.chat import Answers, Endpoint, EndpointError, Stored, TransientError, request_key


def test_answers_are_found_by_what_was_asked(tmp_path: Path) -> None:
    store = Answers(str(tmp_path / "deep" / "answers.db"))
    assert store.read(["k"]) == {}
    keys = [request_key({"n": n}) for n in range(1200)]
    for key in keys[:3]:
        store.write(key, Stored("m", f"text of {key}", 10, 2))
    again = Answers(str(tmp_path / "deep" / "answers.db")).read(keys)
    assert set(again) == set(keys[:3])
    assert again[keys[1]] == Stored("m", f"text of {keys[1]}", 10, 2)


def test_a_later_answer_takes_the_place_of_an_earlier(tmp_path: Path) -> None:
    store = Answers(str(tmp_path / "answers.db"))
    store.write("k", Stored("m", "old", 1, 1))
    store.write("k", Stored("m", "new", 1, 1))
    assert store.read(["k"])["k"].text == "new"


def test_the_default_is_in_the_cache(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path))
    assert Answers().path == tmp_path / "judge" / "answers.db"


def test_a_file_that_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "answers.db"
    path.write_bytes(b"certainly no database" * 100)
    with pytest.raises(InputError, match=r"answers\.db: cannot be used to store answers"):
        Answers(str(path)).read(["k"])
    with pytest.raises(InputError, match=r"answers\.db: cannot be used to store answers"):
        Answers(str(path)).write("k", Stored("m", "t", 1, 1))


SECRET = "sk-not-to-be-seen-0123456789"
BODY = {"model": "m", "messages": [{}, {"content": [{"type": "text", "text": 'The caption: "A dog."'}]}]}


def test_an_openai_key_goes_to_openai_only(chat_server, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    Endpoint.at(chat_server.address).post(BODY, 30)
    assert chat_server.keys == [None]
    assert Endpoint.at().key == SECRET
    assert SECRET not in repr(Endpoint.at())


def test_another_endpoint_gets_the_judges_key(chat_server, monkeypatch) -> None:
    monkeypatch.setenv("CAPTIOUS_JUDGE_KEY", SECRET)
    Endpoint.at(chat_server.address).post(BODY, 30)
    assert chat_server.keys == [f"Bearer {SECRET}"]
    assert chat_server.bodies[0]["path"] == "/v1/chat/completions"


def test_the_address_may_come_from_the_environment(chat_server, monkeypatch) -> None:
    monkeypatch.setenv("CAPTIOUS_JUDGE_ENDPOINT", chat_server.address)
    assert Endpoint.at().address == chat_server.address


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_never_quoted(chat_server, monkeypatch, status: int) -> None:
    monkeypatch.setenv("CAPTIOUS_JUDGE_KEY", SECRET)
    chat_server.plan = [status]
    with pytest.raises(EndpointError, match=r"rejects the key .*Check \$CAPTIOUS_JUDGE_KEY") as caught:
        Endpoint.at(chat_server.address).post(BODY, 30)
    assert SECRET not in str(caught.value)
    assert not isinstance(caught.value, TransientError)


@pytest.mark.parametrize("status", [400, 404, 422])
def test_what_the_endpoint_says_is_told_without_the_key(chat_server, monkeypatch, status: int) -> None:
    monkeypatch.setenv("CAPTIOUS_JUDGE_KEY", SECRET)
    chat_server.plan = [status]
    with pytest.raises(
        EndpointError, match=rf"rejects the request \(HTTP {status}: no, Bearer \[key\]"
    ) as caught:
        Endpoint.at(chat_server.address).post(BODY, 30)
    assert SECRET not in str(caught.value)


def test_a_key_in_an_answer_is_blotted_out(chat_server, monkeypatch) -> None:
    monkeypatch.setenv("CAPTIOUS_JUDGE_KEY", SECRET)
    chat_server.plan = [f"your key is {SECRET}"]
    assert SECRET not in str(Endpoint.at(chat_server.address).post(BODY, 30))


def test_no_redirection_is_followed(chat_server, monkeypatch) -> None:
    monkeypatch.setenv("CAPTIOUS_JUDGE_KEY", SECRET)
    chat_server.plan = [(307, {"Location": f"{chat_server.address}/elsewhere"})]
    with pytest.raises(EndpointError, match="redirects elsewhere"):
        Endpoint.at(chat_server.address).post(BODY, 30)
    assert len(chat_server.bodies) == 1


@pytest.mark.parametrize(("status", "after"), [(429, 7.0), (500, None), (503, 0.0)])
def test_a_busy_endpoint_may_say_when_to_come_back(chat_server, status: int, after: float | None) -> None:
    chat_server.plan = [(status, {} if after is None else {"Retry-After": f"{after:g}"})]
    with pytest.raises(TransientError, match=f"HTTP {status}") as caught:
        Endpoint.at(chat_server.address).post(BODY, 30)
    assert caught.value.after == after


@pytest.mark.parametrize("content", [b"<html>", b"[1, 2]", b"\xff\xfe"])
def test_an_answer_that_is_no_json_object(chat_server, content: bytes) -> None:
    chat_server.plan = [content]
    with pytest.raises(TransientError, match="JSON"):
        Endpoint.at(chat_server.address).post(BODY, 30)


def test_an_endpoint_that_does_not_answer(chat_server) -> None:
    chat_server.plan = [None]
    with pytest.raises(TransientError, match=r"did not answer within 0\.2 s"):
        Endpoint.at(chat_server.address).post(BODY, 0.2)


def test_an_endpoint_that_is_not_there(chat_server) -> None:
    address = chat_server.address
    chat_server.stop()
    with pytest.raises(TransientError, match="cannot be reached"):
        Endpoint.at(address).post(BODY, 30)


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("ftp://host/v1", "is not the address"),
        ("host/v1", "is not the address"),
        (f"https://user:{SECRET}@host/v1", "contains a user name"),
        (f"https://host/v1?key={SECRET}", "contains a user name, a password or a query"),
    ],
)
def test_a_wrong_address_is_refused_without_its_secrets(address: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        Endpoint.at(address)
    assert SECRET not in str(caught.value)


def test_a_key_is_never_sent_in_the_clear(chat_server, monkeypatch) -> None:
    monkeypatch.setenv("CAPTIOUS_JUDGE_KEY", SECRET)
    with pytest.raises(InputError, match="never sent without encryption"):
        Endpoint.at("http://example.org/v1")


def test_openai_without_a_key_says_what_to_set(chat_server) -> None:
    with pytest.raises(InputError, match=r"Set \$OPENAI_API_KEY, or name another endpoint"):
        Endpoint.at()
