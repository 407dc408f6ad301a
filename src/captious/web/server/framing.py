"""Where one request of a connection ends and the next begins, and how many may follow."""

from __future__ import annotations


class BadFramingError(Exception):
    """Where one request ends and the next begins is not certain, or the head is too large."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class TooManyWaitingError(Exception):
    """The client sends requests faster than it gets answers: no more of them are read."""


def check_framing(headers: list[tuple[bytes, bytes]], version: str) -> None:
    """Refuse a request whose length is said twice or not clearly (RFC 9112, 6.3 and 11.2), or with two hosts.

    >>> check_framing([(b"host", b"a"), (b"content-length", b"3")], "1.1")
    >>> check_framing([(b"host", b"a"), (b"content-length", b"3"), (b"content-length", b"3")], "1.1")
    Traceback (most recent call last):
    captious.web.server.framing.BadFramingError: 400
    """
    names = [name for name, _ in headers]
    hosts, lengths = names.count(b"host"), names.count(b"content-length")
    codings = names.count(b"transfer-encoding")
    clear = lengths + codings <= 1 and (hosts == 1 or (hosts == 0 and version == "1.0"))
    if lengths:
        clear &= headers[names.index(b"content-length")][1].isdigit()
    if codings:
        coding = headers[names.index(b"transfer-encoding")][1].strip().lower()
        clear &= coding == b"chunked" and version == "1.1"
    if not clear:
        raise BadFramingError(400)
