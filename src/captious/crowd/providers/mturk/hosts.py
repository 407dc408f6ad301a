"""Where Mechanical Turk is: the API, the site where workers work, and where their work is handed in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from captious.errors import InputError

REGION = "us-east-1"
# botocore's own name for another endpoint of this service.
ENDPOINT = "AWS_ENDPOINT_URL_MTURK"
SUBMIT = "/mturk/externalSubmit"


@dataclass(frozen=True)
class Site:
    """One Mechanical Turk: `api` for requesters, `workers` the origins that frame our pages.

    `workers` are also the only places that a finished assignment is handed in at.
    """

    name: str
    api: str
    workers: tuple[str, ...]

    def submit_address(self, given: str) -> str | None:
        """The address that a form is posted to, None where `turkSubmitTo` names a stranger.

        >>> SANDBOX.submit_address("https://workersandbox.mturk.com")
        'https://workersandbox.mturk.com/mturk/externalSubmit'
        >>> SANDBOX.submit_address("https://workersandbox.mturk.com.evil.example") is None
        True
        """
        found = origin(given)
        return found + SUBMIT if found in self.workers else None

    def preview_address(self, group: str) -> str:
        """Where a worker finds the HITs of a group.

        >>> SANDBOX.preview_address("3ABC")
        'https://workersandbox.mturk.com/mturk/preview?groupId=3ABC'
        """
        return f"{self.workers[0]}/mturk/preview?groupId={group}"


SANDBOX = Site(
    "sandbox", f"https://mturk-requester-sandbox.{REGION}.amazonaws.com", ("https://workersandbox.mturk.com",)
)
PRODUCTION = Site(
    "production",
    f"https://mturk-requester.{REGION}.amazonaws.com",
    ("https://worker.mturk.com", "https://www.mturk.com"),
)


def find_site(*, production: bool = False) -> Site:
    """The sandbox unless production is asked for; `$AWS_ENDPOINT_URL_MTURK` is a server of one's own.

    A server of one's own serves workers as well, and is never production.
    """
    own = os.environ.get(ENDPOINT, "")
    if not own:
        return PRODUCTION if production else SANDBOX
    if production:
        raise InputError(
            f"{ENDPOINT} is set, but production=true asks for the real service. Unset it to spend real money."
        )
    found = origin(own)
    if not found:
        raise InputError(f'{ENDPOINT}: "{own}" is not an address. Write http://HOST:PORT.')
    return Site("local", found, (found,))


def origin(address: str) -> str:
    """Scheme, host and port of an address, "" where it is none or carries a name and password.

    >>> origin("https://worker.mturk.com:443/x?y"), origin("https://a@worker.mturk.com"), origin("//b")
    ('https://worker.mturk.com', '', '')
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        return ""
    usual = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{parts.hostname}" + (f":{port}" if port and port != usual else "")
