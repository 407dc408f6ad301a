"""How weights are found, and what is said where they are not."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from captious.errors import InputError, MissingDependencyError
from captious.models import locate


def test_a_missing_package_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    carrier = locate.Carrier("no-such-weights", "no_such_weights", "model")
    monkeypatch.setitem(locate.CARRIERS, "tiny", carrier)
    with pytest.raises(MissingDependencyError) as caught:
        locate.local("tiny")
    assert str(caught.value) == (
        "the weights of tiny come with the package no-such-weights. "
        "Install it with: captious get weights tiny"
    )


def test_a_path_that_is_not_there_is_an_error_and_no_hub_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        locate.local(str(tmp_path / "absent"))
    with pytest.raises(InputError, match="no such file or folder"):
        locate.local("model.gguf")


def test_a_hub_name_is_left_to_the_hub() -> None:
    assert locate.local("org/some-model") is None


def test_a_digest_follows_the_content(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_bytes(b"one")
    assert locate.digest(path) == hashlib.sha256(b"one").hexdigest()[:8]
    path.write_bytes(b"other")
    assert locate.digest(path) == hashlib.sha256(b"other").hexdigest()[:8]
