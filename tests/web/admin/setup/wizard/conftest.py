"""Files for a new campaign, and a draft that has them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

LIKERT = """
name: helpfulness
kind: likert
questions:
  - aspect: helpful
    ask: Would it help someone who cannot see the image?
"""
OPTIONS = {
    "thumb": {"option__two_stages": "yes", "option__development_images": "0"},
    "humanr": {
        "option__target": "1",
        "option__baseline": "yes",
        "option__group_size": "3",
        "option__attention": "rater",
    },
    "tagging": {"option__raters": "2", "option__two_rounds": "yes", "option__interval": "6"},
    "audit": {"option__target": "1"},
    "generic": {"protocol_text": LIKERT},
}


def captions_of(system: str, images: int = 4) -> bytes:
    rows = [{"image_id": n, "caption": f"A {system} dog, number {n}."} for n in range(images)]
    return json.dumps(rows).encode()


def references_of(images: int = 4) -> bytes:
    return json.dumps({str(n): [f"Dog {n}.", f"The dog {n}."] for n in range(images)}).encode()


def files_with(*pictures: tuple[str, bytes]) -> list[tuple[str, tuple[str, bytes]]]:
    return [
        ("candidates", ("heron.json", captions_of("heron"))),
        ("candidates", ("dodo.json", captions_of("dodo"))),
        ("references", ("references.json", references_of())),
        *(("images", picture) for picture in pictures),
    ]


@pytest.fixture
def captions() -> Callable[..., bytes]:
    """A system's captions, as a file."""
    return captions_of


@pytest.fixture
def files() -> Callable[..., list[tuple[str, tuple[str, bytes]]]]:
    """Captions of two systems and references, with the pictures that are given."""
    return files_with


@pytest.fixture
def options() -> dict[str, dict[str, str]]:
    """What is typed for each protocol."""
    return OPTIONS


@pytest.fixture
def pictures(make_picture: Any, make_archive: Any) -> tuple[str, bytes]:
    return "photos.zip", make_archive({f"p/{n}.png": make_picture(n) for n in range(4)})


@pytest.fixture
def draft(manager: Any, pictures: Any) -> str:
    """The address of a tagging draft."""
    answer = manager.post("/admin/new/tagging", files_with(pictures), title="Dogs", **OPTIONS["tagging"])
    assert answer.status_code == 303, answer.text
    address: str = answer.headers["location"]
    return address
