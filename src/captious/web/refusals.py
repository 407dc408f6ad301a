"""A request that is refused: with which status, and in which words of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from captious.protocols import Problem


class Refusal(Exception):  # noqa: N818 - being refused is an answer, not a fault
    """Raised anywhere below a route; becomes a page or a JSON answer with one clear sentence."""

    def __init__(
        self,
        status: int,
        key: str,
        *,
        headers: Mapping[str, str] | None = None,
        problems: Sequence[Problem] = (),
        **values: Any,
    ) -> None:
        super().__init__(key)
        self.status, self.key, self.values = status, key, values
        self.headers = dict(headers or {})
        self.problems = tuple(problems)


class SignInNeeded(Refusal):
    """An account is needed: a page sends the visitor to sign in, JSON says 401."""

    def __init__(self) -> None:
        super().__init__(401, "error.sign_in")
