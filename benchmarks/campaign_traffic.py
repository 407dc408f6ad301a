"""Simulated raters over real HTTP, for campaign_load.py and drills.py.

The server is `captious serve` in a process of its own, of this tree or of another release. Each
rater is a browser with one connection: it opens its link, fetches the page, thinks, submits and
goes on. The client is a plain asyncio protocol, so that it takes little of the processors that it
shares with the server.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast
from urllib.error import URLError
from urllib.parse import urlencode

import orjson
import psutil
import sqlalchemy as sa

import captious
from captious.campaigns.people import links, raters
from captious.campaigns.records import NewRater
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store.database import Database
from captious.corpus import Corpus

SLUG = "load"
SECRET = "a secret for a benchmark, of many bytes"
SERVE = "import sys; from captious.cli.main import main; sys.exit(main())"
# Packages that this release needs and an older one is not given: it runs as its users had it.
NEW_PACKAGES = ("uvloop", "httptools")
SYSTEMS = ("heron", "dodo")
START_SECONDS = 90.0
ANSWER_SECONDS = 60.0
# A rater whose server is gone tries again this often.
AGAIN_SECONDS = 0.3
BUSY = 503

_CSRF = re.compile(rb'name="csrf" value="([^"]+)"')
_KEY = re.compile(rb'name="key" value="([^"]+)"')
_ACTION = re.compile(rb'action="(/work/[^"]+)"[^>]* data-answers')
_COOKIE = re.compile(rb"\r\nset-cookie: ([^=]+)=([^;\r]*)", re.I)
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.I)


@dataclass
class Place:
    """Where the data of a run are."""

    kind: str
    url: str
    folder: Path

    @property
    def files(self) -> Path:
        """The folder of the images."""
        return self.folder / "files"


@contextmanager
def database(kind: str) -> Iterator[Place]:
    """A new database in a temporary folder; PostgreSQL is a real server of its own."""
    with tempfile.TemporaryDirectory(prefix="captious-load-") as name:
        folder = Path(name)
        if kind == "sqlite":
            yield Place(kind, str(folder / "load.db"), folder)
            return
        folder.chmod(0o755)  # PostgreSQL's own user walks through it
        yield Place(kind, start_postgresql(folder), folder)
        stop_postgresql(folder)


_POSTGRESQL = """
import sys, warnings
warnings.simplefilter("ignore")
import pgserver
print(pgserver.get_server(sys.argv[1], cleanup_mode=None).get_uri())
"""


def start_postgresql(folder: Path) -> str:
    """Start the server of a folder, made where it is new; returns its address."""
    command = [sys.executable, "-c", _POSTGRESQL, str(folder / "data")]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def stop_postgresql(folder: Path, number: signal.Signals = signal.SIGINT) -> None:
    """Stop the server if it runs; with SIGKILL it and all its processes are gone at once."""
    running = folder / "data" / "postmaster.pid"
    if not running.exists():
        return
    postmaster = psutil.Process(int(running.read_text().split()[0]))
    workers = postmaster.children(recursive=True) if number == signal.SIGKILL else []
    for process in (postmaster, *workers):
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)
    psutil.wait_procs([postmaster, *workers], timeout=30)


def one_core_each() -> int | None:
    """Keep this process and what it starts on the last core; returns the first, for the server."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        return None
    os.sched_setaffinity(0, {cores[-1]})
    return cores[0]


