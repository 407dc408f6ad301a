"""Answers as they go over the wire, read by Python's own client."""

from __future__ import annotations

from http.client import BadStatusLine, HTTPConnection, HTTPException, IncompleteRead
from typing import Any

import pytest

LENGTH = b"content-length"
# By path: status, headers, and the parts of the body as they are sent.
ANSWERS: dict[str, tuple[int, list[tuple[bytes, bytes]], list[bytes]]] = {
    "/plain": (200, [(LENGTH, b"5"), (b"x-kept", b"yes")], [b"whole"]),
    "/capitals": (200, [(b"Content-Length", b"5")], [b"whole"]),
    "/parts": (200, [(LENGTH, b"9")], [b"in ", b"", b"parts "]),
    "/stream": (200, [], [b"a" * 70_000, b"", b"b" * 3, b""]),
    "/empty": (200, [(LENGTH, b"0")], [b""]),
    "/nothing": (204, [], [b""]),
    "/unchanged": (304, [], [b""]),
    "/last": (200, [(LENGTH, b"3"), (b"connection", b"close")], [b"bye"]),
    "/shorter": (200, [(LENGTH, b"9")], [b"four"]),
    "/longer": (200, [(LENGTH, b"4")], [b"four and more"]),
    "/split": (200, [(LENGTH, b"0"), (b"x-a", b"1\r\nx-b: 2")], [b""]),
}


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        return
    await receive()
    status, headers, parts = ANSWERS[scope["path"]]
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})
    for at, part in enumerate(parts, 1):
        await send({"type": "http.response.body", "body": part, "more_body": at < len(parts)})


@pytest.fixture
def client(start: Any) -> Any:
    host, port = start(app).address
    with_server = HTTPConnection(host, port, timeout=30)
    yield with_server
    with_server.close()


def ask(client: Any, method: str, path: str) -> tuple[int, Any, bytes]:
    client.request(method, path)
    answer = client.getresponse()
    return answer.status, answer.headers, answer.read()


def test_answers_of_every_kind_follow_each_other_on_one_connection(client: Any) -> None:
    for _ in range(2):
        for path in ("/plain", "/capitals", "/parts", "/stream", "/empty", "/nothing", "/unchanged"):
            for method in ("GET", "HEAD", "POST"):
                expected, given, parts = ANSWERS[path]
                status, headers, body = ask(client, method, path)
                assert status == expected
                assert body == (b"" if method == "HEAD" else b"".join(parts)), path
                length = dict(given).get(LENGTH) or dict(given).get(b"Content-Length")
                assert headers.get("content-length") == (length.decode() if length else None)
                chunked = path == "/stream" and method != "HEAD"
                assert headers.get("transfer-encoding") == ("chunked" if chunked else None)
                assert headers.get("connection") is None
                assert headers.get("date")
    assert ask(client, "GET", "/plain")[1]["x-kept"] == "yes"


def test_the_last_answer_says_that_it_is(client: Any) -> None:
    _, headers, body = ask(client, "GET", "/last")
    assert (headers["connection"], body) == ("close", b"bye")
    assert headers.get_all("connection") == ["close"]


def test_a_client_of_http_1_0_is_answered_once(start: Any) -> None:
    answer = start(app).ask(b"GET /plain HTTP/1.0\r\n\r\n")
    assert b"\r\nconnection: close\r\n" in answer
    assert answer.endswith(b"\r\n\r\nwhole")


def test_who_asks_before_sending_the_body_is_told_to_go_on(start: Any) -> None:
    server = start(app)
    client = server.connect(
        b"POST /plain HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n"
        b"Connection: close\r\n\r\n"
    )
    assert client.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
    client.sendall(b"body")
    answer = b"".join(iter(lambda: client.recv(1000), b""))
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.endswith(b"whole")


@pytest.mark.parametrize(
    ("path", "error"), [("/shorter", IncompleteRead), ("/longer", HTTPException), ("/split", BadStatusLine)]
)
def test_an_answer_that_is_not_what_it_says_ends_the_connection(
    start: Any, path: str, error: type[Exception]
) -> None:
    server = start(app)
    host, port = server.address
    with pytest.raises(error):
        ask(HTTPConnection(host, port, timeout=30), "GET", path)
    assert b"x-b" not in server.get(path)
    assert server.get("/plain").endswith(b"whole")
