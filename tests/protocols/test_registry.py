from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from captious.corpus import Corpus
from captious.errors import InputError, UnknownNameError
from captious.protocols import Item, known_protocols, protocol
from captious.protocols.capabilities import FromFile
from captious.protocols.generic.rules import Generic
from captious.protocols.registry import checked_options

PROTOCOLS = [name for name, kind in known_protocols().items() if not issubclass(kind, FromFile)]


def test_every_protocol_says_who_it_is() -> None:
    assert PROTOCOLS[:6] == ["thumb", "humanr", "tagging", "audit", "spans", "spoken"]
    assert all(known_protocols()[name].citation for name in PROTOCOLS[:5])
    for name in PROTOCOLS:
        assert protocol(name).name == name
        assert known_protocols()[name].title


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_item_can_be_shown_and_has_advice(name: str, made_up: Callable[..., Corpus]) -> None:
    human = protocol(name)
    items = human.items(made_up(4), seed=1)
    assert items == human.items(made_up(4), seed=1)
    assert len({item.key for item in items}) == len(items)
    assert all(isinstance(item, Item) and item.form.fields for item in items)
    json.dumps([item.public() for item in items])
    assert all(guide.title and guide.text for guide in human.guide())
    assert human.tables(items, []) == [] or name == "humanr"
    assert len(human.judgments(items, [])) == 0


def test_options_by_name() -> None:
    assert protocol("tagging", raters=7) != protocol("tagging")
    with pytest.raises(UnknownNameError, match='unknown option of tagging "rater"'):
        protocol("tagging", rater=7)


@pytest.mark.parametrize(
    ("name", "option", "value", "message"),
    [
        ("tagging", "interval", "weeks", '"weeks" is not a number'),
        ("tagging", "interval", "nan", '"nan" is not a number'),
        ("tagging", "interval", float("inf"), '"inf" is not a number'),
        ("tagging", "interval", -5, "-5 is out of range. Give 0 to 315,360,000."),
        ("tagging", "two_rounds", "maybe", "neither true nor false"),
        ("tagging", "raters", True, "is not a whole number"),
        ("tagging", "raters", 10_001, "10001 is out of range. Give 1 to 10,000."),
        ("thumb", "development_images", -3, "-3 is out of range"),
        ("thumb", "development_images", "lots", "is not a whole number"),
        ("thumb", "development_images", 10**30, "out of range"),
        ("humanr", "group_size", "many", "is not a whole number"),
        ("humanr", "group_size", 1e9, "1000000000 is out of range. Give 2 to 1,000."),
        ("humanr", "target", 1.5, "is not a whole number"),
        ("audit", "target", 0, "0 is out of range"),
    ],
)
def test_an_option_of_another_type_or_size_is_refused(
    name: str, option: str, value: object, message: str
) -> None:
    with pytest.raises(InputError, match=option) as refused:
        protocol(name, **{option: value})
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_options_become_their_own_type() -> None:
    typed = checked_options("tagging", {"two_rounds": "Yes", "raters": 3.0, "interval": "60"})
    assert typed == {"two_rounds": True, "raters": 3, "interval": 60.0}
    assert [type(value) for value in typed.values()] == [bool, int, float]


def test_a_file_is_a_generic_protocol(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("name: x\nkind: pairwise\nquestions: [{aspect: a, ask: b}]\n")
    assert isinstance(protocol(str(path)), Generic)
    with pytest.raises(InputError, match="are set in its file"):
        protocol(str(path), raters=2)


def test_the_rules_need_no_heavy_library() -> None:
    code = (
        "import sys, captious.protocols;"
        "print([m for m in ('yaml','pandas','scipy.stats','sqlalchemy') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
