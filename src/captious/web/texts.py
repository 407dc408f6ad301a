"""The words of every page, from one catalogue a language.

`locales/en.json` and the files named `en.….json` beside it hold the English texts by key. Another language is
another file: what it lacks is shown in English. What protocols ask comes in English from their own
rules; the catalogue's `phrases` translate such a sentence by the sentence itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from captious.protocols import known_protocols
from captious.protocols.base import Words
from captious.protocols.capabilities import Rounds

FOLDER = Path(__file__).parent / "locales"
ENGLISH = "en"
PHRASES = "phrases"
ROUND = "round"
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")


@dataclass(frozen=True)
class Texts:
    """The texts of one language; calling it gives one, with values filled in."""

    language: str
    entries: Mapping[str, str]
    phrases: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, key: str, /, **values: Any) -> str:
        """The text of a key. A key that ends in `_one` is used where `count` is 1."""
        if values.get("count") == 1 and f"{key}_one" in self.entries:
            key = f"{key}_one"
        text = self.entries[key]
        return text.format_map(values) if values else text

    def say(self, sentence: str) -> str:
        """A protocol's own sentence in this language, where the catalogue has it."""
        return self.phrases.get(sentence, sentence)


def languages(folder: Path = FOLDER) -> list[str]:
    """The languages that have a catalogue.

    >>> "en" in languages()
    True
    """
    return sorted(path.stem for path in folder.glob("*.json") if "." not in path.stem)


@lru_cache(maxsize=32)
def texts(language: str = ENGLISH, folder: Path = FOLDER) -> Texts:
    """The texts of a language over the English ones; an unknown language is English.

    >>> texts("en")("work.submit")
    'Submit'
    """
    entries, phrases = _read(ENGLISH, folder)
    known = language != ENGLISH and _LANGUAGE.fullmatch(language) is not None
    if not known or not (folder / f"{language}.json").is_file():
        return Texts(ENGLISH, entries, phrases)
    own, own_phrases = _read(language, folder)
    return Texts(language, {**entries, **own}, {**phrases, **own_phrases})


def _read(language: str, folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    entries: dict[str, str] = {}
    phrases: dict[str, str] = {}
    own = folder / f"{language}.json"
    for path in (own, *sorted(folder.glob(f"{language}.*.json"))):
        if path.is_file():
            found = json.loads(path.read_text(encoding="utf-8"))
            phrases.update(found.pop(PHRASES, {}))
            entries.update(found)
    return entries, phrases


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
    rounds = Rounds.kind(kind).rounds if kind is not None else ()
    return next((t.say(one.started) for one in rounds if one.name == name), "")
