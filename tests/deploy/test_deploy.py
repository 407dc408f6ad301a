"""The files of deploy/: read by the tools that they are for, and their parts started as documented."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import socketserver
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the web application needs captious[web]")

from captious.campaigns.store.database import Database

DEPLOY = Path(__file__).parents[2] / "deploy"
FILLED = {"SITE": "rate.example.org", "POSTGRES_PASSWORD": "x" * 20, "CAPTIOUS_SECRET": "y" * 40}
PATIENCE = 120.0


def tool(*names: str) -> str:
    """The path of the first program that is there; without one the test cannot say anything."""
    places = f"{os.environ.get('PATH', '')}:/usr/sbin"
    found = next((path for name in names if (path := shutil.which(name, path=places))), None)
    if found is None:
        pytest.skip(f"{names[0]} is not installed")
    return found


def run(*command: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, text=True, capture_output=True, check=False, timeout=PATIENCE, **more)


def test_compose_reads_its_file() -> None:
    command = [tool("docker-compose"), "--file", "compose.yaml", "config"]
    found = run(*command, cwd=DEPLOY, env=os.environ | FILLED)
    assert found.returncode == 0, found.stderr
    missing = run(*command, cwd=DEPLOY, env={"PATH": os.environ["PATH"]})
    assert missing.returncode != 0
    assert "see example.env" in missing.stderr


def test_what_compose_and_units_name_is_there() -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    assert (DEPLOY / services["app"]["build"]["context"] / services["app"]["build"]["dockerfile"]).is_file()
    assert (DEPLOY / services["proxy"]["volumes"][0].partition(":")[0]).is_file()
    named = set(re.findall(r"\$\{([A-Z_]+)", (DEPLOY / "compose.yaml").read_text()))
    assert named <= set(re.findall(r"^([A-Z_]+)=", (DEPLOY / "example.env").read_text(), re.MULTILINE))


def test_systemd_reads_the_units(tmp_path: Path) -> None:
    verify = tool("systemd-analyze")
    program = tmp_path / "captious"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    units = sorted(DEPLOY.glob("captious*.service")) + sorted(DEPLOY.glob("captious*.[st][oi][cm]*"))
    assert len(units) == 4
    for unit in units:
        text = unit.read_text().replace("/opt/captious/bin/captious-backup", str(program))
        (tmp_path / unit.name).write_text(text.replace("/opt/captious/bin/captious", str(program)))
    for unit in units:
        found = run(verify, "verify", "--man=no", str(tmp_path / unit.name))
        said = [line for line in found.stderr.splitlines() if unit.name in line]
        assert said == [], said


def test_caddy_reads_its_file() -> None:
    config = str(DEPLOY / "Caddyfile")
    found = run(
        tool("caddy"), "validate", "--config", config, "--adapter", "caddyfile", env=os.environ | FILLED
    )
    assert "Valid configuration" in found.stdout + found.stderr


def proxied(folder: Path, port: int, public: int, more: str = "") -> subprocess.Popen[bytes]:
    """nginx as deploy/nginx.conf sets it up, with a certificate of its own; `more` replaces directives."""
    certificate, key = folder / "captious.crt", folder / "captious.key"
    made = run(
        *(tool("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
        *("-subj", "/CN=rate.example.org", "-keyout", str(key), "-out", str(certificate)),
    )
    assert made.returncode == 0, made.stderr
    own = (DEPLOY / "nginx.conf").read_text()
    own = own.replace("127.0.0.1:8000", f"127.0.0.1:{port}").replace("443 ssl", f"{public} ssl")
    own = own.replace("/etc/ssl/captious", str(folder / "captious"))
    for directive in more.split():
        name, _, value = directive.partition("=")
        own, count = re.subn(rf"\b{name} [^;]+;", f"{name} {value};", own)
        assert count == 1, directive
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("proxy", "client_body", "fastcgi", "uwsgi", "scgi")
    )
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;\n"
        f"events {{ worker_connections 1024; }}\nhttp {{\naccess_log off;\n{temporary}{own}\n}}\n"
    )
    program = tool("nginx")
    checked = run(program, "-t", "-c", str(config), "-p", str(folder))
    assert checked.returncode == 0, checked.stderr
    return subprocess.Popen([program, "-c", str(config), "-p", str(folder)])


class Parts:
    """The application behind nginx with a certificate, as docs/operating.md starts them."""

    def __init__(self, folder: Path, database: str, environment: dict[str, str]) -> None:
        self.folder, self.environment = folder, environment
        self.started: list[subprocess.Popen[bytes]] = []
        self.port, self.public = free_port(), free_port()
        self.log = folder / "captious.log"
        command = "import sys; from captious.cli.main import main; sys.exit(main())"
        options = ["--workers", "2", "--port", str(self.port), "--trusted-proxies", "127.0.0.1"]
        options += ["--database", database, "--log", "json"]
        with self.log.open("wb") as out:
            self.app = subprocess.Popen(
                [sys.executable, "-c", command, "serve", *options],
                cwd=folder,
                env=environment | {"CAPTIOUS_BASE_URL": f"https://rate.example.org:{self.public}"},
                stdout=out,
                stderr=out,
            )
        self.started.append(self.app)
        self.started.append(proxied(folder, self.port, self.public))

    def ask(self, path: str, **headers: str) -> tuple[int, str]:
        """Through the proxy, by https."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        named = {"Host": "rate.example.org", **headers}
        request = urllib.request.Request(f"https://127.0.0.1:{self.public}{path}", headers=named)
        try:
            with urllib.request.urlopen(request, context=context, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def until(self, true: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not true():
            assert self.app.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.1)

    def is_up(self) -> bool:
        with suppress(OSError):
            return self.ask("/health")[0] == 200
        return False

    def stop(self) -> None:
        for one in self.started:
            one.terminate()
        for one in self.started:
            try:
                one.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture
def parts(tmp_path: Path, postgresql_url: str) -> Iterator[Parts]:
    tool("nginx")
    tool("openssl")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CAPTIOUS_")}
    files = {"CAPTIOUS_SECRET": "z" * 40, "CAPTIOUS_FILES": str(tmp_path / "files")}
    made = Parts(tmp_path, postgresql_url, environment | files)
    try:
        made.until(made.is_up)
        yield made
    finally:
        made.stop()


def captious_in(folder: Path) -> str:
    """A folder for PATH in which `captious` is the one that is tested."""
    program = folder / "bin" / "captious"
    program.parent.mkdir()
    code = "import sys; from captious.cli.main import main; sys.exit(main())"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{code}" "$@"\n')
    program.chmod(0o755)
    return f"{program.parent}:{os.environ['PATH']}"


@pytest.mark.long
def test_proxy_application_and_database_work_together(
    parts: Parts, postgresql_url: str, tmp_path: Path
) -> None:
    status, page = parts.ask("/admin/sign-in")
    assert (status, 'name="password"' in page) == (200, True)
    assert parts.ask("/metrics")[0] == 404
    # The visitor's address, not the proxy's and not what the visitor wrote.
    parts.ask("/nowhere", **{"X-Forwarded-For": "192.0.2.7"})
    assert '"path": "/nowhere", "status": 404' in parts.log.read_text()
    assert "192.0.2.7" not in parts.log.read_text()
    assert "is ignored" not in parts.log.read_text()

    # An upgrade: workers are replaced while people ask, and nobody is refused.
    found: list[int] = []
    done = threading.Event()

    def keep_asking() -> None:
        while not done.is_set():
            try:
                found.append(parts.ask("/health")[0])
            except OSError as error:
                found.append(error.errno or -1)

    asking = threading.Thread(target=keep_asking)
    asking.start()
    try:
        parts.app.send_signal(signal.SIGHUP)
        parts.until(lambda: "all workers are replaced" in parts.log.read_text())
    finally:
        done.set()
        asking.join()
    assert len(found) > 5
    assert set(found) == {200}

    # A backup that is tried before it is kept.
    own = parts.environment | {"CAPTIOUS_DATABASE": postgresql_url, "PATH": captious_in(tmp_path)}
    kept = run("sh", str(DEPLOY / "backup.sh"), str(tmp_path / "backups"), "30", env=own)
    assert kept.returncode == 0, kept.stderr
    assert "restored 0 campaigns" in kept.stderr
    assert len(list((tmp_path / "backups").glob("captious-*.zip"))) == 1


HEAD = b"POST /theme HTTP/1.1\r\nHost: rate.example.org\r\n"
FORM = HEAD + b"Content-Type: application/x-www-form-urlencoded\r\n"
SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: rate.example.org\r\n\r\n"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, list[bytes]]]:
    """The port of nginx with short time limits, and what has come through to the server behind it."""
    tool("nginx")
    tool("openssl")
    folder, came = tmp_path_factory.mktemp("proxy"), []

    class Behind(socketserver.BaseRequestHandler):
        """Says 200 to each request and keeps it."""

        def handle(self) -> None:
            while sent := self.request.recv(65536):
                came.append(sent)
                self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Behind) as behind:
        behind.daemon_threads = True
        threading.Thread(target=behind.serve_forever, daemon=True).start()
        public = free_port()
        short = "client_header_timeout=1s client_body_timeout=1s"
        nginx = proxied(folder, behind.server_address[1], public, short)
        try:
            deadline = time.monotonic() + PATIENCE
            while True:
                with suppress(OSError):
                    through_tls(public).close()
                    break
                assert time.monotonic() < deadline
                time.sleep(0.05)
            yield public, came
        finally:
            nginx.terminate()
            nginx.wait(PATIENCE)
            behind.shutdown()


