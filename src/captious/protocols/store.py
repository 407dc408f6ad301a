"""Items and responses as plain values and back, so that a campaign can keep them anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from captious.errors import InputError
from captious.protocols.form import Field, Form, Option, When
from captious.protocols.item import Caption, Item


def item_to_dict(item: Item) -> dict[str, Any]:
    """An item as values that JSON can hold. Not for raters: it names the systems."""
    beside: dict[str, Any] = {"practice": True} if item.practice else {}
    if item.recording:
        beside["recording"] = item.recording
    if item.facts:
        beside["facts"] = dict(item.facts)
    return {
        "key": item.key,
        "image": item.image,
        "captions": [list(caption) for caption in item.captions],
        "fields": [asdict(field) for field in item.form.fields],
        "sources": {key: list(systems) for key, systems in item.sources.items()},
        "stage": item.stage,
        "target": item.target,
        "balance": item.balance,
        "check": item.check,
        "only_for": None if item.only_for is None else sorted(item.only_for),
        "not_for": sorted(item.not_for),
        "not_before": item.not_before,
        "prior": dict(item.prior),
        "hints": list(item.hints),
        **beside,
    }


def item_from_dict(stored: Mapping[str, Any]) -> Item:
    """The item that `item_to_dict` stored."""
    try:
        return Item(
            key=stored["key"],
            image=stored["image"],
            captions=tuple(Caption(*caption) for caption in stored["captions"]),
            form=Form(tuple(_field(field) for field in stored["fields"])),
            sources={key: tuple(systems) for key, systems in stored["sources"].items()},
            stage=stored["stage"],
            target=stored["target"],
            balance=stored["balance"],
            check=stored["check"],
            only_for=None if stored["only_for"] is None else frozenset(stored["only_for"]),
            not_for=frozenset(stored["not_for"]),
            not_before=stored["not_before"],
            prior=dict(stored["prior"]),
            hints=tuple(stored["hints"]),
            practice=stored.get("practice", False),
            recording=stored.get("recording", ""),
            facts=stored.get("facts", {}),
        )
    except (KeyError, TypeError) as error:
        raise InputError(f"stored item: {error} is missing or wrong. Store it again.") from error


def _field(stored: Mapping[str, Any]) -> Field:
    when = stored["when"]
    return Field(
        **{
            **stored,
            "options": tuple(Option(**option) for option in stored["options"]),
            "when": None if when is None else When(**when),
        }
    )
