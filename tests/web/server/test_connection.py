"""Clients that send nothing, too little, too much or something unclear."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from typing import Any

import pytest

FORM = b"POST /theme HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"


@pytest.mark.parametrize("sent", [b"", b"GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: "])
def test_a_head_that_does_not_come_ends_the_connection_without_a_line(
    site: Any, start: Any, lines: Any, until_closed: Any, sent: bytes
) -> None:
    server = start(site.app, head_seconds=0.2)
    before = len(lines)
    answer = until_closed(server.connect(sent))
    assert answer.startswith(b"HTTP/1.1 408 ") if sent else answer == b""
    assert len(lines) == before
    assert b"200 OK" in server.get("/health")


def test_a_body_that_does_not_come_is_not_waited_for(site: Any, start: Any, until_closed: Any) -> None:
    server = start(site.app, body_seconds=0.2, body_rate=1000)
    client = server.connect(FORM + b"Content-Length: 1000\r\n\r\ntheme=")
    assert until_closed(client).startswith(b"HTTP/1.1 408 ")
    assert server.room.timed_out == 1


def test_much_of_a_body_buys_no_time_to_sit_on_the_rest(start: Any, until_closed: Any) -> None:
    async def reads(scope: Any, receive: Any, send: Any) -> None:
        while scope["type"] == "http" and (await receive()).get("more_body"):
            pass

    server = start(reads, body_seconds=0.2, body_rate=1000)
    client = server.connect(FORM + b"Content-Length: 2000000\r\n\r\n")
    client.sendall(b"a" * 1_500_000)
    assert until_closed(client).startswith(b"HTTP/1.1 408 ")
    assert server.room.timed_out == 1


def test_a_body_that_comes_slowly_and_steadily_is_waited_for(site: Any, start: Any) -> None:
    server = start(site.app, body_seconds=1.0, body_rate=10)
    body = b"theme=dark&back=%2F"
    client = server.connect(FORM + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % (len(body) * 10))
    for _ in range(10):
        client.sendall(body)
        time.sleep(0.3)
    assert not client.recv(100).startswith(b"HTTP/1.1 408 ")


def test_a_client_that_takes_nothing_of_its_answer_is_let_go(start: Any) -> None:
    async def much(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            for _ in range(64):
                await send({"type": "http.response.body", "body": b"x" * 1_000_000, "more_body": True})
            await send({"type": "http.response.body", "body": b""})

    server = start(much, write_seconds=0.2)
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(server.address)
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        server.until(lambda: server.room.timed_out == 1)
    server.until(lambda: server.room.present == 0)


def sends(size: int) -> Any:
    """An application that answers with so many megabytes, as one body or as many."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            one = scope["path"] == "/one"
            await send({"type": "http.response.start", "status": 200, "headers": []})
            for _ in range(1 if one else size):
                body = bytes(1_000_000 * (size if one else 1))
                await send({"type": "http.response.body", "body": body, "more_body": True})
            await send({"type": "http.response.body", "body": b""})

    return answer


@pytest.mark.parametrize("path", [b"/one", b"/many"])
def test_a_client_on_a_slow_line_gets_its_whole_answer(start: Any, path: bytes) -> None:
    """The system keeps megabytes for it: it takes some all the time, and we hear of it seldom."""
    server = start(sends(12), write_seconds=0.1, idle_seconds=0.1)
    client = server.connect(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path)
    end = b""
    while not end.endswith(b"\r\n0\r\n\r\n") and (piece := client.recv(100_000)):
        end = (end + piece)[-20:]
        time.sleep(0.03)
    assert end.endswith(b"\r\n0\r\n\r\n")


def test_idle_clients_make_place_for_one_who_asks(site: Any, start: Any, lines: Any) -> None:
    server = start(site.app, connections=20)
    half = FORM + b"Content-Length: 9\r\n\r\n"
    for at in range(100):
        server.connect((b"", b"GET / HTTP/1.1\r\nHost", half)[at % 3])
    assert b"200 OK" in server.get("/health")
    # Of a hundred clients, twenty may stay; each further one took the place of the longest stalled.
    server.until(lambda: server.room.evicted >= 80)
    assert server.room.present <= 21
    said = [one.getMessage() for one in lines if one.name.startswith("captious")]
    assert len(said) == 2, said
    assert "too many connections" in said[0]
    assert "/health" in said[1]


