from __future__ import annotations

from captious.cli.main import spread


def test_an_option_is_repeated_for_each_of_its_values() -> None:
    assert spread(["--candidates", "a", "b", "--name", "x", "y", "-"]) == [
        "--candidates",
        "a",
        "--candidates",
        "b",
        "--name",
        "x",
        "--name",
        "y",
        "--name",
        "-",
    ]
