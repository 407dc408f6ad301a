"""Where the real benchmark data are, and what this machine has."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from captious.campaigns.store.database import Database

ROOT = Path(__file__).resolve().parent.parent


# Scripts that write stored figures want oracles that a test run does not; the packages that tests
# install beside captious are no tests, and some are broken on purpose.
collect_ignore_glob = ["*/make_*.py", "plugins/*/captious_*"]
# No test asserts how fast a busy machine is.
settings.register_profile("captious", deadline=None)
settings.load_profile("captious")


def _folder(variable: str, name: str) -> Path:
    folder = Path(os.environ.get(variable, ROOT.parent / "shared" / name))
    if not folder.is_dir():
        pytest.skip(f"no benchmark data: set ${variable} to the folder that holds them")
    return folder


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of the benchmark data."""
    return _folder("CAPTIOUS_DATA", "data")


@pytest.fixture(scope="session")
def golden() -> Path:
    """Folder of what reference implementations say of the benchmark data."""
    return _folder("CAPTIOUS_GOLDEN", "golden")


@pytest.fixture(scope="session")
def tiny() -> ModuleType:
    """Builders of tiny checkpoints in the published layouts: `tests/models/encoders/tiny.py`."""
    return _builders("encoders/tiny.py")


@pytest.fixture(scope="session")
def tiny_joint() -> ModuleType:
    """Builders of tiny ViLBERT, VSE++, ViLT and BERT: `tests/models/joint/make_joint.py`."""
    return _builders("joint/make_joint.py")


def _builders(name: str) -> ModuleType:
    for package in ("torch", "transformers", "safetensors", "tokenizers", "PIL"):
        pytest.importorskip(package)
    path = ROOT / "tests" / "models" / name
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def prolific_service() -> ModuleType:
    """Prolific's protocol on loopback: `tests/crowd/providers/prolific/service`."""
    for package in ("httpx", "pydantic"):
        pytest.importorskip(package, reason="Prolific needs captious[crowd], and its tests pydantic")
    name, folder = "prolific_service", ROOT / "tests" / "crowd" / "providers" / "prolific" / "service"
    if name not in sys.modules:
        spec = spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
        assert spec is not None and spec.loader is not None
        sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def java() -> str:
    """The Java that the reference implementations run on."""
    found = shutil.which("java")
    if not found:
        pytest.skip("no Java here; stored figures of the oracle are tested instead")
    if find_spec("pycocoevalcap") is None:
        pytest.skip("pycocoevalcap is not installed; stored figures are tested instead")
    return found


