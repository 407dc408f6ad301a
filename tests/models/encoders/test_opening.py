"""What opening an encoder says where it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from captious.errors import MissingDependencyError
from captious.models.encoders import opening


def test_packages_are_named_before_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody fetches 605 MB of weights to hear that torch is missing: both say the same line."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(opening, "find_spec", lambda name: None)
    lines = []
    for function in (opening.open_embedder, opening.ready):
        with pytest.raises(MissingDependencyError) as found:
            function("ViT-B-32/openai")
        lines.append(str(found.value))
    assert lines[0] == lines[1]
    assert lines[0].startswith('the encoder "ViT-B-32/openai" needs torch. Install it with: pip install')
