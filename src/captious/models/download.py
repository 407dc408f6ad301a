"""Download one file from a web address atomically."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlparse
from urllib.request import urlopen

from captious.errors import InputError, one_line
from captious.files import atomically

PATIENCE = 30.0  # seconds until an address that does not answer is given up
_BLOCK = 1 << 20


def download(url: str, path: Path) -> None:
    """Save what is at an address as a file."""
    if urlparse(url).scheme not in ("https", "http"):
        raise InputError(f"{url}: is not a web address.")
    try:
        answer = urlopen(url, timeout=PATIENCE)
    except (URLError, OSError) as error:
        raise _unreachable(url, path, error) from error
    with answer, atomically(path) as temporary:
        expected = answer.headers.get("Content-Length")
        written = 0
        with temporary.open("wb") as file:
            while block := _read(answer, url, path):
                written += file.write(block)
        if expected is not None and written != int(expected):
            raise InputError(f"{url}: only {written:,} of {int(expected):,} bytes arrived. Try again.")


def _read(answer: Any, url: str, path: Path) -> bytes:
    try:
        block: bytes = answer.read(_BLOCK)
    except OSError as error:
        raise _unreachable(url, path, error) from error
    return block


def _unreachable(url: str, path: Path, error: OSError) -> InputError:
    reason = one_line(str(getattr(error, "reason", error)), 120)
    return InputError(
        f"{url}: cannot be downloaded ({reason}). Check the network, or save the file as {path}."
    )
