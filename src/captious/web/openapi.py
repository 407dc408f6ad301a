"""Descriptions for OpenAPI of what FastAPI cannot see: bodies that are read by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import FastAPI

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


class DescribedApp(FastAPI):
    """An application whose description says that a number which is not known is null."""

    def openapi(self) -> dict[str, Any]:
        """The description; made once."""
        known = self.openapi_schema is not None
        found = super().openapi()
        if not known:
            may_be_unknown(found)
        return found


def may_be_unknown(node: Any) -> None:
    """Let every number of a description be null as well: NaN is sent so.

    >>> described = {"properties": {"kappa": {"type": "number"}}}
    >>> may_be_unknown(described)
    >>> described
    {'properties': {'kappa': {'type': ['number', 'null']}}}
    """
    if isinstance(node, dict):
        if node.get("type") == "number":
            node["type"] = ["number", "null"]
        for value in node.values():
            may_be_unknown(value)
    elif isinstance(node, list):
        for value in node:
            may_be_unknown(value)