def through_tls(port: int, sent: bytes = b"") -> ssl.SSLSocket:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    client = context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
    client.sendall(sent)
    return client


def until_closed(client: ssl.SSLSocket) -> bytes:
    found = b""
    with suppress(OSError):  # reset
        while piece := client.recv(65536):
            found += piece
    return found


def test_slow_and_silent_clients_end_at_the_proxy(guarded: tuple[int, list[bytes]]) -> None:
    """Half-sent heads, half-sent bodies and idle connections are closed; nothing of them comes through."""
    port, came = guarded
    came.clear()
    silent = [b"", HEAD + b"X-Slow: ", FORM + b"Content-Length: 1000\r\n\r\ntheme="]
    clients = [through_tls(port, silent[at % 3]) for at in range(90)]
    clients += [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(30)]  # no TLS
    answered = through_tls(port, b"GET /health HTTP/1.1\r\nHost: rate.example.org\r\n\r\n")
    assert answered.recv(100).startswith(b"HTTP/1.1 200 ")
    for client in clients:
        assert b"200 OK" not in until_closed(client)
    assert until_closed(answered).endswith(b"ok")  # an idle connection after an answer
    assert len(came) == 1


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        b"Content-Length: 4\r\nContent-Length: 40\r\n",
        b"Content-Length: 4, 4\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"Transfer-Encoding: xchunked\r\n",
        b"Host: y\r\n",
        b"".join(b"X-%d: %s\r\n" % (at, b"y" * 4000) for at in range(30)),
        b"X: " + b"y" * 100_000 + b"\r\n",
    ],
)
def test_unclear_and_large_heads_end_at_the_proxy(guarded: tuple[int, list[bytes]], head: bytes) -> None:
    port, came = guarded
    came.clear()
    try:
        client = through_tls(port, FORM + head + b"\r\n0\r\n\r\n" + SMUGGLED)
    except OSError:  # refused before all of it was sent
        pass
    else:
        assert b"200 OK" not in until_closed(client)
    assert not any(b"smuggled" in sent for sent in came)


