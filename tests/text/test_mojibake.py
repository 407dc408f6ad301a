from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.text.mojibake import has_mojibake, mend_mojibake

PLAIN = [
    "a dog on a beach",
    "a café in Málaga",
    "ein Schäferhund läuft über die Straße",
    "“À la carte” on a CAFÉ’s sign…",
    "NAÏVE™ brand",
    "一只狗在沙滩上",
    "Собака на пляже",
    "🐕 on a beach — £5",
]


@pytest.mark.parametrize("text", PLAIN)
def test_plain_text_passes(text: str) -> None:
    assert not has_mojibake(text)


@pytest.mark.parametrize("text", PLAIN)
def test_text_read_with_the_wrong_encoding_is_found_and_mended(text: str) -> None:
    # Windows-1252 has no character for five bytes; readers then fall back to Latin-1.
    broken = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in text.encode())
    assert has_mojibake(broken) == (not text.isascii())
    assert mend_mojibake(broken) == text


@given(st.text(alphabet=st.characters(max_codepoint=0x7F)))
def test_ascii_is_never_touched(text: str) -> None:
    assert mend_mojibake(text) == text
