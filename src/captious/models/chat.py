"""Chat models behind an OpenAI-compatible endpoint: one request, patience, and a store of answers."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import random
import sqlite3
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import IO, Any, Generic, NamedTuple, TypeVar
from urllib.parse import SplitResult, urlsplit

from captious.errors import InputError, one_line
from captious.files import cache_folder

# Answers of chat models kept on disk, by what was asked, so that a run repeats at no cost.
# One SQLite file holds one row per answer: the digest of the request, the model that answered, its text
# and the tokens that it took. Threads and processes may read and write at once.


_ROWS_A_QUERY = 500
_PATIENCE = 30.0  # seconds to wait for another process's write
_TABLE = """CREATE TABLE IF NOT EXISTS answers (
    request TEXT PRIMARY KEY, model TEXT NOT NULL, text TEXT NOT NULL,
    tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL)"""


class Stored(NamedTuple):
    """An answer as it is kept."""

    model: str
    text: str
    tokens_in: int
    tokens_out: int


def request_key(request: dict[str, Any]) -> str:
    """The name of a request by its content.

    >>> request_key({"model": "m", "n": 1}) == request_key({"n": 1, "model": "m"})
    True
    """
    text = json.dumps(request, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


class Answers:
    """The store in one file; the default is in captious' cache."""

    def __init__(self, path: str = "") -> None:
        self.path = Path(path).expanduser() if path else cache_folder() / "judge" / "answers.db"

    def read(self, keys: Iterable[str]) -> dict[str, Stored]:
        """The stored answers among `keys`."""
        wanted = list(dict.fromkeys(keys))
        if not self.path.is_file():
            return {}
        found: dict[str, Stored] = {}
        with self._open() as store:
            for start in range(0, len(wanted), _ROWS_A_QUERY):
                part = wanted[start : start + _ROWS_A_QUERY]
                query = (
                    "SELECT request, model, text, tokens_in, tokens_out FROM answers "
                    f"WHERE request IN ({','.join('?' * len(part))})"
                )
                found |= {row[0]: Stored(*row[1:]) for row in store.execute(query, part)}
        return found

    def write(self, key: str, answer: Stored) -> None:
        """Keep one answer."""
        with self._open() as store:
            store.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", (key, *answer))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as store, store:
                store.execute(_TABLE)
                yield store
        except (sqlite3.Error, OSError) as error:
            raise InputError(
                f"{self.path}: cannot be used to store answers ({error}). Name another file with store=…"
            ) from None


# An OpenAI-compatible endpoint: its address, its key, and one request to it.
# The key comes from the environment alone. It is sent in one header and appears nowhere else: not in
# an error, not in a stored answer, not in a signature. `OPENAI_API_KEY` is sent to OpenAI only, so
# that an address typed wrong never receives it; other endpoints get `CAPTIOUS_JUDGE_KEY`.


Read = TypeVar("Read")
_LONGEST_WAIT = 60.0  # seconds, whatever the endpoint asks for


class Patience(NamedTuple):
    """How often to try again, the first wait, and how long to wait for an answer, in seconds."""

    retries: int = 5
    wait: float = 1.0
    timeout: float = 60.0


class Completion(NamedTuple, Generic[Read]):
    """An answer: its text, what was read from it, the model that gave it, tokens in and out."""

    text: str
    value: Read
    model: str
    tokens_in: int
    tokens_out: int


class UnreadableError(ValueError):
    """An answer that has not the form that was asked for; says what is wrong."""


def ask(
    endpoint: Endpoint, body: dict[str, Any], read: Callable[[str], Read], patience: Patience
) -> Completion[Read]:
    """Send `body`; what `read` makes of the answer's text.

    A busy or broken endpoint is asked again after `wait`, twice that, and so on, with some chance
    in it so that many askers do not come back at once, or when it says. An answer that `read`
    refuses goes back to the model with the reason.
    """
    messages = list(body["messages"])
    for attempt in range(patience.retries + 1):
        try:
            reply = endpoint.post(body | {"messages": messages}, patience.timeout)
            text = _text(endpoint, reply)
        except TransientError as error:
            if attempt == patience.retries:
                raise TransientError(f"{str(error).rstrip('.')}, {attempt + 1} times in a row.") from None
            pause = patience.wait * 2**attempt * random.uniform(0.75, 1.25)
            time.sleep(min(_LONGEST_WAIT, pause if error.after is None else error.after))
            continue
        try:
            value = read(text)
        except UnreadableError as error:
            if attempt == patience.retries:
                raise EndpointError(f"{body['model']} did not give a valid answer: {error}") from None
            complaint = f"That answer is not valid: {error} Answer again, in the form that was asked for."
            messages = [
                *body["messages"],
                {"role": "assistant", "content": text},
                {"role": "user", "content": complaint},
            ]
            continue
        usage = reply.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        return Completion(
            text,
            value,
            str(reply.get("model") or body["model"]),
            _count(usage.get("prompt_tokens")),
            _count(usage.get("completion_tokens")),
        )
    raise AssertionError("the last attempt returns or raises")


def _text(endpoint: Endpoint, reply: dict[str, Any]) -> str:
    try:
        message = reply["choices"][0]["message"]
        text = message["content"]
    except (KeyError, IndexError, TypeError):
        raise TransientError(f"{endpoint.host} answered without a message.") from None
    if isinstance(message.get("refusal"), str) and not text:
        return ""  # a model that declines gives an empty answer, which no form allows
    if not isinstance(text, str):
        raise TransientError(f"{endpoint.host} answered without text.")
    return text


def _count(found: object) -> int:
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else 0


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
