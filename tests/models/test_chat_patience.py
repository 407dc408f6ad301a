from __future__ import annotations

import pytest

from captious.models.chat import Endpoint, EndpointError, Patience, TransientError, UnreadableError, ask

BODY = {"model": "m", "messages": [{}, {"content": [{"type": "text", "text": 'The caption: "A dog."'}]}]}
QUICK = Patience(retries=3, wait=0.001, timeout=30)


def number(text: str) -> int:
    if not text.isdigit():
        raise UnreadableError("it is no number.")
    return int(text)


def test_faults_are_outlived(chat_server) -> None:
    chat_server.plan = [(429, {"Retry-After": "0"}), 500, b"not json", "7"]
    found = ask(Endpoint.at(chat_server.address), BODY, number, QUICK)
    assert (found.value, found.model, found.tokens_in, found.tokens_out) == (7, "judge-1", 1000, 50)
    assert len(chat_server.bodies) == 4


def test_patience_ends(chat_server) -> None:
    chat_server.plan = [503] * 9
    with pytest.raises(TransientError, match=r"HTTP 503.*, 4 times in a row"):
        ask(Endpoint.at(chat_server.address), BODY, number, QUICK)
    assert len(chat_server.bodies) == 4


def test_what_cannot_work_is_not_tried_again(chat_server) -> None:
    chat_server.plan = [404, "7"]
    with pytest.raises(EndpointError, match="HTTP 404"):
        ask(Endpoint.at(chat_server.address), BODY, number, QUICK)
    assert len(chat_server.bodies) == 1


def test_a_wrong_form_goes_back_with_the_reason(chat_server) -> None:
    chat_server.plan = ["seven", "7"]
    assert ask(Endpoint.at(chat_server.address), BODY, number, QUICK).value == 7
    first, second = chat_server.bodies
    assert [m["role"] for m in second["messages"][2:]] == ["assistant", "user"]
    assert second["messages"][2]["content"] == "seven"
    assert "it is no number." in second["messages"][3]["content"]
    assert len(first["messages"]) == 2


def test_a_form_that_never_comes(chat_server) -> None:
    chat_server.plan = ["x"] * 9
    with pytest.raises(EndpointError, match=r"m did not give a valid answer: it is no number\."):
        ask(Endpoint.at(chat_server.address), BODY, number, QUICK)
    assert len(chat_server.bodies) == 4


@pytest.mark.parametrize("reply", [b"{}", b'{"choices": []}', b'{"choices": [{"message": {"content": 3}}]}'])
def test_an_answer_without_a_text_is_asked_for_again(chat_server, reply: bytes) -> None:
    chat_server.plan = [reply, "7"]
    assert ask(Endpoint.at(chat_server.address), BODY, number, QUICK).value == 7


def test_usage_that_is_not_told_counts_as_nothing(chat_server) -> None:
    chat_server.plan = [b'{"choices": [{"message": {"content": "7"}}], "usage": {"prompt_tokens": "many"}}']
    found = ask(Endpoint.at(chat_server.address), BODY, number, QUICK)
    assert (found.model, found.tokens_in, found.tokens_out) == ("m", 0, 0)
