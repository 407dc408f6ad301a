"""Descriptions for OpenAPI of what FastAPI cannot see: bodies that are read by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from captious.web.guard.security import CSRF_FIELD, FORM_TYPES

TOKEN = "The CSRF token of the page."


def form_body(
    fields: Mapping[str, str], *, required: Iterable[str] = (), open_ended: bool = False
) -> dict[str, Any]:
    """The body of a form post: its fields with their meaning; `open_ended` forms have more.

    >>> body = form_body({"name": "Who"})["requestBody"]["content"]
    >>> list(body["application/x-www-form-urlencoded"]["schema"]["properties"])
    ['csrf', 'name']
    """
    schema = {
        "type": "object",
        "properties": {
            CSRF_FIELD: {"type": "string", "description": TOKEN},
            **{name: {"type": "string", "description": says} for name, says in fields.items()},
        },
        "required": list(required),
        "additionalProperties": {"type": "string"} if open_ended else False,
    }
    content = {FORM_TYPES[0]: {"schema": schema}}
    return {"requestBody": {"required": True, "content": content}}
