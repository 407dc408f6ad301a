"""A protocol's own words in the language of a page; what the catalogue lacks stays as it is."""

from __future__ import annotations

from captious.protocols import known_protocols
from captious.protocols.base import Words
from captious.web.texts import Texts

ROUND = "round"


def protocol_words(t: Texts, name: str) -> Words:
    """The words of a protocol; a protocol that is not installed (any more) keeps its name."""
    kind = known_protocols().get(name)
    if kind is None:
        return Words(name=name)
    said = Words(*(t.say(sentence) for sentence in kind.words))
    return said._replace(name=said.name or name, what=said.what or t.say(kind.title))


def stage_words(t: Texts, protocol: str, stage: str) -> str:
    """A stage in the protocol's words, else in the catalogue's, else by its name."""
    kind = known_protocols().get(protocol)
    own = kind.stages.get(stage, "") if kind is not None else ""
    return t.say(own) if own else t.entries.get(f"admin.stage.{stage}", stage)


def round_key(protocol: str, name: str) -> str:
    """What a page is told to say once a round has begun."""
    return f"{ROUND}.{protocol}.{name}"


def round_started(t: Texts, key: str) -> str:
    """The sentence of a `round_key`; "" where it is none."""
    start, _, rest = key.partition(".")
    protocol, _, name = rest.partition(".")
    kind = known_protocols().get(protocol) if start == ROUND else None
    rounds = kind.rounds if kind is not None else ()
    return next((t.say(one.started) for one in rounds if one.name == name), "")
