"""Mechanical Turk on this machine: real HTTP, and strict.

Every request must be signed (Signature Version 4, checked), name a known operation, and fit
botocore's own service model of the API: types, required and unknown members, lengths, patterns and
choices. Replies are made by the model as well. Faults come on demand.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

import botocore.session
import turk_operations
import turk_pages
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.model import Shape
from botocore.validate import ParamValidator
from turk_market import Market, TurkError

ACCESS_KEY, SECRET_KEY = "AKIACAPTIOUSTESTKEY1", "secret/of+the+requester/0123456789abcdef"
MODEL = botocore.session.get_session().get_service_model("mturk")
TARGET = MODEL.metadata["targetPrefix"]
SKEW = 300.0

# nothing is done; done and no answer; too busy, in both ways; an internal error before and after the
# work; the request reaches the service twice.
Kind = Literal["timeout", "lost", "throttle", "429", "500", "500 after", "twice"]


@dataclass
class Fault:
    kind: Kind
    operation: str = ""
    times: int = 1
    skip: int = 0


class AwsError(Exception):
    """An answer that is no RequestError of the service: what AWS itself refuses."""

    def __init__(self, status: int, code: str, message: str) -> None:
        self.status, self.code, self.message = status, code, message
        super().__init__(message)


class TurkServer:
    """The server; `market` is its state, `faults` what goes wrong next, `log` what was asked."""

    def __init__(self) -> None:
        self.reset()
        self.lock, self.stopping = threading.RLock(), threading.Event()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"turk": self}))
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        self.api = f"http://127.0.0.1:{self.port}"
        # Another site than 127.0.0.1 for a browser: our page in its frame is a stranger there.
        self.workers = f"http://localhost:{self.port}"

    def reset(self) -> None:
        """An empty market, and nothing goes wrong."""
        self.market, self.faults = Market(), list[Fault]()
        # By how much this server's own clock is wrong; `market.ahead` is time that passes.
        self.skew = 0.0
        # What every refusal repeats, as some services repeat what they were sent.
        self.parrot = ""
        self.log: list[tuple[str, dict[str, Any]]] = []
        turk_operations.PAGE.update(most=100, repeat=False, empty=False)

    def fail(self, kind: Kind, operation: str = "", times: int = 1, skip: int = 0) -> None:
        """The next `times` calls of the operation go wrong, after `skip` that do not."""
        self.faults.append(Fault(kind, operation, times, skip))

    def count(self, operation: str) -> int:
        return sum(name == operation for name, _ in self.log)

    def answer(self, operation: str, given: dict[str, Any]) -> dict[str, Any]:
        with self.lock:
            self.log.append((operation, given))
            self.market.tick()
            return turk_operations.OPERATIONS[operation](self.market, given)

    def next_fault(self, operation: str) -> Kind | None:
        with self.lock:
            for fault in self.faults:
                if fault.operation in ("", operation):
                    if fault.skip:
                        fault.skip -= 1
                        continue
                    fault.times -= 1
                    if not fault.times:
                        self.faults.remove(fault)
                    return fault.kind
        return None


class Handler(BaseHTTPRequestHandler):
    turk: TurkServer
    protocol_version = "HTTP/1.1"
    # One packet an answer: without it each waits for the acknowledgement of its headers.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._page("GET", b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if "X-Amz-Target" not in self.headers:
            self._page("POST", body)
            return
        try:
            operation, given = self._request(body)
            self._carry_out(operation, given)
        except TurkError as error:
            self._send(
                400,
                {"Message": error.message + self.turk.parrot, "TurkErrorCode": error.code},
                "RequestError",
            )
        except AwsError as error:
            self._send(error.status, {"message": error.message}, error.code)

    def _carry_out(self, operation: str, given: dict[str, Any]) -> None:
        turk, fault = self.turk, self.turk.next_fault(operation)
        if fault == "timeout":
            turk.stopping.wait(3.0)
            self.close_connection = True
            return
        if fault == "throttle":
            raise AwsError(400, "ThrottlingException", "Rate exceeded")
        if fault == "429":
            # As a gateway before the service says it: without a code of AWS.
            raise AwsError(429, "", "Too many requests")
        if fault == "500":
            raise AwsError(500, "ServiceFault", "There was an internal error")
        found = turk.answer(operation, given)
        if fault == "twice":
            found = turk.answer(operation, given)
        if fault == "500 after":
            raise AwsError(500, "ServiceFault", "There was an internal error")
        if fault == "lost":
            self.close_connection = True
            return
        shape = MODEL.operation_model(operation).output_shape
        self._send(200, _plain(found, shape))

    def _request(self, body: bytes) -> tuple[str, dict[str, Any]]:
        self._check_signature(body)
        prefix, _, operation = self.headers["X-Amz-Target"].partition(".")
        if self.headers["Content-Type"] != "application/x-amz-json-1.1":
            raise AwsError(400, "SerializationException", "no JSON 1.1")
        if prefix != TARGET or operation not in MODEL.operation_names:
            raise AwsError(400, "UnknownOperationException", operation)
        given = json.loads(body)
        shape = MODEL.operation_model(operation).input_shape
        report = ParamValidator().validate(given, shape)
        problems = [report.generate_report()] if report.has_errors() else list(_problems(given, shape, ""))
        if problems:
            raise AwsError(400, "ValidationException", "; ".join(problems))
        if operation not in turk_operations.OPERATIONS:
            raise AwsError(400, "UnknownOperationException", f"{operation} is not served here")
        return operation, _typed(given, shape)

    def _check_signature(self, body: bytes) -> None:
        """Signed with our key, for this service, within five minutes of this server's clock."""
        found = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=([^/]+)/\d{8}/us-east-1/mturk-requester/aws4_request, "
            r"SignedHeaders=([^,]+), Signature=([0-9a-f]{64})",
            self.headers.get("Authorization", ""),
        )
        if found is None:
            raise AwsError(400, "IncompleteSignature", f"in {self.headers.get('Authorization')}")
        if found[1] != ACCESS_KEY:
            raise AwsError(400, "UnrecognizedClientException", "The security token is invalid.")
        stamp = self.headers["X-Amz-Date"]
        sent = datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
        if abs(sent - time.time() - self.turk.skew) > SKEW:
            raise AwsError(400, "InvalidSignatureException", f"Signature expired: {stamp}")
        headers = {name: self.headers[name] for name in found[2].split(";") if name != "host"}
        address = f"http://{self.headers['Host']}/"
        request = AWSRequest(method="POST", url=address, data=body, headers=headers)
        request.context["timestamp"] = stamp
        auth = SigV4Auth(Credentials(ACCESS_KEY, SECRET_KEY), "mturk-requester", "us-east-1")
        text = auth.string_to_sign(request, auth.canonical_request(request))
        if auth.signature(text, request) != found[3]:
            raise AwsError(400, "InvalidSignatureException", "The signature does not match.")

    def _page(self, method: str, body: bytes) -> None:
        with self.turk.lock:
            status, headers, text = turk_pages.answer(self.turk, method, self.path, body)
        data = text.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _send(self, status: int, values: dict[str, Any], code: str = "") -> None:
        data = json.dumps({**({"__type": code} if code else {}), **values}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/x-amz-json-1.1")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        return


def _problems(value: Any, shape: Shape, path: str) -> Iterator[str]:
    """What botocore's validator leaves to the service: longest texts, patterns and choices."""
    if shape.type_name == "structure":
        for name, inner in value.items():
            yield from _problems(inner, shape.members[name], f"{path}.{name}")
    elif shape.type_name == "list":
        for inner in value:
            yield from _problems(inner, shape.member, f"{path}[]")
    elif shape.type_name == "string":
        pattern, most = shape.metadata.get("pattern"), shape.metadata.get("max")
        if pattern and not re.fullmatch(pattern.strip("^$"), value):
            yield f"{path}: {value!r} does not match {pattern}"
        if most is not None and len(value) > most:
            yield f"{path}: longer than {most}"
        if shape.enum and value not in shape.enum:
            yield f"{path}: {value!r} is none of {shape.enum}"
    elif shape.type_name in ("integer", "long"):
        most = shape.metadata.get("max")
        if most is not None and value > most:
            yield f"{path}: above {most}"


def _typed(value: Any, shape: Shape) -> Any:
    if shape.type_name == "structure":
        return {name: _typed(inner, shape.members[name]) for name, inner in value.items()}
    if shape.type_name == "timestamp":
        return datetime.fromtimestamp(value, UTC)
    return value


def _plain(value: Any, shape: Shape) -> Any:
    """A reply as the model has it: a member that the model does not know is a mistake of this server."""
    if shape.type_name == "structure":
        return {name: _plain(inner, shape.members[name]) for name, inner in value.items()}
    if shape.type_name == "list":
        return [_plain(inner, shape.member) for inner in value]
    return value.timestamp() if isinstance(value, datetime) else value


@contextmanager
def running() -> Iterator[TurkServer]:
    """A server, until the block ends."""
    turk = TurkServer()
    thread = threading.Thread(target=turk.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield turk
    finally:
        turk.stopping.set()
        turk.http.shutdown()
        turk.http.server_close()
        thread.join(5)


def wait_nothing(_: float) -> None:
    time.sleep(0)
