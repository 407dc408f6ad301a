from __future__ import annotations

import re

import pytest

from captious.explanation.drawing import DARK, LIGHT, own_style, style_sheet, text_width, wrapped


def luminance(colour: str) -> float:
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read_on_its_ground(colours: dict[str, str]) -> None:
    for name in ("ink", "soft", "alone", "matched", "invented", "missed"):
        assert contrast(colours[name], colours["paper"]) >= 4.5, name
    for name in ("matched", "invented", "missed"):
        assert contrast(colours[name], colours[f"{name}-wash"]) >= 4.5, name


def test_a_file_has_every_colour_and_a_page_every_variable() -> None:
    assert set(LIGHT) == set(DARK)
    light, dark = own_style().split("@media screen and (prefers-color-scheme: dark)")
    assert set(re.findall(r"#[0-9a-f]{6}", light)) == set(LIGHT.values())
    assert set(re.findall(r"#[0-9a-f]{6}", dark)) == set(DARK.values())
    page = style_sheet()
    assert {f"var(--explained-{name})" for name in LIGHT} == set(re.findall(r"var\([^)]*\)", page))
    assert not re.search(r"[A-Z]{3,}", page)


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("family", ["LiberationSans-{}.ttf", "NimbusSans-{}.otf", "DejaVuSans{}.ttf"])
def test_room_for_text_is_enough(family: str, bold: bool) -> None:
    font = pytest.importorskip("PIL.ImageFont")
    face = {("DejaVu", False): "", ("DejaVu", True): "-Bold"}.get(
        (family[:6], bold), "Bold" if bold else "Regular"
    )
    try:
        drawn = font.truetype(family.format(face), 100)
    except OSError:
        pytest.skip(f"{family.format(face)} is not here")
    for text in ("dog", "stand in front of", "illicit fitting", "mammoth WOW", "Café (été)", "Жук, щука"):
        assert text_width(text, 100, bold=bold) >= drawn.getlength(text) * 0.99


def test_text_is_wrapped_and_cut() -> None:
    assert wrapped("a" * 50, 22) == ["a" * 22, "a" * 22, "a" * 6]
    assert wrapped("", 22) == [""]
    cut = wrapped("word " * 100, 22)
    assert len(cut) == 4 and cut[-1].endswith("…")
