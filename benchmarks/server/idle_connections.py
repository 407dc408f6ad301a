"""Ten thousand clients who send nothing, or half a request: does the server still answer?

Starts `captious serve` with the usual 1,024 descriptors and nginx as deploy/nginx.conf sets it up
(without TLS, with place for 16,384 connections) before it, opens the connections to nginx from this
process, and asks for /health meanwhile. Prints the slowest answer, the server's memory and how many log
lines came. Needs nginx.

    python benchmarks/server/idle_connections.py [--connections 10000] [--descriptors 1024]
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

SERVE = """
import resource, sys
from captious.cli.main import main
resource.setrlimit(resource.RLIMIT_NOFILE, ({0}, {0}))
sys.exit(main())
"""
CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nginx.conf"
KINDS = {
    "idle": b"",
    "half a head": b"GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ",
    "half a body": b"POST /theme HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\ntheme=",
}
ASKED_EVERY = 250
HOST = {"Host": "127.0.0.1"}


def main() -> None:
    """Start the server, open the connections, print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--descriptors", type=int, default=1024, help="of the server")
    asked = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < asked.connections + 200:
        sys.exit(f"{hard} descriptors are too few for {asked.connections} clients here.")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(f"{'clients':12s} {'open':>7s} {'slowest /health':>16s} {'memory':>8s} {'log lines':>10s}")
    for kind, sent in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            attack(Path(folder), kind, sent, asked.connections, asked.descriptors)


def attack(folder: Path, kind: str, sent: bytes, connections: int, descriptors: int) -> None:
    """One kind of client against a server of its own."""
    log = folder / "log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, "-c", SERVE.format(descriptors), "serve", "--port", "0"],
            cwd=folder,
            stdout=out,
            stderr=out,
        )
    proxy = None
    try:
        own = address_of(server, log)
        address = ("127.0.0.1", free_port())
        proxy = nginx(folder, own[1], address[1])
        health(address)
        before, asked = lines(log), 1
        clients: list[socket.socket] = []
        slowest = 0.0
        for at in range(connections):
            clients.append(client(address, sent))
            if at % ASKED_EVERY == 0:
                slowest, asked = max(slowest, health(address)), asked + 1
        for _ in range(25):  # past the time limits of head and body
            slowest, asked = max(slowest, health(address)), asked + 1
            time.sleep(1)
        memory = peak(server.pid)
        # Each time we asked is a line of its own.
        new = lines(log) - before - (asked - 1)
        print(f"{kind:12s} {still_open(clients):7d} {slowest * 1000:13.0f} ms {memory:5.0f} MB {new:10d}")
        for one in clients:
            one.close()
    finally:
        for one in (proxy, server):
            if one is not None:
                one.terminate()
                one.wait()


def nginx(folder: Path, port: int, public: int) -> subprocess.Popen[bytes]:
    """nginx as deploy/nginx.conf sets it up, without TLS, once it answers."""
    program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        sys.exit("This needs nginx: apt install nginx")
    own = CONFIGURATION.read_text().replace("127.0.0.1:8000", f"127.0.0.1:{port}")
    own = re.sub(r"ssl_certificate[^;]+;", "", own.replace("443 ssl http2", f"{public}"))
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("proxy", "client_body", "fastcgi", "uwsgi", "scgi")
    )
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;\nworker_rlimit_nofile 20000;\n"
        f"events {{ worker_connections 16384; }}\nhttp {{\naccess_log off;\n{temporary}{own}\n}}\n"
    )
    made = subprocess.Popen([program, "-c", str(config), "-p", str(folder)])
    while made.poll() is None:
        try:
            health(("127.0.0.1", public))
        except OSError:
            time.sleep(0.1)
        else:
            return made
    sys.exit((folder / "nginx.log").read_text())


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def address_of(server: subprocess.Popen[bytes], log: Path) -> tuple[str, int]:
    """Where the server listens, once it does."""
    while True:
        found = re.search(r"captious is running at http://([\d.]+):(\d+)", log.read_text())
        if found and "startup complete" in log.read_text():
            return found[1], int(found[2])
        if server.poll() is not None:
            sys.exit(log.read_text())
        time.sleep(0.1)


def client(address: tuple[str, int], sent: bytes) -> socket.socket:
    """A client that sends something and then nothing."""
    made = socket.create_connection(address, timeout=10)
    if sent:
        made.send(sent)
    return made


def health(address: tuple[str, int]) -> float:
    """Seconds until /health has answered, connection included."""
    start = time.perf_counter()
    asked = urllib.request.Request(f"http://{address[0]}:{address[1]}/health", headers=HOST)
    with urllib.request.urlopen(asked, timeout=30) as answer:
        answer.read()
    return time.perf_counter() - start


def still_open(clients: list[socket.socket]) -> int:
    """How many of the connections the server has not closed."""
    with selectors.DefaultSelector() as selector:
        for one in clients:
            selector.register(one, selectors.EVENT_READ)
        return len(clients) - len(selector.select(0))


def lines(log: Path) -> int:
    """Lines in the log."""
    return log.read_bytes().count(b"\n")


def peak(process: int) -> float:
    """The most memory that a process has held, in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else float("nan")


if __name__ == "__main__":
    main()
