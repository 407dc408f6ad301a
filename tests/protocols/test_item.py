from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import known_protocols, protocol
from captious.protocols.capabilities import FromFile
from captious.protocols.item import item_from_dict, item_to_dict

PROTOCOLS = [name for name, kind in known_protocols().items() if not issubclass(kind, FromFile)]


@pytest.mark.parametrize("name", PROTOCOLS)
def test_items_survive_storage(name: str, made_up: Callable[..., Corpus]) -> None:
    for item in protocol(name).items(made_up(3), seed=1):
        assert item_from_dict(json.loads(json.dumps(item_to_dict(item)))) == item


def test_broken_storage_is_one_line() -> None:
    with pytest.raises(InputError, match="stored item: 'key' is missing"):
        item_from_dict({})
