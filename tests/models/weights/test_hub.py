"""`captious get weights` against a small hub of our own on this machine, from download to score."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType

import pytest

from captious.models.weights.verify import git_sha1

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(BaseHTTPRequestHandler):
    """The few addresses of the Hugging Face hub that a download asks for."""

    folder: Path
    asked: list[str]

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.asked.append(f"{self.command} {self.path}")
        path = self.path.partition("?")[0]
        if path.startswith("/api/models/tiny/clip/tree/"):
            files = [
                {"type": "file", "path": file.name, "size": file.stat().st_size, "oid": "0" * 40}
                for file in sorted(self.folder.iterdir())
            ]
            return self.answer(json.dumps(files).encode())
        if path.startswith("/api/models/tiny/clip"):
            siblings = [{"rfilename": file.name} for file in sorted(self.folder.iterdir())]
            facts = {"id": "tiny/clip", "sha": COMMIT, "siblings": siblings, "private": False, "tags": []}
            return self.answer(json.dumps(facts).encode())
        file = self.folder / path.rpartition("/")[2]
        if path.startswith(f"/tiny/clip/resolve/{COMMIT}/") and file.is_file():
            return self.answer(file.read_bytes())
        return self.answer(b"{}", 404)

    def answer(self, content: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{git_sha1(content)}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, *given: object) -> None:
        return


@pytest.fixture
def hub(tiny: ModuleType, tmp_path: Path) -> Iterator[str]:
    pytest.importorskip("huggingface_hub")
    tiny.write_clip(tmp_path / "hub", seed=22)
    (tmp_path / "hub" / "pytorch_model.bin").write_bytes(b"a second copy, which nobody needs")
    Hub.folder, Hub.asked = tmp_path / "hub", []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def captious(hub: str, folder: Path, *given: object) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "HUGGINGFACE"))}
    environment |= {
        "HF_ENDPOINT": hub,
        "HF_HOME": str(folder / "home"),
        "HF_HUB_DISABLE_XET": "1",
        "CAPTIOUS_CACHE": str(folder / "cache"),
    }
    environment.pop("CAPTIOUS_DOWNLOAD", None)
    command = [sys.executable, "-m", "captious", *map(str, given)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)


def test_weights_come_from_the_hub_only_when_told(hub: str, tiny: ModuleType, tmp_path: Path) -> None:
    tiny.write_photographs(tmp_path / "images", 2)
    (tmp_path / "alt.json").write_text('{"0": "a dog", "1": "a cat"}')
    score = ("score", "-c", tmp_path / "alt.json", "--images", tmp_path / "images")
    metric = ("-m", "clipscore[encoder=tiny/clip,prompt=none]", "--resamples", 0)
    refused = captious(hub, tmp_path, *score, *metric)
    assert refused.returncode == 2
    assert "Get them with: captious get weights tiny/clip" in refused.stderr
    assert Hub.asked == []
    got = captious(hub, tmp_path, "doctor", "--get", "tiny/clip")
    assert got.returncode == 0, got.stderr
    assert not any("pytorch_model.bin" in line for line in Hub.asked)
    Hub.asked.clear()
    done = captious(hub, tmp_path, *score, *metric)
    assert done.returncode == 0, done.stderr
    assert "|enc:tiny/clip@01234567|" in done.stdout
    assert Hub.asked == []
