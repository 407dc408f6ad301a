"""What the web application must be told: where the data are, the secret, how it is reached."""

from __future__ import annotations

import ipaddress
import os
import re
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from captious.errors import InputError, one_line
from captious.web.service import settings as service_settings
from captious.web.service.settings import ServiceSettings

DATABASE = "CAPTIOUS_DATABASE"
FILES = "CAPTIOUS_FILES"
SECRET = "CAPTIOUS_SECRET"
BASE_URL = "CAPTIOUS_BASE_URL"
LOG_FORM = "CAPTIOUS_LOG"
TRUSTED_PROXIES = "CAPTIOUS_TRUSTED_PROXIES"
ALLOWED_HOSTS = "CAPTIOUS_ALLOWED_HOSTS"
METRICS_TOKEN = "CAPTIOUS_METRICS_TOKEN"
DEFAULT_DATABASE = "captious.db"
SECRET_BYTES = 32
SHORTEST_SECRET = 16

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_HOST = re.compile(r"(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[?[0-9a-f:.]+\]?")

KIBIBYTE = 1024
MEBIBYTE = 1024 * KIBIBYTE


@dataclass(frozen=True, kw_only=True)
class Reach:
    """How an application is reached. `base_url` is where people do; links and cookies follow it.

    `trusted_proxies` are addresses and networks whose X-Forwarded-For and X-Forwarded-Proto are
    believed; nobody else's are. A request must name one of `allowed_hosts`; without any, all do.
    /metrics wants `metrics_token`; without one it answers this machine only.
    """

    base_url: str = ""
    secure_cookies: bool = False
    trusted_proxies: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    metrics_token: str = ""


@dataclass(frozen=True)
class WebSettings(Reach):
    """The settings of the whole application.

    Forms may hold `form_bytes`, a rater's recording `recording_bytes`; only signed-in accounts may
    send more, up to `upload_bytes`, and only where files are uploaded.
    """

    database: str
    secret: bytes
    files: Path | None = None
    account_hours: float = 12.0
    form_bytes: int = 256 * KIBIBYTE
    upload_bytes: int = 512 * MEBIBYTE
    recording_bytes: int = 16 * MEBIBYTE
    language: str = "en"
    demo: bool = False
    scoring: ServiceSettings | None = None

    def __post_init__(self) -> None:
        if len(self.secret) < SHORTEST_SECRET:
            raise InputError(
                f"{SECRET}: has {len(self.secret)} bytes, too few to sign links with. "
                f"Give at least {SHORTEST_SECRET} random bytes."
            )


def from_environment() -> WebSettings:
    """The settings that the environment gives, as workers and containers start with."""
    database = os.environ.get(DATABASE, "") or DEFAULT_DATABASE
    files = os.environ.get(FILES, "")
    return WebSettings(
        database=database,
        secret=find_secret(database),
        files=Path(files) if files else None,
        scoring=service_settings.from_environment(),
        **asdict(reach_from_environment()),
    )


def reach_from_environment() -> Reach:
    """How the environment says that the application is reached."""
    given = os.environ.get(BASE_URL, "")
    base_url = checked_base_url(given) if given else ""
    return Reach(
        base_url=base_url,
        secure_cookies=base_url.startswith("https://"),
        trusted_proxies=checked_proxies(os.environ.get(TRUSTED_PROXIES, "")),
        allowed_hosts=checked_hosts(os.environ.get(ALLOWED_HOSTS, "")),
        metrics_token=os.environ.get(METRICS_TOKEN, ""),
    )


def log_form() -> Literal["plain", "json"]:
    """How log lines are written: for people, or as JSON."""
    found = os.environ.get(LOG_FORM, "") or "plain"
    if found not in ("plain", "json"):
        raise InputError(f'{LOG_FORM}: "{one_line(found)}" is not a log format. Give plain or json.')
    return "json" if found == "json" else "plain"