def prepare(
    place: Place, people: int, images: int, source: Path | None = None, python: str = sys.executable
) -> list[str]:
    """A tagging campaign with work for everybody; returns the raters' link tokens.

    `source` is the folder of another release's package: its database is its own. `python` is the
    interpreter of the environment that this release was installed in.
    """
    if source is not None:
        command = [python, __file__, place.kind, place.url, str(place.folder), str(people), str(images)]
        path = f"{source}{os.pathsep}{Path(__file__).parent}"
        done = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": path}
        )
        return [str(token) for token in orjson.loads(done.stdout)]
    rows = [(image, system) for image in range(images) for system in SYSTEMS]
    corpus = Corpus.from_lists(
        [f"A dog of {system} at place {image}." for image, system in rows],
        [["Dog."] for _ in rows],
        image_ids=[f"i{image}" for image, _ in rows],
        systems=[system for _, system in rows],
    )
    draft = create.draft("tagging", corpus, title="Load", slug=SLUG, options={"raters": 12})
    with Database.open(place.url, files=place.files) as db:
        campaign = lifecycle.open_campaign(db, create.create(db, draft, actor="bench"), actor="bench")
        new = [NewRater(f"Rater {at}") for at in range(people)]
        found = raters.add(db, campaign, new, actor="bench")
        return [links.make_link(db, rater, secret=SECRET.encode()) for rater in found]


class Server:
    """`captious serve` in processes of its own."""

    def __init__(
        self,
        place: Place,
        workers: int = 1,
        *,
        source: Path | None = None,
        core: int | None = None,
        python: str = sys.executable,
    ) -> None:
        self.place, self.workers, self.core, self.python = place, workers, core, python
        self.source = source or Path(captious.__file__).parent.parent
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None

    def _hidden(self) -> str:
        """Python that hides the packages which the release does not ask for."""
        if self.python != sys.executable:
            return ""  # it has an environment of its own
        needs = (self.source.parent / "pyproject.toml").read_text()
        hidden = [name for name in NEW_PACKAGES if name not in needs]
        return f"import sys; sys.modules.update(dict.fromkeys({hidden})); " if hidden else ""

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = [
            self.python,
            "-c",
            self._hidden() + SERVE,
            "serve",
            "--database",
            self.place.url,
            "--files",
            str(self.place.files),
            "--port",
            str(self.port),
            "--workers",
            str(self.workers),
        ]
        log = (self.place.folder / "server.log").open("ab")
        self.process = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env=os.environ | {"CAPTIOUS_SECRET": SECRET, "PYTHONPATH": str(self.source)},
        )
        if self.core is not None:
            os.sched_setaffinity(self.process.pid, {self.core})
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5):
                    return
            except (URLError, OSError):
                if time.monotonic() > until or self.process.poll() is not None:
                    raise SystemExit((self.place.folder / "server.log").read_text()) from None
                time.sleep(0.05)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal to the server and its workers, and wait until they are gone."""
        if self.process is not None:
            os.killpg(self.process.pid, number)
            self.process.wait()
            self.process = None

    def processor(self) -> float:
        """Seconds of the processor that the server has used."""
        if self.process is None:
            return 0.0
        found = psutil.Process(self.process.pid)
        times = [one.cpu_times() for one in (found, *found.children(recursive=True))]
        return sum(one.user + one.system for one in times)


def postgresql_processes(place: Place) -> list[int]:
    """The processes of the database server; SQLite has none of its own."""
    if place.kind == "sqlite":
        return []
    postmaster = psutil.Process(int((place.folder / "data" / "postmaster.pid").read_text().split()[0]))
    return [one.pid for one in (postmaster, *postmaster.children(recursive=True))]


def postgresql_processor(place: Place) -> float:
    """Seconds of the processor that the database server has used; SQLite is part of ours."""
    times = [psutil.Process(one).cpu_times() for one in postgresql_processes(place)]
    return sum(one.user + one.system for one in times)


@dataclass
class Tally:
    """What all raters saw."""

    pages: list[float] = field(default_factory=list)
    submits: list[float] = field(default_factory=list)
    sent: set[str] = field(default_factory=set)
    acknowledged: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    resent: int = 0
    hung_up: int = 0
    told_to_wait: int = 0
    finished: int = 0
    joined: int = 0
    cookies: dict[str, dict[str, str]] = field(default_factory=dict)
    measuring: bool = True


class HungUpError(Exception):
    """The connection ended before the answer came."""


class Wire(asyncio.Protocol):
    """One connection: bytes come in until an answer is whole."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.data = b""
        self.head, self.size = b"", -1
        self.waiting: asyncio.Future[tuple[bytes, bytes]] | None = None
        self.closed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way out."""
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Collect until the body has the length that the head says."""
        self.data = self.data + data if self.data else data
        if self.size < 0:
            end = self.data.find(b"\r\n\r\n")
            if end < 0:
                return
            self.head, self.data = self.data[: end + 2], self.data[end + 4 :]
            length = _LENGTH.search(self.head)
            self.size = int(length[1]) if length else 0
        if len(self.data) >= self.size and self.waiting is not None:
            waiting, self.waiting = self.waiting, None
            head, body, self.data = self.head, self.data[: self.size], self.data[self.size :]
            self.size = -1
            if not waiting.done():
                waiting.set_result((head, body))

    def write(self, data: bytes) -> None:
        """Send bytes; a connection that is gone is noticed when the answer is waited for."""
        if self.transport is not None:
            self.transport.write(data)

    def connection_lost(self, error: Exception | None) -> None:
        """Tell who waits."""
        self.closed = True
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_exception(HungUpError())
            self.waiting.exception()  # whoever has gone need not hear of it
        self.waiting = None


