"""Templates made into pages, with the texts, the session and the CSRF token that each one needs.

`locales/en.json` and the files named `en.….json` beside it hold the English texts by key. Another language is
another file: what it lacks is shown in English. What protocols ask comes in English from their own
rules; the catalogue's `phrases` translate such a sentence by the sentence itself.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from captious.protocols import known_protocols
from captious.protocols.base import Words
from captious.protocols.capabilities import Rounds
from captious.web.guard import security
from captious.web.guard.headers_and_limits import POLICY, policy

FOLDER = Path(__file__).parent / "locales"
ENGLISH = "en"
PHRASES = "phrases"
ROUND = "round"
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")


@dataclass(frozen=True)
class Texts:
    """The texts of one language; calling it gives one, with values filled in."""

    language: str
    entries: Mapping[str, str]
    phrases: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, key: str, /, **values: Any) -> str:
        """The text of a key. A key that ends in `_one` is used where `count` is 1."""
        if values.get("count") == 1 and f"{key}_one" in self.entries:
            key = f"{key}_one"
        text = self.entries[key]
        return text.format_map(values) if values else text

    def say(self, sentence: str) -> str:
        """A protocol's own sentence in this language, where the catalogue has it."""
        return self.phrases.get(sentence, sentence)


def languages(folder: Path = FOLDER) -> list[str]:
    """The languages that have a catalogue.

    >>> "en" in languages()
    True
    """
    return sorted(path.stem for path in folder.glob("*.json") if "." not in path.stem)


@lru_cache(maxsize=32)
def texts(language: str = ENGLISH, folder: Path = FOLDER) -> Texts:
    """The texts of a language over the English ones; an unknown language is English.

    >>> texts("en")("work.submit")
    'Submit'
    """
    entries, phrases = _read(ENGLISH, folder)
    known = language != ENGLISH and _LANGUAGE.fullmatch(language) is not None
    if not known or not (folder / f"{language}.json").is_file():
        return Texts(ENGLISH, entries, phrases)
    own, own_phrases = _read(language, folder)
    return Texts(language, {**entries, **own}, {**phrases, **own_phrases})


