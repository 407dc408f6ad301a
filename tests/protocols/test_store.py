from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import Response, known_protocols, protocol
from captious.protocols.capabilities import FromFile
from captious.protocols.store import item_from_dict, item_to_dict, response_from_dict, response_to_dict

PROTOCOLS = [name for name, kind in known_protocols().items() if not issubclass(kind, FromFile)]


@pytest.mark.parametrize("name", PROTOCOLS)
def test_items_survive_storage(name: str, made_up: Callable[..., Corpus]) -> None:
    for item in protocol(name).items(made_up(3), seed=1):
        assert item_from_dict(json.loads(json.dumps(item_to_dict(item)))) == item


def test_a_response_without_a_time_survives_storage() -> None:
    stored = json.loads(json.dumps(response_to_dict(Response("a", {"x": {"b": 0.5}}, "r"))))
    found = response_from_dict(stored)
    assert found.answers == {"x": {"b": 0.5}}
    assert found.time != found.time


def test_what_was_derived_from_answers_is_stored_where_there_is_any() -> None:
    derived = Response("a", {"x": "spoken"}, "r", 1.0, derived={"transcript": "A dog."})
    stored = json.loads(json.dumps(response_to_dict(derived)))
    assert stored["derived"] == {"transcript": "A dog."}
    assert response_from_dict(stored) == derived
    assert "derived" not in response_to_dict(Response("a", {"x": 1}, "r", 1.0))


def test_broken_storage_is_one_line() -> None:
    with pytest.raises(InputError, match="stored item: 'key' is missing"):
        item_from_dict({})
    with pytest.raises(InputError, match="stored response: 'time' is missing"):
        response_from_dict({})
