from __future__ import annotations

import pytest

from captious.corpus import Corpus
from captious.errors import InputError, UnknownNameError
from captious.protocols import HumanProtocol, Response, capabilities, protocol, register
from captious.protocols.base import blind_key, human_captions, matched


def test_blind_keys_never_run_out() -> None:
    keys = [blind_key(place) for place in range(800)]
    assert len(set(keys)) == 800
    assert keys[701:703] == ["ZZ", "AAA"]


def test_a_response_to_nothing_is_refused() -> None:
    items = protocol("thumb").items(Corpus.from_lists(["A dog."]), seed=1)
    with pytest.raises(UnknownNameError, match='unknown item "lost"'):
        matched(items, [Response("lost", {}, "ann")])


def test_human_captions_are_distinct_and_not_blank() -> None:
    corpus = Corpus.from_lists(["A dog."], [["One.", " ", "One.", "Two."]], image_ids=["1"])
    assert human_captions(corpus) == {"1": ["One.", "Two."]}
    with pytest.raises(InputError, match='image "0" has no human caption'):
        human_captions(Corpus.from_lists(["A dog."]))


def test_the_contract_fits_a_screen() -> None:
    """What only some protocols can do is a capability of its own, and there are five of them."""
    members = {**HumanProtocol.__dict__, **HumanProtocol.__annotations__}
    assert len([name for name in members if not name.startswith("_")]) <= 40
    found = {kind for kind in vars(capabilities).values() if isinstance(kind, type)}
    own = {kind.__name__ for kind in found if issubclass(kind, capabilities.Capability)}
    assert own == {"Capability", "FromFile", "Rounds", "Recordings", "KnownPast", "Game"}


def test_what_nobody_would_ask_for_is_refused() -> None:
    class Forgotten(HumanProtocol):
        def outcome(self) -> None: ...

    with pytest.raises(InputError, match="Forgotten defines outcome"):
        register("forgotten")(Forgotten)