def _read(language: str, folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    entries: dict[str, str] = {}
    phrases: dict[str, str] = {}
    own = folder / f"{language}.json"
    for path in (own, *sorted(folder.glob(f"{language}.*.json"))):
        if path.is_file():
            found = json.loads(path.read_text(encoding="utf-8"))
            phrases.update(found.pop(PHRASES, {}))
            entries.update(found)
    return entries, phrases


# Threads that need the detector at the same moment would each load it, for half a second.
_one_detector = threading.Lock()


@lru_cache(maxsize=8192)
def language_of(text: str) -> str:
    """The language of what a person or model wrote, for browsers and screen readers; "" where nothing tells.

    >>> language_of("كلب يجري على الشاطئ."), language_of("Ein Hund läuft über die Wiese."), language_of("12")
    ('ar', 'de', '')
    """
    from captious.text.languages import languages_of

    with _one_detector:
        found = languages_of([text])
    return found[0].code if found else ""


def protocol_words(t: Texts, name: str) -> Words:
    """The words of a protocol; a protocol that is not installed (any more) keeps its name."""
    kind = known_protocols().get(name)
    if kind is None:
        return Words(name=name)
    said = Words(*(t.say(sentence) for sentence in kind.words))
    return said._replace(name=said.name or name, what=said.what or t.say(kind.title))


def stage_words(t: Texts, protocol: str, stage: str) -> str:
    """A stage in the protocol's words, else in the catalogue's, else by its name."""
    kind = known_protocols().get(protocol)
    own = kind.stages.get(stage, "") if kind is not None else ""
    return t.say(own) if own else t.entries.get(f"admin.stage.{stage}", stage)


def round_key(protocol: str, name: str) -> str:
    """What a page is told to say once a round has begun."""
    return f"{ROUND}.{protocol}.{name}"


def round_started(t: Texts, key: str) -> str:
    """The sentence of a `round_key`; "" where it is none."""
    start, _, rest = key.partition(".")
    protocol, _, name = rest.partition(".")
    kind = known_protocols().get(protocol) if start == ROUND else None
    rounds = Rounds.kind(kind).rounds if kind is not None else ()
    return next((t.say(one.started) for one in rounds if one.name == name), "")


HERE = Path(__file__).parent
STATIC = HERE / "static"
TEMPLATES = HERE / "templates"
THEME = "captious_theme"
THEMES = ("light", "dark")
FLASH = "captious_flash"


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates: everything is escaped, and a name that nobody gave is an error."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    made.globals["static"] = static
    made.filters["moment"] = moment
    made.filters["lang"] = language_of
    made.filters["iso"] = iso
    made.filters["number"] = number
    return made


@lru_cache(maxsize=64)
def static(name: str) -> str:
    """The address of a static file, with its content's digest, so that it may be kept for long."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"


def render(
    request: Request,
    template: str,
    *,
    status_code: int = 200,
    headers: Mapping[str, str] | None = None,
    texts_of: Texts | None = None,
    sends_to: Sequence[str] = (),
    **values: Any,
) -> HTMLResponse:
    """A page. It knows `t` (texts), `csrf`, `session`, `account`, `theme`, `path`, `flash`.

    `sends_to` are origins beside ours that its forms may be sent to.
    """
    t = texts_of or texts(security.settings_of(request).language)
    session = security.known_session(request)
    shown = around(viewed(request, t), t) | {
        "session": session,
        "account": session.account if session is not None and session.kind == "account" else None,
        **values,
    }
    page = html(template, shown)
    return finished(request, page, status_code=status_code, headers=headers, sends_to=sends_to)


class View(NamedTuple):
    """What a page takes from the request that asks for it."""

    address: str  # the path with what came after the question mark, such as a participant's id
    theme: str
    flash: str
    csrf: str
    demo: bool


def viewed(request: Request, t: Texts) -> View:
    """What the page of this request takes from it."""
    query = request.scope["query_string"].decode("latin-1")
    path: str = request.scope["path"]
    return View(
        f"{path}?{query}" if query else path,
        theme(request.cookies),
        flash_of(request, t),
        security.csrf_token(request),
        security.settings_of(request).demo,
    )


def around(view: View, t: Texts) -> dict[str, Any]:
    """What every page knows, whoever asks for it."""
    return {
        "t": t,
        "say": t.say,
        "protocol_words": partial(protocol_words, t),
        "language": t.language,
        "session": None,
        "account": None,
        "theme": view.theme,
        "path": view.address.partition("?")[0],
        "page_address": view.address,
        "flash": view.flash,
        "csrf": view.csrf,
        "demo": view.demo,
    }


def html(template: str, values: Mapping[str, Any]) -> str:
    """A template with its values."""
    return environment().get_template(template).render(values)


def finished(
    request: Request,
    page: str | bytes,
    *,
    status_code: int = 200,
    headers: Mapping[str, str] | None = None,
    sends_to: Sequence[str] = (),
) -> HTMLResponse:
    """A page on its way; what was to be shown once has been."""
    response = HTMLResponse(page, status_code=status_code, headers=dict(headers or {}))
    framed_by = security.framers(request)
    if framed_by or sends_to:
        response.headers[POLICY] = policy(framed_by=framed_by, sends_to=sends_to)
    security.keep_visitor(request, response)
    if FLASH in request.cookies:
        security.take_cookie(request, response, FLASH)
    return response


def redirect(request: Request, to: str, *, flash: str = "") -> RedirectResponse:
    """Send the browser on after a write (303), with the key of a text to show there once."""
    response = RedirectResponse(local(to), status_code=303)
    if flash:
        security.give_cookie(request, response, FLASH, flash, secure=security.is_secure(request), max_age=60)
    return response


def wants_json(request: Request) -> bool:
    """Whether the caller is a program: the address says so, or the Accept header does."""
    return bool(request.scope["path"].startswith("/api/")) or takes_json(request.headers.get("accept", ""))


def takes_json(accept: str) -> bool:
    """Whether an Accept header asks for JSON and not for a page.

    >>> takes_json("application/json"), takes_json("text/html, application/json;q=0.9")
    (True, False)
    """
    return "application/json" in accept and "text/html" not in accept


def local(address: str) -> str:
    """An address on this site, whatever was asked for: nobody is sent elsewhere.

    >>> local("/work/a?b=1"), local("//evil.example/x"), local("https://evil.example")
    ('/work/a?b=1', '/', '/')
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return "/"
    plain = address.isprintable() and "\\" not in address and address.isascii()
    if parts.scheme or parts.netloc or not address.startswith("/") or not plain:
        return "/"
    return address


def flash_of(request: Request, t: Texts) -> str:
    """The text that the page before left to be shown, "" where it left none."""
    key = request.cookies.get(FLASH, "")
    return (t.entries.get(key) or round_started(t, key)) if key else ""


def theme(cookies: Mapping[str, str]) -> str:
    """The theme that the visitor chose, "" where the system's is followed."""
    chosen = cookies.get(THEME, "")
    return chosen if chosen in THEMES else ""


def moment(seconds: float | None) -> str:
    """A time for people, in UTC.

    >>> moment(0.0)
    '1 January 1970, 00:00 UTC'
    """
    if seconds is None:
        return ""
    when = datetime.fromtimestamp(seconds, UTC)
    return f"{when.day} {when:%B %Y, %H:%M} UTC"


def iso(seconds: float) -> str:
    """A time for machines.

    >>> iso(0.0)
    '1970-01-01T00:00:00+00:00'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def number(value: float) -> str:
    """A number without needless digits.

    >>> number(5.0), number(0.1), number(12345)
    ('5', '0.1', '12,345')
    """
    return f"{value:,.10g}"
