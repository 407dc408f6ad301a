"""Requests made up from the OpenAPI of the service: every answer is one that it documents, none a 5xx."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

pytest.importorskip("schemathesis", reason="needs schemathesis")

import schemathesis

from captious.web.service.app import PREFIX, around


def fuzz(running: Any, examples: int, fuzz_operation: Any) -> None:
    # Its caller would start and stop the service with each request.
    app = around(running.service)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        schema = schemathesis.openapi.from_asgi(f"{PREFIX}/openapi.json", app)
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) == 2
    for operation in operations:
        fuzz_operation(operation, examples, lambda case: case.call(headers=running.token))


def test_no_made_up_request_breaks_anything(running: Any, fuzz_operation: Any) -> None:
    fuzz(running, 5, fuzz_operation)


@pytest.mark.long
def test_no_made_up_request_breaks_anything_at_length(running: Any, fuzz_operation: Any) -> None:
    fuzz(running, 300, fuzz_operation)
