"""An OpenAI-compatible endpoint: its address, its key, and one request to it.

The key comes from the environment alone. It is sent in one header and appears nowhere else: not in
an error, not in a stored answer, not in a signature. `OPENAI_API_KEY` is sent to OpenAI only, so
that an address typed wrong never receives it; other endpoints get `CAPTIOUS_JUDGE_KEY`.
"""

from __future__ import annotations

import http.client
import json
import os
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from email.message import Message
from typing import IO, Any
from urllib.parse import SplitResult, urlsplit

from captious.errors import InputError, one_line

OPENAI = "https://api.openai.com/v1"
ADDRESS_VARIABLE = "CAPTIOUS_JUDGE_ENDPOINT"
KEY_VARIABLE = "CAPTIOUS_JUDGE_KEY"
OPENAI_KEY_VARIABLE = "OPENAI_API_KEY"
_LOCAL = ("127.0.0.1", "localhost", "::1")
_LARGEST_ANSWER = 8 * 2**20
_HIDDEN = "[key]"
_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class EndpointError(InputError):
    """The endpoint refused or broke; trying again will not help."""


class TransientError(EndpointError):
    """The endpoint is busy or broke on the way; `after` is how long it asks to wait, in seconds."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


@dataclass(frozen=True)
class Endpoint:
    """Where requests go.

    >>> Endpoint.at("http://127.0.0.1:8000/v1/").host
    '127.0.0.1:8000'
    """

    address: str
    host: str
    key: str = field(default="", repr=False)

    @classmethod
    def at(cls, address: str = "") -> Endpoint:
        """The endpoint at `address`, else at `$CAPTIOUS_JUDGE_ENDPOINT`, else OpenAI's."""
        address, parts = _address(address)
        shown = one_line(address, 120)
        openai = address == OPENAI
        key = os.environ.get(OPENAI_KEY_VARIABLE if openai else KEY_VARIABLE, "").strip()
        if not key.isascii() or not key.isprintable():
            name = OPENAI_KEY_VARIABLE if openai else KEY_VARIABLE
            raise InputError(f"${name} contains characters that are not allowed in a key. Set it again.")
        if key and parts.scheme == "http" and parts.hostname not in _LOCAL:
            raise InputError(f"{shown}: a key is never sent without encryption. Use https://.")
        if openai and not key:
            raise InputError(
                f"{parts.netloc} needs a key. Set ${OPENAI_KEY_VARIABLE}, or name another endpoint "
                f"with endpoint=… or ${ADDRESS_VARIABLE}."
            )
        return cls(address, parts.netloc, key)

    @staticmethod
    def named(address: str = "") -> str:
        """The host of an endpoint, for signatures and stored answers; no key is needed."""
        return _address(address)[1].netloc

    def post(self, body: dict[str, Any], timeout: float) -> dict[str, Any]:
        """Send one chat completion; the answer as JSON.

        `TransientError` where it may work later, `EndpointError` where it will not.
        """
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(
            f"{self.address}/chat/completions", json.dumps(body).encode(), headers, method="POST"
        )
        try:
            with _OPENER.open(request, timeout=timeout) as reply:
                content = reply.read(_LARGEST_ANSWER)
        except urllib.error.HTTPError as error:
            raise self._refusal(error) from None
        except TimeoutError:
            raise TransientError(f"{self.host} did not answer within {timeout:g} s.") from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise TransientError(f"{self.host} did not answer within {timeout:g} s.") from None
            raise TransientError(f"{self.host} cannot be reached ({self._safe(reason)}).") from None
        try:
            answer = json.loads(self._without_key(content.decode("utf-8", "replace")))
        except ValueError:
            raise TransientError(f"{self.host} answered with something that is not JSON.") from None
        if not isinstance(answer, dict):
            raise TransientError(f"{self.host} answered with JSON that is not an object.")
        return answer

    def _refusal(self, error: urllib.error.HTTPError) -> EndpointError:
        status = error.code
        if status in (401, 403):
            # What it says here may quote the key.
            name = OPENAI_KEY_VARIABLE if self.address == OPENAI else KEY_VARIABLE
            return EndpointError(f"{self.host} rejects the key (HTTP {status}). Check ${name}.")
        if 300 <= status < 400:
            return EndpointError(f"{self.host} redirects elsewhere (HTTP {status}). Give its final address.")
        said = self._said(error)
        if status in _TRANSIENT:
            return TransientError(f"{self.host} answered HTTP {status}{said}.", _after(error.headers))
        return EndpointError(f"{self.host} rejects the request (HTTP {status}{said}).")

    def _said(self, error: urllib.error.HTTPError) -> str:
        try:
            told = json.loads(error.read(65536))["error"]["message"]
        except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
            return ""
        return f": {self._safe(told)}".rstrip(".")

    def _safe(self, text: object) -> str:
        return one_line(self._without_key(str(text)), 120)

    def _without_key(self, text: str) -> str:
        return text.replace(self.key, _HIDDEN) if self.key else text


def _address(address: str) -> tuple[str, SplitResult]:
    address = (address or os.environ.get(ADDRESS_VARIABLE) or OPENAI).rstrip("/")
    parts = urlsplit(address)
    if parts.username or parts.password or parts.query or parts.fragment:
        # Not shown: what stands there may be a secret.
        raise InputError(
            "the endpoint's address contains a user name, a password or a query. Give the plain "
            f"address, and the key in ${KEY_VARIABLE}."
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            f'"{one_line(address, 120)}" is not the address of an endpoint. Write https://host/v1.'
        )
    return address, parts


class _StayHere(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the key would go along."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        return None


_OPENER = urllib.request.build_opener(_StayHere)


def _after(headers: Message) -> float | None:
    """Seconds that a `Retry-After` header asks for; dates are left to our own patience."""
    try:
        return max(0.0, float(headers.get("Retry-After", "")))
    except ValueError:
        return None