class ChatServer:
    """An OpenAI-compatible endpoint on this machine, that answers as a test says.

    `plan` holds the next replies: a text is a completion, a number an HTTP status, `bytes` are sent
    as they are, an (HTTP status, headers) pair adds headers, None never answers in time. With an
    empty plan `answer(caption)` gives the text.
    """

    def __init__(self) -> None:
        import threading
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

        self.plan: list[Any] = []
        self.answer: Callable[[str], str] = lambda caption: "{}"
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.stopping = threading.Event()
        lock, outer = threading.Lock(), self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    outer.bodies.append(body | {"path": self.path})
                    outer.keys.append(self.headers.get("Authorization"))
                    reply = outer.plan.pop(0) if outer.plan else outer.answer(caption_in(body))
                if reply is None:
                    outer.stopping.wait(10)
                    return
                status, headers, content = 200, {}, reply
                if isinstance(reply, tuple):
                    status, headers = reply
                elif isinstance(reply, int):
                    status = reply
                if status != 200:
                    content = json.dumps({"error": {"message": f"no, {outer.keys[-1]}"}}).encode()
                elif isinstance(reply, str):
                    message = {"role": "assistant", "content": reply}
                    usage = {"prompt_tokens": 1000, "completion_tokens": 50}
                    whole = {"model": "judge-1", "choices": [{"message": message}], "usage": usage}
                    content = json.dumps(whole).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": len(content)}.items():
                    self.send_header(name, str(value))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *arguments: object) -> None:
                pass

        def caption_in(body: dict[str, Any]) -> str:
            parts = body["messages"][1]["content"]
            text = next(part["text"] for part in parts if part["type"] == "text")
            return str(json.loads(text.removeprefix("The caption: ")))

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def stop(self) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def chat_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A judge's endpoint on this machine; no key of the person who tests is ever seen."""
    for name in ("OPENAI_API_KEY", "CAPTIOUS_JUDGE_KEY", "CAPTIOUS_JUDGE_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = ChatServer()
    yield server
    server.stop()


class Clock:
    """A clock that a test moves."""

    def __init__(self, now: float = 1_750_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def move(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture(scope="session")
def speak() -> Callable[[str], bytes]:
    """A voice: the WAV file of a text that eSpeak NG reads aloud."""
    if find_spec("espeakng_loader") is None:
        pytest.skip("no voice: espeakng-loader is not installed")
    import ctypes
    import io
    import wave

    import espeakng_loader

    library = ctypes.CDLL(espeakng_loader.get_library_path())
    retrieval, words_per_minute, utf8 = 1, 1, 1
    rate = library.espeak_Initialize(retrieval, 0, espeakng_loader.get_data_path().encode(), 0)
    pieces: list[bytes] = []
    callback_type = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
    )

    def collect(samples: object, count: int, _: object) -> int:
        if samples and count > 0:
            pieces.append(ctypes.string_at(samples, 2 * count))  # type: ignore[arg-type]
        return 0

    callback = callback_type(collect)

    def say(text: str) -> bytes:
        pieces.clear()
        library.espeak_SetSynthCallback(callback)
        library.espeak_SetVoiceByName(b"en-us")
        library.espeak_SetParameter(words_per_minute, 130, 0)
        content = text.encode()
        library.espeak_Synth(content, len(content) + 1, 0, 0, 0, utf8, None, None)
        library.espeak_Synchronize()
        target = io.BytesIO()
        with wave.open(target, "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(rate)
            file.writeframes(b"".join(pieces))
        return target.getvalue()

    return say


@pytest.fixture
def clock() -> Clock:
    """The clock of `db`."""
    return Clock()


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """A real PostgreSQL of this test run's own: the address of its database `postgres`."""
    if find_spec("pgserver") is None:
        pytest.skip("no PostgreSQL: pgserver is not installed")
    # Not in pytest's own folder: PostgreSQL refuses to run as root, so that another user must be
    # able to walk down to its data.
    folder = Path(tempfile.mkdtemp(prefix="captious-pg-"))
    folder.chmod(0o755)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pgserver

            server = pgserver.get_server(folder / "data", cleanup_mode="delete")
    except (OSError, KeyError, AssertionError, subprocess.SubprocessError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"PostgreSQL cannot start here: {error}")
    # A test's data may be lost with the machine's power.
    server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


def _named(server: str, name: str) -> str:
    return server.replace("/postgres?", f"/{name}?")


def _administer(server: str, command: str) -> None:
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(command)


@pytest.fixture(scope="session")
def postgresql_database(postgresql_server: str) -> str:
    """The address of one database with all tables; tests take turns and leave it without rows."""
    from captious.campaigns.store.database import Database

    _administer(postgresql_server, "CREATE DATABASE captious_test")
    address = _named(postgresql_server, "captious_test")
    Database.open(address).close()
    return address


def _without_rows(address: str) -> None:
    """Delete all rows, also those of append-only tables: a superuser can switch triggers off."""
    from captious.campaigns.store.schema import metadata

    tables = [table.name for table in metadata.sorted_tables]
    ids = [table.name for table in metadata.sorted_tables if "id" in table.columns]
    _administer(
        address,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid();"
        "SET session_replication_role = replica;"
        + "".join(f"DELETE FROM {name};" for name in tables)
        + "".join(f"SELECT setval('{name}_id_seq', 1, false);" for name in ids),
    )


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with all tables and no rows, to be copied."""
    from captious.campaigns.store.database import Database

    path = tmp_path_factory.mktemp("sqlite") / "template.db"
    Database.open(path).close()
    return path


@pytest.fixture
def new_postgresql(postgresql_server: str) -> Iterator[str]:
    """The address of an empty PostgreSQL database, without any table."""
    name = f"test_{uuid4().hex}"
    _administer(postgresql_server, f"CREATE DATABASE {name}")
    yield _named(postgresql_server, name)
    _administer(postgresql_server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database without any table, on each engine in turn."""
    if request.param == "postgresql":
        return str(request.getfixturevalue("new_postgresql"))
    return str(tmp_path / "empty.db")


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """The path of an SQLite database with all tables and no rows."""
    path = tmp_path / "captious.db"
    shutil.copy(sqlite_template, path)
    return str(path)


@pytest.fixture
def postgresql_url(postgresql_database: str) -> Iterator[str]:
    """The address of a PostgreSQL database with all tables and no rows."""
    yield postgresql_database
    _without_rows(postgresql_database)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The address of a campaign database without rows, on each engine in turn."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def db(database_url: str, tmp_path: Path, clock: Clock) -> Iterator[Database]:
    """An empty campaign database, on each engine in turn."""
    from captious.campaigns.store.database import Database

    with Database.open(database_url, files=tmp_path / "files", clock=clock) as found:
        yield found


PLUGINS = Path(__file__).parent / "plugins" / "site"


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Packages of others are installed: one with a protocol and a metric, and a broken one."""
    from captious.protocols import registry

    monkeypatch.setattr(registry.PROTOCOLS, "known", dict(registry.known_protocols()))
    monkeypatch.setattr(registry.PROTOCOLS, "loaded", False)
    monkeypatch.syspath_prepend(str(PLUGINS))
    yield PLUGINS
    for name in [name for name in sys.modules if name.startswith(("captious_ranking", "captious_broken"))]:
        del sys.modules[name]
    monkeypatch.undo()  # the names are ours again
