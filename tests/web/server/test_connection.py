"""Clients that send too little, too much or something unclear, without a proxy before the server."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from captious.web.guard import headers_and_limits

FORM = b"POST /theme HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
SMUGGLED = b"GET /admin/sign-in HTTP/1.1\r\nHost: x\r\n\r\n"


def test_a_body_that_does_not_come_is_not_waited_for(
    site: Any, start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(headers_and_limits, "BODY_SECONDS", 0.2)
    server = start(site.app)
    answer = server.ask(FORM + b"Content-Length: 1000\r\n\r\ntheme=")
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"took too long" in answer
    assert b"200 OK" in server.get("/health")


def test_much_of_a_body_buys_no_time_to_sit_on_the_rest(
    site: Any, start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(headers_and_limits, "BODY_SECONDS", 0.2)
    client = start(site.app).connect(FORM + b"Content-Length: 250000\r\n\r\n")
    client.sendall(b"a" * 200_000)  # at 500 bytes a second, 400 seconds
    assert client.recv(100).startswith(b"HTTP/1.1 408 ")


def test_a_body_that_comes_slowly_and_steadily_is_waited_for(
    site: Any, start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(headers_and_limits, "BODY_SECONDS", 1.0)
    monkeypatch.setattr(headers_and_limits, "BODY_RATE", 10.0)
    part = b"theme=dark&back=%2F"
    client = start(site.app).connect(
        FORM + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % (len(part) * 6)
    )
    for _ in range(6):
        client.sendall(part)
        time.sleep(0.3)
    assert not client.recv(100).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
        b"Content-Length: 4\r\nContent-Length: 4\r\n",
        b"Content-Length: 4\r\nContent-Length: 40\r\n",
        b"Content-Length: 4, 4\r\n",
        b"Content-Length: +4\r\n",
        b"Content-Length: 0x4\r\n",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"Transfer-Encoding: identity\r\n",
        b"Transfer-Encoding: xchunked\r\n",
        b"Transfer-Encoding : chunked\r\n",
        b"X: 1\r\n Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
        b"Host: y\r\n",
    ],
)
def test_a_request_whose_end_is_unclear_is_refused_with_what_follows_it(
    site: Any, start: Any, head: bytes
) -> None:
    answer = start(site.app).ask(FORM + head + b"\r\n0\r\n\r\n" + SMUGGLED)
    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 411 "))
    assert answer.count(b"HTTP/1.1") == 1


def test_a_body_in_chunks_is_told_to_state_its_length(site: Any, start: Any) -> None:
    """Headers may follow such a body, and no proxy has looked at them."""
    answer = start(site.app).ask(
        FORM + b"Transfer-Encoding: chunked\r\n\r\n4\r\na=bc\r\n0\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n"
    )
    assert answer.startswith(b"HTTP/1.1 411 ")
    assert b"must state the length" in answer


def test_a_request_names_one_host(site: Any, start: Any) -> None:
    assert start(site.app).ask(b"GET / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "sent",
    [
        FORM + b"Content-Length: 100\r\n\r\ntheme=dark",
        FORM.replace(b"/theme", b"/work/dogs/task") + b"Content-Length: 100\r\n\r\nkey=",
        b"POST /admin/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        b'Content-Length: 5000\r\n\r\n--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n',
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTT",
    ],
    ids=["form", "answers", "upload", "answer", "head"],
)
def test_a_client_that_hangs_up_is_one_line_at_most(site: Any, start: Any, lines: Any, sent: bytes) -> None:
    server = start(site.app)
    state = server.server.server_state
    before = len(lines)
    client = server.connect(sent)
    server.until(lambda: len(state.connections) == 1)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset, not a farewell
    client.close()
    server.until(lambda: not state.connections and not state.tasks)
    found = lines[before:]
    assert len(found) <= 1, [one.getMessage() for one in found]
    assert all(one.exc_info is None for one in found)


def test_requests_on_one_connection_are_answered_in_order(site: Any, start: Any) -> None:
    one = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
    last = b"GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answer = start(site.app).ask(one + one + last)
    assert [part[:3] for part in answer.split(b"HTTP/1.1 ")[1:]] == [b"200", b"200", b"404"]


def test_a_body_that_is_too_large_hears_so(site: Any, start: Any) -> None:
    client = start(site.app).connect(FORM + b"Content-Length: 3000000\r\nConnection: close\r\n\r\n")
    assert client.recv(100).startswith(b"HTTP/1.1 413 ")
