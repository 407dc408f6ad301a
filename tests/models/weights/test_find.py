"""Weights are found on this machine, and fetched only where that is allowed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from captious.errors import InputError, MissingDependencyError
from captious.models import weights
from captious.models.weights.find import own_folder

HUB = "openai/clip-vit-base-patch32"


@pytest.fixture(autouse=True)
def own_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "captious"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.delenv("CAPTIOUS_DOWNLOAD", raising=False)


@pytest.fixture
def closed_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens a connection fails the test."""
    import socket

    def refuse(*given: object) -> None:
        raise AssertionError("somebody asked the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def in_hub_cache(folder: Path, name: str = HUB) -> Path:
    """What `hf download` leaves behind."""
    own = folder / "hub" / f"models--{name.replace('/', '--')}"
    snapshot = own / "snapshots" / ("ab" * 20)
    snapshot.mkdir(parents=True)
    (own / "refs").mkdir()
    (own / "refs" / "main").write_text("ab" * 20)
    (snapshot / "config.json").write_text("{}")
    (snapshot / "model.safetensors").write_bytes(b"")
    return snapshot


def test_the_order_is_path_then_cache(tmp_path: Path) -> None:
    snapshot = in_hub_cache(tmp_path)
    assert weights.find("ViT-B-32/openai") == (snapshot, "cache", "ab" * 20)
    assert weights.find(HUB).path == snapshot
    assert weights.find(str(snapshot)) == (snapshot, "path", "")


def test_an_unfinished_download_is_not_found(tmp_path: Path) -> None:
    snapshot = in_hub_cache(tmp_path)
    (snapshot / "model.safetensors").unlink()
    assert weights.search(HUB) is None


@pytest.mark.usefixtures("closed_network")
def test_nothing_is_fetched_without_being_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    with pytest.raises(MissingDependencyError) as caught:
        weights.find("ViT-B-32/openai")
    assert str(caught.value) == (
        "the weights ViT-B-32/openai are not installed. Get them with: captious get weights ViT-B-32/openai"
    )
    with pytest.raises(InputError, match=r"/no/such/clip.pth: no such file or folder of weights"):
        weights.find("/no/such/clip.pth")


def test_a_hub_that_is_offline_is_a_line_and_no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("huggingface_hub")
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setenv("CAPTIOUS_DOWNLOAD", "1")
    with pytest.raises(InputError, match=rf"{HUB}: cannot be downloaded from the hub"):
        weights.find(HUB)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "own.pth").write_bytes(b"weights" * 1000)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *given: object) -> None:
            return

    web = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "web")))
    thread = threading.Thread(target=web.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{web.server_address[1]}"
    web.shutdown()
    web.server_close()


def test_a_file_comes_from_its_address_once(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = weights.Known("own", "7 kB", "MIT", file="own.pth", url=f"{server}/own.pth")
    monkeypatch.setitem(weights.KNOWN, "own", entry)
    with pytest.raises(MissingDependencyError, match="captious get weights own"):
        weights.find("own")
    monkeypatch.setenv("CAPTIOUS_DOWNLOAD", "1")
    found = weights.find("own")
    assert found.path == tmp_path / "captious" / "weights" / "own.pth"
    assert found.path.read_bytes() == b"weights" * 1000
    assert [one.state for one in weights.verify("own")] == ["as fetched"]
    found.path.write_bytes(b"damaged")
    assert [one.state for one in weights.verify("own")] == ["changed"]
    (tmp_path / "web" / "own.pth").unlink()
    assert weights.find("own") == found


def test_an_address_that_fails_leaves_nothing_behind(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = weights.Known("gone", "1 MB", "MIT", file="gone.pth", url=f"{server}/gone.pth")
    monkeypatch.setitem(weights.KNOWN, "gone", entry)
    with pytest.raises(
        InputError, match=r"/gone.pth: cannot be downloaded \(File not found\). Check the network, or save"
    ):
        weights.fetch("gone")
    assert not own_folder().exists() or list(own_folder().iterdir()) == []


def test_a_shared_folder_is_left_to_the_tool_that_reads_it(tmp_path: Path) -> None:
    with pytest.raises(
        MissingDependencyError, match=r"Get them with: gdown --folder https://drive.google.com/"
    ):
        weights.find("PAC-S-ViT-B-32")
    with pytest.raises(InputError, match=r"needs its own download tool: gdown"):
        weights.fetch("PAC-S-ViT-B-32")
    there = tmp_path / "captious" / "weights" / "Checkpoints" / "clip_ViT-B-32.pth"
    there.parent.mkdir(parents=True)
    there.write_bytes(b"")
    assert weights.find("PAC-S-ViT-B-32") == (there, "cache", "")


def test_the_state_of_weights_is_told_with_place_size_and_licence(tmp_path: Path) -> None:
    missing = weights.status("ViT-B-32/openai")
    assert (missing.present, missing.size, missing.licence) == (False, "605 MB", "MIT (OpenAI)")
    assert missing.command == "captious get weights ViT-B-32/openai"
    snapshot = in_hub_cache(tmp_path)
    (snapshot / "model.safetensors").write_bytes(b"0" * 3_000_000)
    present = weights.status("ViT-B-32/openai")
    assert present == (
        "ViT-B-32/openai",
        True,
        str(snapshot),
        "cache",
        "abababab",
        "3 MB",
        "MIT (OpenAI)",
        "",
    )


@pytest.mark.parametrize("name", ["VSE++/coco-resnet152", "BertGrammar/GED"])
def test_what_needs_a_person_tells_the_steps(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path))
    with pytest.raises(InputError, match=r"cannot be downloaded by captious\. Get it with: ") as caught:
        weights.fetch(name)
    assert str(tmp_path / "weights") in str(caught.value)
