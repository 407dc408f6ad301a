"""How requests travel to Prolific: the token, waiting and repeating, and what an answer means.

What only looks is repeated until it succeeds. What changes something is sent once: a reply that is
lost after the request went out leaves it open whether it was carried out, and whoever asked must look
before asking again (`CallUnsure`).
"""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from captious.crowd.base import CallRefused, CallUnsure, ProviderError
from captious.errors import MissingDependencyError, one_line

if TYPE_CHECKING:
    import httpx
from pathlib import Path

from captious.errors import InputError, NotSetUpError

TOKEN = "PROLIFIC_TOKEN"
TOKEN_FILE = "PROLIFIC_TOKEN_FILE"


class Token:
    """The API token; it shows itself to nobody but the request.

    >>> token = Token("secret")
    >>> token, f"{token}"
    (Token(…), 'Token(…)')
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        if not value or not value.isascii() or any(sign.isspace() for sign in value):
            raise InputError(f"{TOKEN}: not a Prolific token. A token is one word of letters and digits.")
        self._value = value

    def header(self) -> dict[str, str]:
        """What a request carries."""
        return {"Authorization": f"Token {self._value}"}

    def hidden(self, text: str) -> str:
        """A text of somebody else in which the token, should it stand there, is crossed out."""
        return text.replace(self._value, "…")

    def __repr__(self) -> str:
        return "Token(…)"

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise TypeError("a token is not stored")


def find_token(environment: Mapping[str, str] = os.environ) -> Token:
    """The token of `$PROLIFIC_TOKEN`, else of the file that `$PROLIFIC_TOKEN_FILE` names."""
    given = environment.get(TOKEN, "").strip()
    if given:
        return Token(given)
    path = environment.get(TOKEN_FILE, "")
    if not path:
        raise NotSetUpError(
            f"{TOKEN} is not set. Create a token in Prolific (Settings, API tokens) and "
            f"export {TOKEN}=…, or put it in a file and export {TOKEN_FILE}=PATH."
        )
    try:
        return Token(Path(path).read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{TOKEN_FILE}: {path} cannot be read: {error.__class__.__name__}.") from None


ADDRESS = "PROLIFIC_URL"
PRODUCTION = "https://api.prolific.com"
ROOT = "/api/v1/"

PATIENCE = 30.0  # seconds for an answer
ATTEMPTS = 5
FIRST_WAIT = 0.5  # seconds, doubled each time
LONGEST_WAIT = 60.0
PAGE = 100
TOO_MANY = 429
NOT_FOUND = 404
AGAIN = "It may have gone through: run the command again, and captious checks first."
Sleep = Callable[[float], None]
Paging = Literal["page", "page only", "offset"]


class SaidNo(CallRefused):
    """Prolific said no: nothing was changed. `status` is the number of the answer."""

    def __init__(self, line: str, status: int) -> None:
        super().__init__(line)
        self.status = status


class NotNow(CallRefused):
    """Prolific did not take a change now: nothing was changed, and asking later is safe."""


class NoAnswer(ProviderError):  # noqa: N818
    """Prolific could not be looked at: what was asked of it before may have been done or not."""


class Wire:
    """One account at one address. Thread-safe, as httpx clients are."""

    def __init__(
        self,
        token: Token,
        address: str = "",
        *,
        patience: float | None = None,
        attempts: int = ATTEMPTS,
        sleep: Sleep = time.sleep,
    ) -> None:
        try:
            import httpx
        except ImportError:
            raise MissingDependencyError("Prolific needs the package httpx", "crowd") from None
        self.address = (address or os.environ.get(ADDRESS, "") or PRODUCTION).rstrip("/")
        self._token, self._attempts, self._sleep = token, attempts, sleep
        # A redirect would carry the token elsewhere: none is followed.
        self._client: httpx.Client = httpx.Client(
            base_url=self.address + ROOT,
            headers={**token.header(), "User-Agent": "captious"},
            timeout=PATIENCE if patience is None else patience,
            verify=_trusted(),
            follow_redirects=False,
        )

    def __repr__(self) -> str:
        return f"Wire({self.address})"

    def close(self) -> None:
        """Let the connections go."""
        self._client.close()

    def get(self, path: str, **params: str | int) -> Any:
        """Look something up; repeated with growing waits while Prolific is busy or silent."""
        problem = ""
        for attempt in range(self._attempts):
            answer, problem, wait = self._look(path, params)
            if answer is not None:
                return self._content(answer, f"GET {path}")
            if wait > LONGEST_WAIT:
                problem += f"; it asks to wait {wait:.0f} s"
                break
            if attempt + 1 < self._attempts:
                self._sleep(wait or FIRST_WAIT * 2**attempt)
        raise NoAnswer(f"Prolific is not answering ({problem}). Try again later.")

    def _look(self, path: str, params: Mapping[str, str | int]) -> tuple[httpx.Response | None, str, float]:
        """An answer to trust, else what was wrong and how long Prolific asks to wait."""
        import httpx

        try:
            answer = self._client.get(path, params=dict(params))
        except httpx.HTTPError as error:
            return None, f"GET {path}: {type(error).__name__}", 0.0
        if answer.status_code == TOO_MANY or answer.status_code >= 500:
            return None, f"GET {path}: HTTP {answer.status_code}", _asked_wait(answer)
        if answer.is_success and not _is_json(answer):
            return None, f"GET {path}: incomplete answer", 0.0
        return answer, "", 0.0

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Change something, once. `CallUnsure` where it may have been carried out all the same."""
        return self.send_with_headers(method, path, body)[0]

    def send_with_headers(
        self, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> tuple[Any, Mapping[str, str]]:
        """As `send`, and the headers of the answer."""
        import httpx

        what = f"{method} {path}"
        try:
            answer = self._client.request(method, path, json=body)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            line = f"Prolific cannot be reached ({what}: {type(error).__name__}). Nothing was changed."
            raise NotNow(line) from None
        except httpx.HTTPError as error:
            raise CallUnsure(f"Prolific did not answer ({what}: {type(error).__name__}). {AGAIN}") from None
        if answer.status_code == TOO_MANY:
            raise NotNow(f"Prolific is busy ({what}: HTTP 429). Nothing was changed; try again later.")
        if answer.status_code >= 500:
            raise CallUnsure(f"Prolific failed ({what}: HTTP {answer.status_code}). {AGAIN}")
        if answer.is_success and answer.content and not _is_json(answer):
            raise CallUnsure(f"Prolific sent an incomplete answer ({what}). {AGAIN}")
        return self._content(answer, what), answer.headers

    def _content(self, answer: httpx.Response, what: str) -> Any:
        if answer.is_success:
            return answer.json() if answer.content else None
        said = self._token.hidden(_said(answer))
        hint = " Check the token." if answer.status_code in (401, 403) else ""
        raise SaidNo(f"Prolific refused {what} (HTTP {answer.status_code}): {said}{hint}", answer.status_code)

    def pages(
        self, path: str, paging: Paging = "page", least: int = 0, **params: str | int
    ) -> list[dict[str, Any]]:
        """A whole list, page by page, each entry once; `least` is how many it must hold.

        While pages are read, entries may be added, and an answer may be cut short. Where fewer came than
        the list or the caller says there are, it is read again; a list with holes is never returned.
        """
        short = ""
        for attempt in range(self._attempts):
            found, wanted = self._all_pages(path, paging, params)
            if len(found) >= max(wanted, least):
                return list(found.values())
            short = f"{path}: {len(found)} of {max(wanted, least)} entries"
            if attempt + 1 < self._attempts:
                self._sleep(FIRST_WAIT * 2**attempt)
        raise NoAnswer(f"Prolific sent an incomplete list ({short}). Nothing was changed; try again later.")

    def _all_pages(
        self, path: str, paging: Paging, params: Mapping[str, str | int]
    ) -> tuple[dict[str, dict[str, Any]], int]:
        found: dict[str, dict[str, Any]] = {}
        wanted = number = 0
        more = True
        while more:
            page = self._page(path, number, {**params, **_PAGING[paging](number)})
            before = len(found)
            found |= {str(entry["id"]): entry for entry in page["results"]}
            wanted = max(wanted, int((page.get("meta") or {}).get("count") or 0))
            number += 1
            more = len(found) > before and _has_next(page, sized=paging != "page only")
        return found, wanted

    def _page(self, path: str, number: int, params: Mapping[str, str | int]) -> Mapping[str, Any]:
        try:
            found: Mapping[str, Any] = self.get(path, **params)
        except SaidNo as no:
            if number and no.status == NOT_FOUND:  # beyond the last page
                return {"results": []}
            raise
        return found


# Lists are paged by number, by number without a size of our choice, or by offset.
_PAGING: dict[Paging, Callable[[int], dict[str, str | int]]] = {
    "page": lambda number: {"page": number + 1, "page_size": PAGE},
    "page only": lambda number: {"page": number + 1},
    "offset": lambda number: {"limit": PAGE, "offset": PAGE * number},
}


def _has_next(page: Mapping[str, Any], *, sized: bool) -> bool:
    """Whether a further page must be asked for; some lists say so, others only fill their pages."""
    links = page.get("_links")
    if links:
        return bool((links.get("next") or {}).get("href"))
    return len(page["results"]) >= PAGE if sized else bool(page["results"])


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates to trust, read once: that takes longer than a request."""
    import httpx

    return httpx.create_ssl_context()


def _is_json(answer: httpx.Response) -> bool:
    try:
        answer.json()
    except ValueError:
        return False
    return True


def _asked_wait(answer: httpx.Response) -> float:
    """Seconds of `Retry-After`; a date counts from the answer's own clock, which ours may not share."""
    asked = answer.headers.get("Retry-After", "")
    if asked.isdigit():
        return float(asked)
    try:
        until, now = (parsedate_to_datetime(answer.headers[name]) for name in ("Retry-After", "Date"))
    except (KeyError, ValueError, TypeError):
        return 0.0
    return max(0.0, (until - now).total_seconds())


def _said(answer: httpx.Response) -> str:
    """The detail of an error in one line: a text, a list, or problems by field."""
    try:
        body = answer.json()
    except ValueError:
        return "no reason given."
    error = body.get("error", body) if isinstance(body, dict) else {}
    detail = (
        error.get("detail") or error.get("title") or "no reason given" if isinstance(error, dict) else error
    )
    if isinstance(detail, dict):
        detail = "; ".join(f"{field}: {_joined(problems)}" for field, problems in detail.items())
    text = one_line(_joined(detail or "no reason given"), 300).rstrip()
    return text if text.endswith(".") else f"{text}."


def _joined(problems: object) -> str:
    return " ".join(str(one) for one in problems) if isinstance(problems, list) else str(problems)
