"""Prolific's API token: read from the environment or a file when a call is made, shown to nobody."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
