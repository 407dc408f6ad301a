"""Where Mechanical Turk is, and one call of its API: signed, repeated where that is safe.

A call that reads is repeated when it fails on the way. A call that changes something is repeated only
where Mechanical Turk said that it did nothing: it may have been carried out although no answer came.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from captious.crowd.base import CallRefused, CallUnsure
from captious.errors import InputError, MissingDependencyError, NotSetUpError, one_line

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


TIMEOUT = 20.0
ATTEMPTS = 5
FIRST_WAIT = 0.5
LONGEST_MESSAGE = 300
BUSY = frozenset({"ThrottlingException", "Throttling", "TooManyRequestsException", "RequestLimitExceeded"})
NO_CREDENTIALS = (
    "no AWS credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
    "or write them to ~/.aws/credentials."
)
SKEWED = frozenset({"RequestTimeTooSkewed", "RequestExpired"})
DENIED = frozenset(
    {
        "AccessDeniedException",
        "ExpiredTokenException",
        "IncompleteSignature",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "UnrecognizedClientException",
    }
)


class TurkRefused(CallRefused):
    """Mechanical Turk said no, and did nothing; `code` is its own word for the reason."""

    def __init__(self, operation: str, code: str, message: str) -> None:
        self.operation, self.code, self.message = operation, code.rpartition(".")[2], message
        super().__init__(f"Mechanical Turk refused {operation}: {message} ({self.code})")

    @property
    def is_repetition(self) -> bool:
        """Whether the token of the request was used before: what it asks for has been done.

        The reference names the code for HITs only (HitAlreadyExists); for bonuses and extensions it
        speaks of "an error with a message containing the request ID".
        """
        code = self.code.lower()
        return "duplicate" in code or "alreadyexists" in code


class TurkUnsure(CallUnsure):
    """No answer came, or an internal error: whether the call was carried out must be looked up."""

    def __init__(self, operation: str, why: str) -> None:
        self.operation = operation
        super().__init__(f"Mechanical Turk did not answer {operation} ({why}). Run the command again.")


class Calls:
    """A connection to one Mechanical Turk, with the credentials that boto3 finds."""

    def __init__(
        self,
        site: Site,
        *,
        timeout: float = TIMEOUT,
        attempts: int = ATTEMPTS,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.site, self._attempts, self._wait = site, attempts, wait
        self._client, self._secrets = _connect(site, timeout)

    def __repr__(self) -> str:
        return f"Calls({self.site.name})"

    def read(self, operation: str, **values: Any) -> dict[str, Any]:
        """A call that changes nothing; repeated after every kind of failure on the way."""
        for attempt in range(self._attempts - 1):
            try:
                return self.change(operation, **values)
            except TurkUnsure:
                self._wait(FIRST_WAIT * 2**attempt)
        return self.change(operation, **values)

    def change(self, operation: str, **values: Any) -> dict[str, Any]:
        """A call that may change something; repeated only while Mechanical Turk is too busy for it."""
        for attempt in range(self._attempts):
            found = self._once(operation, values)
            if found is not None:
                return found
            self._wait(FIRST_WAIT * 2**attempt)
        raise TurkRefused(operation, "ThrottlingException", "too many requests. Try again in a few minutes.")

    def pages(self, operation: str, key: str, **values: Any) -> Iterator[dict[str, Any]]:
        """Every row of a list, page after page; a page may be short or empty and not be the last."""
        token, seen = "", set[str]()
        while True:
            found = self.read(operation, MaxResults=100, **values, **({"NextToken": token} if token else {}))
            yield from found.get(key, [])
            token = found.get("NextToken", "")
            if not token or token in seen:
                return
            seen.add(token)

    def _once(self, operation: str, values: dict[str, Any]) -> dict[str, Any] | None:
        """The answer; None where the service was too busy to begin."""
        from botocore import exceptions, xform_name

        method = getattr(self._client, xform_name(operation))
        try:
            found: dict[str, Any] = method(**values)
        except exceptions.ClientError as error:
            self._explain(operation, error.response)
            return None
        except exceptions.ParamValidationError as error:
            raise InputError(
                f"Mechanical Turk {operation}: {one_line(self.clean(str(error)), 400)}"
            ) from None
        except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError):
            raise NotSetUpError(NO_CREDENTIALS) from None
        except (exceptions.EndpointConnectionError, exceptions.ConnectTimeoutError):
            raise TurkUnsure(operation, f"{self.site.api} cannot be reached") from None
        except exceptions.BotoCoreError as error:
            raise TurkUnsure(operation, one_line(self.clean(str(error)), 160)) from None
        return found

    def _explain(self, operation: str, response: dict[str, Any]) -> None:
        """Return where a repetition may help; raise what the answer means otherwise."""
        said = response.get("Error", {})
        status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        code = str(said.get("Code", ""))
        message = one_line(self.clean(str(said.get("Message", ""))), LONGEST_MESSAGE)
        if code in BUSY or status == 429:
            return
        if code in SKEWED or "Signature expired" in message or "Signature not yet current" in message:
            raise NotSetUpError("Mechanical Turk rejected this computer's time. Correct its clock.")
        if code in DENIED:
            raise NotSetUpError(
                f"Mechanical Turk did not accept the AWS credentials ({code}). "
                "Use those of the AWS account that is linked to the requester."
            )
        if status >= 500 or code == "ServiceFault":
            raise TurkUnsure(operation, f"internal error, {code or status}")
        raise TurkRefused(operation, str(response.get("TurkErrorCode", "") or code), message)

    def require_credentials(self) -> None:
        """Refuse to go on where boto3 finds no credentials; no network."""
        if not self._secrets():
            raise NotSetUpError(NO_CREDENTIALS)

    def clean(self, text: str) -> str:
        """The text without what must never be shown."""
        for secret in self._secrets():
            text = text.replace(secret, "***")
        return text


def _connect(site: Site, timeout: float) -> tuple[Any, Callable[[], list[str]]]:
    try:
        import boto3
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError
    except ImportError:
        raise MissingDependencyError("Mechanical Turk needs boto3", extra="crowd") from None
    # At the level DEBUG botocore writes out what it signs.
    for name in ("boto3", "botocore"):
        logging.getLogger(name).setLevel(logging.WARNING)
    config = Config(connect_timeout=timeout, read_timeout=timeout, retries={"total_max_attempts": 1})
    try:
        session = boto3.Session()
        client = session.client("mturk", region_name=REGION, endpoint_url=site.api, config=config)
    except BotoCoreError as error:
        raise NotSetUpError(f"AWS settings: {one_line(str(error), 200)}") from None

    def secrets() -> list[str]:
        found = session.get_credentials()
        if found is None:
            return []
        frozen = found.get_frozen_credentials()
        return [one for one in (frozen.access_key, frozen.secret_key, frozen.token) if one]

    return client, secrets
