"""The bundled sample, for harnesses that describe its images."""

import pytest

import captious
from captious.data import demo_path


@pytest.fixture
def heron() -> captious.Corpus:
    """The captions of one system, with references and images."""
    demo = demo_path()
    return captious.load_corpus(
        demo / "systems" / "heron.json", demo / "references.json", images=demo / "images"
    )