def test_where_all_are_at_work_newcomers_hear_so(start: Any, until_closed: Any) -> None:
    import asyncio

    free = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await free.wait()
            headers = [(b"content-length", b"4")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": b"done"})

    server = start(slow, connections=2)
    ask = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    busy = [server.connect(ask) for _ in range(2)]
    server.until(lambda: server.room.present == 2 and not server.room.stalled)
    answer = server.ask(ask)
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 1" in answer
    server.server.servers[0].loop.call_soon_threadsafe(free.set)
    assert [until_closed(one).endswith(b"done") for one in busy] == [True, True]


SMUGGLED = b"GET /admin/sign-in HTTP/1.1\r\nHost: x\r\n\r\n"


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
    site: Any, start: Any, lines: Any, head: bytes
) -> None:
    server = start(site.app)
    answer = server.ask(FORM + head + b"\r\n0\r\n\r\n" + SMUGGLED)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1") == 1
    assert not [one for one in lines if one.name == "captious.access"]


def test_headers_behind_a_body_are_none_of_the_request(start: Any) -> None:
    """Proxies check and replace headers before the body; what follows it could else be smuggled past them."""

    async def named(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            while (await receive()).get("more_body"):
                pass
            names = b" ".join(name for name, _ in scope["headers"])
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": names})

    head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = start(named).ask(head + b"2\r\n{}\r\n0\r\nX-Forwarded-For: 192.0.2.1\r\nCookie: a=1\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"host connection transfer-encoding\r\n" in answer


def test_a_chunks_extension_has_an_end(site: Any, start: Any) -> None:
    server = start(site.app, body_seconds=0.2)
    client = server.connect(FORM + b"Transfer-Encoding: chunked\r\n\r\n1;")
    with suppress(ConnectionError):  # it is let go while it sends
        for _ in range(1000):
            client.sendall(b"a" * 10_000)
            time.sleep(0.001)
    server.until(lambda: server.room.present == 0)
    assert server.room.timed_out == 0


def test_a_body_may_come_byte_by_byte(site: Any, start: Any) -> None:
    body = b"theme=dark&back=%2F" + b"&x=1" * 5000
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    answer = start(site.app).ask(FORM + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
    assert not answer.startswith((b"HTTP/1.1 431", b"HTTP/1.1 408")), answer[:300]
    assert b"The request cannot be read" not in answer


def test_a_request_names_one_host(site: Any, start: Any) -> None:
    assert start(site.app).ask(b"GET / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "head",
    [
        b"".join(b"X-%d: y\r\n" % at for at in range(200)),
        b"X: " + b"y" * 100_000 + b"\r\n",
        b"X: " + b"y" * 100_000,
    ],
    ids=["many", "long", "endless"],
)
def test_a_head_has_a_most(site: Any, start: Any, head: bytes) -> None:
    answer = start(site.app).ask(b"GET / HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 431 ")


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
    before = len(lines)
    client = server.connect(sent)
    server.until(lambda: server.room.present == 1)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset, not a farewell
    client.close()
    server.until(lambda: server.room.present == 0 and not server.server.server_state.tasks)
    found = lines[before:]
    assert len(found) <= 1, [one.getMessage() for one in found]
    assert all(one.exc_info is None for one in found)


def test_requests_on_one_connection_are_answered_in_order(site: Any, start: Any) -> None:
    server = start(site.app)
    one = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
    last = b"GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answer = server.ask(one + one + last)
    assert [part[:3] for part in answer.split(b"HTTP/1.1 ")[1:]] == [b"200", b"200", b"404"]


def test_only_so_many_requests_of_a_connection_wait_for_their_answers(site: Any, start: Any) -> None:
    """Read without an end, one client's short requests took 60 MB of memory a second."""
    server = start(site.app, waiting=10)
    answer = server.ask(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n" * 500)
    answers = answer.split(b"HTTP/1.1 ")[1:]
    assert [part[:3] for part in answers] == [b"200"] * 11  # the first, and ten that waited for it
    closing = [b"connection: close" in part for part in answers]
    assert closing == [False] * 10 + [True]
    server.until(lambda: server.room.present == 0)


def test_an_upgrade_is_answered_as_if_it_had_not_been_asked_for(site: Any, start: Any) -> None:
    answer = start(site.app).ask(
        b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n" + SMUGGLED
    )
    assert answer.count(b"HTTP/1.1 200 OK") == 1


def test_a_body_that_is_too_large_hears_so(site: Any, start: Any) -> None:
    server = start(site.app)
    client = server.connect(FORM + b"Content-Length: 3000000\r\nConnection: close\r\n\r\n")
    assert client.recv(100).startswith(b"HTTP/1.1 413 ")
