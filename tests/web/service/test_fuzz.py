"""Requests made up from the OpenAPI of the service: every answer is one that it documents, none a 5xx."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

pytest.importorskip("schemathesis", reason="needs schemathesis")

import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from captious.web.service.app import PREFIX, around

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


@schemathesis.serializer("application/x-ndjson")
def as_lines(_: Any, value: Any) -> bytes:
    """Made-up texts as the body that they are."""
    return str(value).encode("utf-8", "replace")


def fuzz(running: Any, examples: int) -> None:
    # Its caller would start and stop the service with each request.
    app = around(running.service)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        schema = schemathesis.openapi.from_asgi(f"{PREFIX}/openapi.json", app)
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) == 8
    for operation in operations:

        @seed(7)
        @settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def attempt(case: Any) -> None:
            answer = case.call(headers=running.token)
            case.validate_response(answer, checks=CHECKS)

        attempt()


def test_no_made_up_request_breaks_anything(running: Any) -> None:
    fuzz(running, 5)


@pytest.mark.long
def test_no_made_up_request_breaks_anything_at_length(running: Any) -> None:
    fuzz(running, 300)