def checked_base_url(address: str) -> str:
    """An address that links can begin with, without the slash at its end.

    >>> checked_base_url("https://rate.example.org/")
    'https://rate.example.org'
    """
    if not _leads_somewhere(address):
        raise InputError(
            f'base URL "{address}" is not the address of a site. Give http://HOST or https://HOST.'
        )
    return address.rstrip("/")


def checked_proxies(given: str) -> tuple[str, ...]:
    """Addresses and networks, one after the other with commas.

    An IPv4 address is also meant where a socket for both families shows it as an IPv6 address.

    >>> checked_proxies("::1, 2001:db8::/32"), len(checked_proxies("10.0.0.0/8"))
    (('::1/128', '2001:db8::/32'), 2)
    """
    found = []
    for part in _listed(given):
        try:
            network = ipaddress.ip_network(part)
        except ValueError as error:
            raise InputError(
                f"trusted proxies: {error}. Give IP addresses or networks, for example 10.0.0.0/8."
            ) from None
        found.append(str(network))
        if network.version == 4:
            found.append(f"::ffff:{network.network_address}/{96 + network.prefixlen}")
    return tuple(found)


def checked_hosts(given: str) -> tuple[str, ...]:
    """Names of this site, one after the other with commas; `*.example.org` are all names below one.

    >>> checked_hosts("Rate.example.org, *.example.net")
    ('rate.example.org', '*.example.net')
    """
    found = tuple(part.lower() for part in _listed(given))
    for name in found:
        if not _HOST.fullmatch(name):
            shown = one_line(name, 60)
            raise InputError(
                f'allowed hosts: "{shown}" is not a host name. Give names like rate.example.org.'
            )
    return found


def usual_hosts(host: str, base_url: str) -> tuple[str, ...]:
    """The names that are meant where none are given; none, which is all, where any may be right.

    >>> usual_hosts("127.0.0.1", "https://rate.example.org/a")
    ('localhost', '127.0.0.1', '::1', 'rate.example.org')
    >>> usual_hosts("0.0.0.0", "")
    ()
    """
    everywhere = host in ("0.0.0.0", "::", "")
    if everywhere and not base_url:
        return ()
    named = urlsplit(base_url).hostname if base_url else None
    return tuple(
        dict.fromkeys([*LOOPBACK, *([] if everywhere else [host.lower()]), *([named] if named else [])])
    )


def _listed(given: str) -> list[str]:
    return [part.strip() for part in given.split(",") if part.strip()]


def _leads_somewhere(address: str) -> bool:
    if any(sign.isspace() or not sign.isprintable() or sign in "?#" for sign in address):
        return False
    try:
        parts = urlsplit(address)
        # Asking for a port that is no number raises ValueError.
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def find_secret(database: str) -> bytes:
    """The secret of `$CAPTIOUS_SECRET`, else of a file beside the database, made once.

    A PostgreSQL database has no folder: there the secret must come from the environment.
    """
    given = os.environ.get(SECRET, "")
    if given:
        return given.encode()
    if "://" in database and not database.startswith("sqlite"):
        raise InputError(
            f"{SECRET} is not set, but links are signed with it. Set it: "
            f"export {SECRET}=\"$(python3 -c 'import secrets; print(secrets.token_hex(32))')\""
        )
    return _kept_secret(secret_file(database))


def secret_file(database: str) -> Path:
    """The file that holds the secret of a SQLite database.

    >>> secret_file("study.db").name
    'study.db.secret'
    """
    path = Path(database.removeprefix("sqlite:///"))
    return path.with_name(f"{path.name}.secret")


def _kept_secret(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileNotFoundError:
        raise InputError(f"{path.parent}: there is no such folder for the database. Create it.") from None
    except FileExistsError:
        kept = path.read_bytes().strip()
        if len(kept) < SHORTEST_SECRET:
            raise InputError(
                f"{path}: the secret is incomplete. Delete the file to get a new one; "
                "rater links that you have sent then stop working."
            ) from None
        return kept
    secret = secrets.token_hex(SECRET_BYTES).encode()
    with os.fdopen(descriptor, "wb") as out:
        out.write(secret + b"\n")
        out.flush()
        os.fsync(out.fileno())
    return secret
