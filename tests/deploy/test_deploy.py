"""The files of deploy/: read by the tools that they are for, and their parts started as documented."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
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
        self.started.append(self._nginx())

    def _nginx(self) -> subprocess.Popen[bytes]:
        certificate, key = self.folder / "captious.crt", self.folder / "captious.key"
        made = run(
            *(tool("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=rate.example.org", "-keyout", str(key), "-out", str(certificate)),
        )
        assert made.returncode == 0, made.stderr
        own = (DEPLOY / "nginx.conf").read_text()
        own = own.replace("127.0.0.1:8000", f"127.0.0.1:{self.port}").replace("443 ssl", f"{self.public} ssl")
        own = own.replace("/etc/ssl/captious", str(self.folder / "captious"))
        temporary = "".join(
            f"{kind}_temp_path {self.folder}/{kind};\n"
            for kind in ("proxy", "client_body", "fastcgi", "uwsgi", "scgi")
        )
        config = self.folder / "nginx.conf"
        config.write_text(
            f"daemon off; pid {self.folder}/nginx.pid; error_log {self.folder}/nginx.log;\n"
            f"events {{}}\nhttp {{\naccess_log off;\n{temporary}{own}\n}}\n"
        )
        program = tool("nginx")
        checked = run(program, "-t", "-c", str(config), "-p", str(self.folder))
        assert checked.returncode == 0, checked.stderr
        return subprocess.Popen([program, "-c", str(config), "-p", str(self.folder)])

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
