"""The service's OpenAPI document; the schema of a request is made from the types that check it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from captious._version import __version__
from captious.metrics import Metric
from captious.web.service.requests import OPERATORS, WORDS, Offer, schemas

ERRORS = {
    "400": "The request cannot be read.",
    "401": "The token is missing, unknown or revoked.",
    "403": "Requests from web pages need a token.",
    "404": "There is nothing at this address.",
    "405": "The address does not accept this method.",
    "413": "The body is too large.",
    "415": "The body is of the wrong type.",
    "422": "The request is invalid; the message says what is wrong and where.",
    "429": "The queue is full or the quota is used up; Retry-After gives the seconds to wait.",
    "503": "The service is stopping, the scoring process ended, or the disk is full; try again.",
}
NUMBER = {"type": ["number", "null"]}


def describe(offer: Offer) -> dict[str, Any]:
    """The metrics that may be asked for, what each needs, and which options a request may set."""
    return {
        "version": __version__,
        "metrics": {name: _metric(metric) for name, metric in sorted(offer.metrics.items())},
        "tables": offer.table_names(),
    }


def _metric(metric: Metric) -> dict[str, Any]:
    options = {own.name: getattr(metric, own.name) for own in fields(metric)}
    return {
        "summary": metric.summary,
        "needs": sorted(metric.needs),
        "higher_is_better": metric.higher_is_better,
        "options": {
            name: value
            for name, value in options.items()
            if (name in WORDS if isinstance(value, str) else name not in OPERATORS)
        },
    }


def document(root: str) -> dict[str, Any]:
    """The OpenAPI document; `root` is where the service is mounted."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "captious scoring service",
            "version": __version__,
            "description": "Scores of captions, with the numbers and signatures of `captious score`.",
        },
        "servers": [{"url": root or "/"}],
        "security": [{"token": []}, {}],
        "paths": _paths(),
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": _object({"error": {"type": "string"}}), **schemas(), **_answer()},
        },
    }


def _paths() -> dict[str, Any]:
    score_bodies = {
        "application/json": {"schema": _ref("ScoreBody")},
        "multipart/form-data": {
            "schema": {
                **_object(
                    {
                        "request": {"type": "string", "description": "A ScoreBody as JSON."},
                        "images": {"type": "array", "items": {"type": "string", "format": "binary"}},
                    },
                    required=["request"],
                )
            }
        },
    }
    busy = ("413", "415", "422", "429")
    return {
        "/score": {"post": _operation("Score captions", _json("ScoreAnswer"), busy, body=score_bodies)},
        "/metrics": {"get": _operation("The metrics that are offered", _json("Offer"))},
    }


def _operation(
    summary: str, answers: dict[str, Any], errors: tuple[str, ...] = (), *, body: dict[str, Any] | None = None
) -> dict[str, Any]:
    found: dict[str, Any] = {"summary": summary, "responses": dict(answers)}
    for status in ("400", "401", "403", "404", "503", *errors):
        error = {"description": ERRORS[status], "content": {"application/json": {"schema": _ref("Error")}}}
        if status in ("429", "503"):
            error["headers"] = {"Retry-After": {"schema": {"type": "string"}}}
        found["responses"][status] = error
    if body:
        found["requestBody"] = {"required": True, "content": body}
    return found


def _json(name: str) -> dict[str, Any]:
    return {"200": _content(name)}


def _content(name: str) -> dict[str, Any]:
    return {"description": name, "content": {"application/json": {"schema": _ref(name)}}}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }


def _by(values: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


def _answer() -> dict[str, Any]:
    value = _object(
        {"score": NUMBER, "low": NUMBER, "high": NUMBER, "n": {"type": "integer"}, "error": NUMBER},
        required=["score", "n"],
    )
    metric = _object(
        {
            "signature": {"type": ["string", "null"]},
            "title": {"type": "string"},
            "percent": {"type": "boolean"},
            "higher_is_better": {"type": "boolean"},
            "notes": {"type": "array", "items": {"type": "string"}},
        }
    )
    whole, text = {"type": ["integer", "null"]}, {"type": "string"}
    place = _object(
        {"start": whole, "end": whole, "text": text, "kind": text, "severity": text}
        | {"confidence": NUMBER, "note": text, "evidence": text}
    )
    example = _object(
        {
            "image": {"type": "string"},
            "system": {"type": "string"},
            "scores": _by(NUMBER),
            "errors": _by({"type": "string"}),
            "details": _by(_by(NUMBER)),
            "statistics": _by({"type": "array", "items": NUMBER}),
            "findings": _by({"type": "array", "items": place}),
        },
        required=["image", "system", "scores"],
    )
    answer = _object(
        {
            "systems": _by(_by(_ref("CorpusValue"))),
            "metrics": _by(_ref("MetricFacts")),
            "notes": {"type": "array", "items": {"type": "string"}},
            "examples": {"type": "array", "items": _ref("ScoredExample")},
        }
    )
    offer = _object(
        {
            "version": {"type": "string"},
            "metrics": _by({"type": "object"}),
            "tables": {"type": "array", "items": {"type": "string"}},
        }
    )
    return {
        "CorpusValue": value,
        "MetricFacts": metric,
        "ScoredExample": example,
        "ScoreAnswer": answer,
        "Offer": offer,
    }
