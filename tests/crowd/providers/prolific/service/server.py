"""The HTTP side: one token, documented routes and queries only, errors in Prolific's shape."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from pydantic import TypeAdapter, ValidationError

from . import routes, routes_people
from .faults import Fault
from .world import No, World

# The routes of the second module are entered in the table by its import.
assert routes_people.ROUTED


class Asked(NamedTuple):
    """A request that came, without its headers: nothing of the token is kept."""

    method: str
    path: str
    body: Any


class Service:
    """The server on a free port of loopback; `world` is what it knows."""

    def __init__(self, token: str, **world: Any) -> None:
        self.world = World(token, **world)
        self.faults: list[Fault] = []
        self.asked: list[Asked] = []
        self.lock = threading.Lock()
        self.over = threading.Event()
        self.bare = False  # lists without count and links, as the reference shows them
        self.parrot = ""  # what the next refusal says, whatever it is about
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._http.server_address[1]}"

    @contextmanager
    def running(self) -> Iterator["Service"]:
        thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield self
        finally:
            self.over.set()
            self._http.shutdown()
            self._http.server_close()
            thread.join()

    def fail(self, kind: Any, method: str = "GET", path: str = ".*", **options: Any) -> None:
        """Have the next matching request fail."""
        self.faults.append(Fault(kind, method, path, **options))

    def count(self, method: str, path: str) -> int:
        """How many requests of this kind came."""
        return sum(one.method == method and bool(re.fullmatch(path, one.path)) for one in self.asked)

    def fault(self, method: str, path: str) -> Fault | None:
        return next((one for one in self.faults if one.meets(method, path)), None)

    def answer(self, method: str, path: str, query: dict[str, str], raw: bytes) -> routes.Answer:
        """Carry a request out: status, content, further headers."""
        for route in routes.ROUTES:
            found = re.fullmatch(route.path, path)
            if found is None or route.method != method:
                continue
            unknown = set(query) - set(route.query)
            if unknown:
                raise No(400, f"Unknown query parameters: {', '.join(sorted(unknown))}")
            body = None if route.body is None else _parsed(route.body, raw)
            if route.body is None and raw:
                raise No(400, "This request takes no body.")
            self.asked.append(Asked(method, path, body))
            return route.act(self.world, routes.Ask(found.groups(), query, body))
        raise No(404, f"Not found: {method} {path}")


def _parsed(kind: Any, raw: bytes) -> Any:
    try:
        adapter = kind if isinstance(kind, TypeAdapter) else TypeAdapter(kind)
        model = adapter.validate_json(raw)
    except ValidationError as error:
        fields: dict[str, list[str]] = {}
        for one in error.errors():
            fields.setdefault(".".join(map(str, one["loc"])) or "body", []).append(one["msg"])
        raise No(400, fields) from None
    return model.model_dump(exclude_unset=True)


def _handler(service: Service) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet
        disable_nagle_algorithm = True

        def handle_any(self) -> None:
            parts = urlsplit(self.path)
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with service.lock:
                fault = service.fault(self.command, parts.path)
                kind = fault.kind if fault else ""
                if kind in ("silent", "busy", "broken"):
                    status, content, headers = _refusal(service, fault)
                else:
                    status, content, headers = self.carried_out(parts.path, parts.query, raw)
            if kind in ("silent", "lost"):
                self.close_connection = True
                if kind == "silent":
                    service.over.wait(2.0)
                return
            if kind == "broken after":
                status, content = 500, {"detail": "Internal server error"}
            if kind == "short":
                content = {**content, "results": content["results"][:-1]}
            if service.bare and isinstance(content, dict):
                content = {name: value for name, value in content.items() if name not in ("meta", "_links")}
            self.reply(status, content, headers, cut=kind == "cut")

        def carried_out(self, path: str, query: str, raw: bytes) -> routes.Answer:
            try:
                if self.headers.get("Authorization") != f"Token {service.world.token}":
                    raise No(401, "Authentication credentials were not provided.")
                if raw and self.headers.get("Content-Type") != "application/json":
                    raise No(415, "Unsupported media type in request.")
                asked = {name: values[-1] for name, values in parse_qs(query, keep_blank_values=True).items()}
                return service.answer(self.command, path, asked, raw)
            except No as no:
                said, service.parrot = service.parrot or no.detail, ""
                return no.status, _error(No(no.status, said)), {}

        def reply(self, status: int, content: Any, headers: dict[str, str], *, cut: bool) -> None:
            body = b"" if content is None else json.dumps(content).encode()
            if cut:
                body = body[: len(body) // 2]
            self.send_response_only(status)
            self.send_header("Date", formatdate(service.world.now(), usegmt=True))
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PATCH = do_DELETE = handle_any  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing on the terminal."""

    return Handler


def _refusal(service: Service, fault: Fault | None) -> routes.Answer:
    if fault is None or fault.kind != "busy":
        return 500, {"detail": "Internal server error"}, {}
    wait = formatdate(service.world.now() + 2, usegmt=True) if fault.wait == "date" else fault.wait
    return 429, _error(No(429, "Request was throttled.")), {"Retry-After": wait}


def _error(no: No) -> dict[str, Any]:
    return {
        "error": {
            "status": no.status,
            "error_code": 140000 + no.status,
            "title": "Error",
            "detail": no.detail,
        }
    }