class Browser:
    """One rater's cookies and connection."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}
        self.wire: Wire | None = None

    async def send(self, method: str, path: str, body: bytes = b"", accept: str = "text/html") -> None:
        """Send a request; a connection that the server closed meanwhile is opened again."""
        loop = asyncio.get_running_loop()
        if self.wire is None or self.wire.closed:
            try:
                _, self.wire = await loop.create_connection(Wire, "127.0.0.1", self.port)
            except OSError as error:
                raise HungUpError from error
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: {accept}\r\n"
            f"Cookie: {cookies}\r\nContent-Length: {len(body)}\r\nX-Next-Page: 1\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
        )
        self.wire.waiting = loop.create_future()
        self.wire.write(head.encode() + body)

    async def answer(self) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        if self.wire is None or self.wire.waiting is None:
            raise HungUpError
        waiting = self.wire.waiting
        late = asyncio.get_running_loop().call_later(ANSWER_SECONDS, self.hang_up)
        try:
            head, body = await waiting
        finally:
            late.cancel()
        for name, value in _COOKIE.findall(head):
            self.cookies[name.decode()] = value.decode()
        return int(head[9:12]), body

    async def ask(self, method: str, path: str, body: bytes = b"", **options: str) -> tuple[int, bytes]:
        """Send a request and return its answer."""
        await self.send(method, path, body, **options)
        return await self.answer()

    def hang_up(self) -> None:
        """Close the connection, whatever is on its way."""
        if self.wire is not None:
            wire, self.wire = self.wire, None
            if wire.transport is not None:
                wire.transport.abort()


@dataclass
class Habits:
    """How raters behave: mean seconds of thinking, share of submits that are sent twice."""

    think: float = 2.0
    resend: float = 0.05
    # Whether a lost connection is a fault, or to be expected and tried again.
    patient: bool = False


class SimulatedRater:
    """Opens a link and rates until told to stop or until nothing is left."""

    def __init__(self, port: int, token: str, tally: Tally, habits: Habits, seed: int) -> None:
        self.browser, self.token, self.tally, self.habits = Browser(port), token, tally, habits
        self.chance = random.Random(seed)
        self.page = b""

    async def run(self, stop: asyncio.Event, *, joined: bool = False) -> None:
        """Join unless that was done before, then rate."""
        try:
            if not joined:
                await self._join()
                self.tally.joined += 1
            while not stop.is_set() and await self._rate(stop):
                pass
        except HungUpError:
            self.tally.errors.append("the connection ended")
        finally:
            self.browser.hang_up()

    async def _ask(self, method: str, path: str, body: bytes = b"", **options: str) -> tuple[int, bytes]:
        while True:
            try:
                status, said = await self.browser.ask(method, path, body, **options)
                if status != BUSY or not self.habits.patient:
                    return status, said
                self.tally.told_to_wait += 1
                await asyncio.sleep(AGAIN_SECONDS * (0.5 + self.chance.random()))
            except HungUpError:
                self.tally.hung_up += 1
                # A browser tries once more: the server may just have closed an idle connection.
                if not self.habits.patient:
                    return await self.browser.ask(method, path, body, **options)
                await asyncio.sleep(AGAIN_SECONDS * (0.5 + self.chance.random()))

    async def _join(self) -> None:
        address = f"/join/{self.token}"
        status, page = await self._ask("GET", address)
        found = _CSRF.search(page)
        if status != 200 or found is None:
            self.tally.errors.append(f"GET /join: {status}")
            return
        status, _ = await self._ask("POST", address, urlencode({"csrf": found[1]}).encode())
        if status != 303:
            self.tally.errors.append(f"POST /join: {status}")

    async def _rate(self, stop: asyncio.Event) -> bool:
        page, status = self.page, 200
        if not page:
            start = time.perf_counter()
            status, page = await self._ask("GET", f"/work/{SLUG}")
            self._note(self.tally.pages, start)
        action, key, csrf = (one.search(page) for one in (_ACTION, _KEY, _CSRF))
        if status != 200:
            self.tally.errors.append(f"GET /work: {status}")
            return False
        if action is None or key is None or csrf is None:
            self.tally.finished += 1
            return False
        with suppress(TimeoutError):
            if self.habits.think:
                await asyncio.wait_for(stop.wait(), self.chance.expovariate(1 / self.habits.think))
        if stop.is_set():
            return False
        fields = {"csrf": csrf[1], "key": key[1], "verdict": "minor"}
        return await self._submit(action[1].decode(), key[1].decode(), urlencode(fields).encode())

    async def _submit(self, action: str, key: str, body: bytes) -> bool:
        self.tally.sent.add(key)
        if self.chance.random() < self.habits.resend:
            # The answer is lost on its way, and the browser sends the same again.
            self.tally.resent += 1
            try:
                await self.browser.send("POST", action, body, accept="application/json")
            except HungUpError:
                self.tally.hung_up += 1
            self.browser.hang_up()
        start = time.perf_counter()
        status, said = await self._ask("POST", action, body, accept="application/json")
        self._note(self.tally.submits, start)
        if status != 200:
            self.tally.errors.append(f"POST /work: {status}")
            return False
        receipt = orjson.loads(said)
        self.tally.acknowledged[key] = receipt["response"]
        # The next page comes along, as it does in a browser; an older release sends none.
        self.page = receipt.get("page", "").encode()
        return True

    def _note(self, times: list[float], start: float) -> None:
        if self.tally.measuring:
            times.append((time.perf_counter() - start) * 1000)


@dataclass(frozen=True)
class Audit:
    """What the database says against what raters were told."""

    stored: int
    lost: int
    twice: int
    unknown: int
    miscounted: int

    @property
    def clean(self) -> bool:
        """Whether all is as it should be."""
        return not (self.lost or self.twice or self.unknown or self.miscounted)


def audit(place: Place, tally: Tally) -> Audit:
    """Every acknowledged response is there once, and the counters count what is there."""
    with Database.open(place.url, files=place.files) as db, db.read() as connection:
        rows = connection.execute(sa.text("SELECT id, key, assignment_id FROM response")).all()
        counted = connection.execute(
            sa.text("SELECT (SELECT sum(done) FROM item), (SELECT sum(answered) FROM rater)")
        ).one()
    ids = {row.key: row.id for row in rows}
    slots = {row.assignment_id for row in rows}
    return Audit(
        stored=len(rows),
        lost=sum(ids.get(key) != id_ for key, id_ in tally.acknowledged.items()),
        twice=len(rows) - min(len(ids), len(slots)),
        unknown=len(ids.keys() - tally.sent),
        miscounted=sum(abs(int(found or 0) - len(rows)) for found in counted),
    )


if __name__ == "__main__":  # for another release: it makes its own database
    kind, url, folder, people, images = sys.argv[1:]
    print(orjson.dumps(prepare(Place(kind, url, Path(folder)), int(people), int(images))).decode())
