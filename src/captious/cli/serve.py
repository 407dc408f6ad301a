"""`captious serve`: the web application, with one command."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import typer

from captious.cli import scoring as service
from captious.cli import serve_options as options
from captious.errors import InputError, MissingDependencyError

if TYPE_CHECKING:
    from captious.campaigns.store.database import Database
    from captious.web.settings import WebSettings

DEMO_SEED = 7
DEMO_OWNER = "demo"
SETUP_HOURS = 24.0
FIRST_PASSED = 3  # sd_listen_fds(3)


app = typer.Typer()
app.add_typer(service.tokens, name="token")


@app.callback(invoke_without_command=True)
def serve(
    database: options.Database = "captious.db",
    files: options.Files = None,
    host: options.Host = "127.0.0.1",
    port: options.Port = 8000,
    base_url: options.BaseUrl = "",
    workers: options.Workers = 1,
    demo: options.Demo = False,
    browse: options.Browse = False,
    log: options.Log = "plain",
    trusted_proxies: options.TrustedProxies = "",
    allowed_hosts: options.AllowedHosts = "",
    scoring: service.Scoring = "",
    scoring_folder: service.Folder = service.DEFAULT_FOLDER,
    scoring_open: service.Open = False,
    scoring_only: service.Only = False,
    context: typer.Context = None,  # type: ignore[assignment]  # Typer fills it in
) -> None:
    """Run the web application.

    It has pages for raters, pages for managers, and a JSON API.

    Example: captious serve --demo
    """
    if context is not None and context.invoked_subcommand:
        return
    _require_web()
    if demo and workers > 1:
        raise InputError("--demo runs in a single process. Leave out --workers.")
    from captious.web import settings as known

    offered = service.settled(
        scoring, scoring_folder, host, base_url, open_to_all=scoring_open, alone=scoring_only
    )
    given = _tell_workers(host, base_url, log, trusted_proxies, allowed_hosts)
    # A request to stop unwinds like the end of the command, so that the demo's folder goes too.
    signal.signal(signal.SIGTERM, _stop)
    with ExitStack() as stack:
        stack.enter_context(suppress(KeyboardInterrupt))
        listener = stack.enter_context(_listen(host, port))
        address = given or _address(host, listener.getsockname()[1])
        settings: WebSettings | None = None
        if scoring_only:
            os.environ[known.BASE_URL] = address
        elif demo:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="captious-demo-"))
            settings = _demo_settings(Path(folder), address)
        else:
            settings = _settings(database, files, address)
        first = _prepare(settings) if settings else address
        service.say(offered, address)
        if browse and settings:
            _open_soon(first)
        _run(settings, listener, workers)


def _tell_workers(host: str, base_url: str, log: str, trusted_proxies: str, allowed_hosts: str) -> str:
    """Check how it is to be reached, and put that where every server process reads it."""
    from captious.web import settings

    os.environ[settings.LOG_FORM] = log
    settings.log_form()
    settings.checked_proxies(trusted_proxies)
    os.environ[settings.TRUSTED_PROXIES] = trusted_proxies
    given = settings.checked_base_url(base_url) if base_url else ""
    settings.checked_hosts(allowed_hosts)
    os.environ[settings.ALLOWED_HOSTS] = allowed_hosts or ",".join(settings.usual_hosts(host, given))
    return given


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _require_web() -> None:
    from importlib.util import find_spec

    for package in ("fastapi", "uvicorn", "sqlalchemy", "jinja2", "argon2", "multipart", "httptools"):
        if find_spec(package) is None:
            raise MissingDependencyError(f"serve needs {package}", extra="web")


def _listen(host: str, port: int) -> socket.socket:
    if os.environ.get("LISTEN_PID") == str(os.getpid()) and os.environ.get("LISTEN_FDS") == "1":
        return socket.socket(fileno=FIRST_PASSED)  # systemd holds the socket: see docs/operating.md
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise InputError(
            f"{host}, port {port}: {error.strerror or error}. Choose another port with --port."
        ) from None
    return listener


def _address(host: str, port: int) -> str:
    """The address to show: one that a browser on this machine can open."""
    shown = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def _settings(database: str, files: Path | None, address: str) -> WebSettings:
    """Settings also for the worker processes, which read them from the environment."""
    from captious.web import settings

    os.environ[settings.DATABASE] = database
    os.environ[settings.BASE_URL] = address
    if files is not None:
        os.environ[settings.FILES] = str(files)
    return settings.from_environment()


def _demo_settings(folder: Path, address: str) -> WebSettings:
    import secrets

    from captious.web.service import settings as service_settings
    from captious.web.settings import ALLOWED_HOSTS, WebSettings, checked_hosts

    return WebSettings(
        database=str(folder / "demo.db"),
        files=folder / "files",
        secret=secrets.token_bytes(32),
        base_url=address,
        demo=True,
        allowed_hosts=checked_hosts(os.environ.get(ALLOWED_HOSTS, "")),
        scoring=service_settings.from_environment(),
    )


def _prepare(settings: WebSettings) -> str:
    """Open the database, say where everything is, and return the first address to open."""
    from captious.campaigns.people import accounts
    from captious.campaigns.store.database import Database
    from captious.campaigns.store.erasing import finish

    with Database.open(settings.database, files=settings.files) as db:
        if settings.demo:
            return _make_demo(db, settings)
        finish(db)  # what an earlier server was killed at
        _say_where(settings)
        if not accounts.accounts(db):
            return _setup_link(db, settings)
    return f"{settings.base_url}/admin"


def _say_where(settings: WebSettings) -> None:
    typer.echo(f"captious is running at {settings.base_url} (press Ctrl-C to stop)")


def _setup_link(db: Database, settings: WebSettings) -> str:
    from captious.web import entrance
    from captious.web.guard import tickets

    ticket = tickets.issue(settings.secret, entrance.SETUP, "owner", now=db.now(), hours=SETUP_HOURS)
    link = f"{settings.base_url}/setup/{ticket}"
    typer.echo(
        "There is no account yet. Create the owner's account here (the link works once, for 24 hours):\n"
        f"  {link}"
    )
    return link


def _make_demo(db: Database, settings: WebSettings) -> str:
    import secrets

    from captious.campaigns.people import accounts, links, raters
    from captious.campaigns.records import NewRater
    from captious.campaigns.simulate.demo import make_demo
    from captious.web import entrance
    from captious.web.guard import tickets

    typer.echo("Preparing the demo: one campaign per protocol, with simulated raters …")
    campaigns = make_demo(db, seed=DEMO_SEED)
    accounts.create_account(db, DEMO_OWNER, secrets.token_urlsafe(24), "owner", actor="demo")
    ticket = tickets.issue(settings.secret, entrance.DEMO, DEMO_OWNER, now=db.now(), hours=SETUP_HOURS)
    link = f"{settings.base_url}/demo/{ticket}"
    _say_where(settings)
    typer.echo(f"Sign in to run the campaigns (the link works for 24 hours):\n  {link}")
    typer.echo("Rate captions yourself (each link works once):")
    for campaign in campaigns:
        if campaign.state == "open":
            (you,) = raters.add(db, campaign, [NewRater("You")], actor="demo")
            token = links.make_link(db, you, secret=settings.secret)
            typer.echo(f"  {campaign.title}\n    {settings.base_url}/join/{token}")
    typer.echo("Demo data: simulated answers, deleted when the server stops.")
    return link


def _open_soon(address: str) -> None:
    import threading
    import webbrowser

    threading.Timer(1.0, webbrowser.open, (address,)).start()


def _run(settings: WebSettings | None, listener: socket.socket, workers: int) -> None:
    """Serve; without settings the scoring service alone."""
    from captious.web.app import create_app, for_worker
    from captious.web.server import worker
    from captious.web.server.supervisor import Supervisor

    if workers > 1:
        Supervisor(listener, workers).run()
    else:
        worker.run(create_app(settings) if settings else for_worker(), listener)
