"""Names of uploads are only names."""

from __future__ import annotations

from typing import Any

import pytest

from captious.web.admin.uploads.upload import safe_part, shown_name


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("m2.json", "m2.json"),
        ("/etc/passwd", "passwd"),
        ("..\\..\\m2.json", "m2.json"),
        ("a\x00b\n.json", "a_b_.json"),
        ("", "file"),
        ("..", "file"),
        ("né.json", "né.json"),
    ],
)
def test_names_of_files_are_only_names(given: str, kept: str, upload: Any) -> None:
    assert shown_name(upload(given, b"")) == kept


def test_long_names_keep_their_ending() -> None:
    short = safe_part("é" * 300 + ".json")
    assert len(short.encode()) <= 120
    assert short.endswith(".json")