def test_what_follows_a_body_in_chunks_is_no_header(guarded: tuple[int, list[bytes]]) -> None:
    port, came = guarded
    came.clear()
    body = b"4\r\na=bc\r\n0\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n"
    client = through_tls(port, FORM + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
    until_closed(client)
    assert b"192.0.2.7" not in b"".join(came)
    assert b"a=bc" in b"".join(came)
    assert b"transfer-encoding" not in b"".join(came).lower()  # the server would refuse it


def test_a_backup_shows_neither_names_nor_the_password_to_other_users(tmp_path: Path) -> None:
    """Names are in the file; the password is in the address, and everyone can list a command's arguments."""
    recorder = tmp_path / "recorder"
    recorder.mkdir()
    path = captious_in(tmp_path)
    (recorder / "captious").write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/arguments\nPATH="{path}" exec captious "$@"\n'
    )
    (recorder / "captious").chmod(0o755)
    database = tmp_path / "password" / "study.db"
    database.parent.mkdir()
    Database.open(str(database)).close()
    own = {"CAPTIOUS_DATABASE": str(database), "PATH": f"{recorder}:{path}"}
    kept = run("sh", str(DEPLOY / "backup.sh"), str(tmp_path / "backups"), env=os.environ | own, umask=0o022)
    assert kept.returncode == 0, kept.stderr
    assert "campaign backup" in (tmp_path / "arguments").read_text()
    assert "password" not in (tmp_path / "arguments").read_text()
    (backup,) = (tmp_path / "backups").iterdir()
    assert (backup.stat().st_mode & 0o077, backup.parent.stat().st_mode & 0o077) == (0, 0)


def test_systemd_may_hold_the_socket(tmp_path: Path) -> None:
    """With LISTEN_FDS the socket is descriptor 3, and connections wait while no server runs."""
    code = (
        "import os, sys; from captious.cli.main import main; os.environ['LISTEN_PID'] = str(os.getpid()); "
        "sys.exit(main())"
    )
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
        waiting = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        waiting.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")

        def pass_on() -> str:
            return f"import os; os.dup2({held.fileno()}, 3); " + code

        environment = {k: v for k, v in os.environ.items() if not k.startswith("CAPTIOUS_")}
        server = subprocess.Popen(
            [sys.executable, "-c", pass_on(), "serve", "--database", str(tmp_path / "a.db")],
            env=environment | {"LISTEN_FDS": "1"},
            pass_fds=[held.fileno()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            assert waiting.recv(100).startswith(b"HTTP/1.1 200 OK")
        finally:
            waiting.close()
            server.terminate()
            assert server.wait(PATIENCE) == 0
