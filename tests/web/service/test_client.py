"""`captious.Client` and `captious score --server` over real HTTP: what they give is what is computed here."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

import captious
from captious import Client, Corpus
from captious.cli.main import main
from captious.client import ServiceError
from captious.corpus.load import load_corpus
from captious.data import demo_files
from captious.errors import InputError
from captious.metrics.document_frequency import DocumentFrequencies

METRICS = ["cider", "bleu4", "lm"]


@pytest.fixture(scope="module")
def client(address: str, running: Any) -> Client:
    return Client(address, running.token["Authorization"].removeprefix("Bearer "))


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    files = demo_files()
    return load_corpus([files.systems[0], files.systems[3]], files.references, objects=files.objects)


def test_scores_of_a_service_are_scores(client: Client, corpus: Corpus) -> None:
    """Values, intervals, signatures and statistics, bit by bit; so they can be tested and resampled."""
    found = client.score(corpus, METRICS, resamples=100)
    local = captious.score(corpus, METRICS, resamples=100)
    assert list(found) == METRICS
    for name in METRICS:
        assert found[name].values.tolist() == local[name].values.tolist()
        assert found[name].statistics.tolist() == local[name].statistics.tolist()
        assert found[name].systems == local[name].systems
        assert found[name].signature == local[name].signature
    assert found.to_markdown() == local.to_markdown()
    again = found.with_intervals(50, level=0.9, seed=1)
    assert again["cider"].systems == local.with_intervals(50, level=0.9, seed=1)["cider"].systems


def test_findings_of_a_service_are_findings(client: Client, corpus: Corpus) -> None:
    names = ["spice", "vifidel[references=none]", "bleu1"]
    with pytest.warns(captious.errors.CaptiousWarning, match="no findings are given by bleu1"):
        found = client.score(corpus, names, findings=True).findings
    with pytest.warns(captious.errors.CaptiousWarning, match="no findings are given by bleu1"):
        local = captious.score(corpus, names, findings=True).findings
    assert len(local) > 20 and str(list(found.rows())) == str(list(local.rows()))
    with pytest.raises(InputError, match="findings were not asked for"):
        client.score(corpus, "spice").findings  # noqa: B018


def printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    found = capsys.readouterr()
    assert end.value.code == 0, found.err
    return found.out


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_the_command_prints_the_same_with_a_server(
    address: str, running: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    files = demo_files()
    token = tmp_path / "token"
    token.write_text(running.token["Authorization"].removeprefix("Bearer ") + "\n")
    asked = ["score", "-c", *map(str, files.systems[:2]), "-r", str(files.references), "-f", form]
    asked += ["--objects", str(files.objects), "-m", "spice,cider,vifidel[p=1]"]
    remote = ["--server", address, "--token-file", str(token)]
    own, theirs = tmp_path / "own.csv", tmp_path / "theirs.csv"
    here = printed([*asked, "--items", str(own)], capsys)
    assert printed([*asked, *remote, "--items", str(theirs)], capsys) == here
    assert theirs.read_text() == own.read_text()


def test_a_saved_table_is_named_where_it_lies(
    client: Client, address: str, running: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    files = demo_files()
    table = DocumentFrequencies.build([["a dog"], ["two cats"]])
    table.save(running.folder / "df" / "small.npz")
    table.save(tmp_path / "small.npz")
    asked = ["score", "-c", str(files.systems[0]), "-r", str(files.references), "-m", "cider,bleu1"]
    here = printed([*asked, "--df", str(tmp_path / "small.npz")], capsys)
    token = tmp_path / "token"
    token.write_text(running.token["Authorization"].removeprefix("Bearer "))
    remote = ["--server", address, "--token-file", str(token), "--df", "small"]
    assert printed([*asked, *remote], capsys) == here


def test_what_the_service_refuses_is_said_in_its_words(address: str, client: Client) -> None:
    dogs = Corpus.from_lists(["a dog"], [["a dog"]])
    with pytest.raises(ServiceError, match=r"A token is needed. Give it: Client\(url, token\)") as refused:
        Client(address).score(dogs, "bleu1")
    assert (refused.value.status, "--token-file FILE" in refused.value.typed) == (401, True)
    with pytest.raises(ServiceError, match='"meteor" is not offered here') as refused:
        client.score(dogs, "meteor")
    assert refused.value.status == 422
    with pytest.raises(
        InputError, match=r"vifidel: no caption could be scored\. The first: vifidel needs objects"
    ):
        client.score(dogs, "vifidel")
    with pytest.raises(ServiceError, match="cannot be reached"):
        Client("http://127.0.0.1:9", retries=0).metrics()
    with pytest.raises(InputError, match="is not the address of a service"):
        Client("example.org")


@pytest.fixture
def busy() -> Iterator[tuple[str, list[int]]]:
    """A server that turns the first two requests away, and notes when each came."""
    came: list[int] = []

    class Busy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            came.append(len(came))
            status, body = ((429, 503) + (200,) * 9)[len(came) - 1], b'{"metrics": {}, "error": "busy"}'
            self.send_response(status)
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Busy)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", came
    server.shutdown()
    thread.join()
    server.server_close()


def test_who_is_turned_away_comes_back(busy: tuple[str, list[int]]) -> None:
    address, came = busy
    assert Client(address).metrics() == {}
    assert len(came) == 3


def test_patience_ends(busy: tuple[str, list[int]]) -> None:
    address, came = busy
    with pytest.raises(ServiceError, match="busy") as refused:
        Client(address, retries=1).metrics()
    assert (refused.value.status, len(came)) == (503, 2)


def test_an_upload_that_stops_is_nobodys_request(running: Any, address: str) -> None:
    """A client that promises a body and hangs up: the next one is answered, and nothing is held for it."""
    host, port = address.removeprefix("http://").split(":")
    for _ in range(3):
        with socket.create_connection((host, int(port))) as gone:
            head = ["POST /api/v1/score HTTP/1.1", "Host: x", "Content-Type: application/json"]
            head += ["Content-Length: 900", f"Authorization: {running.token['Authorization']}"]
            gone.sendall("\r\n".join([*head, "", "{"]).encode())
    found = running.score(metrics=["bleu1"], examples=[{"caption": "a dog", "references": ["a dog"]}])
    assert found.json()["examples"][0]["scores"]["bleu1"] == pytest.approx(1.0)
    for _ in range(600):
        if not running.service.held_bytes:
            break
        threading.Event().wait(0.1)
    assert running.service.held_bytes == 0
