"""What every picture shares: colours in light and dark, styles, how wide text is.

Pictures name classes, not colours. A file of its own carries the style sheet with it, in light
colours that give way to dark ones where a reader's screen is dark; on a page the sheet of the page
says what the classes look like, by variables.
"""

from __future__ import annotations

import textwrap
import unicodedata
from html import escape

FONT = "Arial, Liberation Sans, Arimo, Helvetica, sans-serif"
# Every colour of text has a contrast of at least 4.5:1 with each ground it stands on.
LIGHT = {
    "paper": "#ffffff",
    "ink": "#1b2229",
    "soft": "#56616c",
    "met": "#0067a5",
    "alone": "#a83e00",
    "matched": "#0b6e3b",
    "matched-wash": "#e4f4ea",
    "invented": "#b3261e",
    "invented-wash": "#fdeceb",
    "missed": "#5a656f",
    "missed-wash": "#f2f4f6",
}
DARK = {
    "paper": "#1c2228",
    "ink": "#e8ecf0",
    "soft": "#b3bec8",
    "met": "#5db5ec",
    "alone": "#f5935a",
    "matched": "#66d99a",
    "matched-wash": "#173427",
    "invented": "#ff9d92",
    "invented-wash": "#402320",
    "missed": "#b0bac4",
    "missed-wash": "#2a3138",
}
_PREFIX = "explained"
# Plain selectors only, so that programs other than browsers draw the files as well.
_RULES = f"""
.explained {{ font-family: {FONT}; }}
.explained text {{ fill: INK; font-size: 14px; }}
.explained .head {{ font-size: 15px; font-weight: bold; }}
.explained .note {{ font-size: 12px; fill: SOFT; }}
.explained .paper {{ fill: PAPER; }}
.explained .name {{ font-weight: bold; text-anchor: middle; }}
.explained .part {{ font-size: 12px; text-anchor: middle; }}
.explained .below {{ font-size: 11px; fill: SOFT; text-anchor: middle; }}
.explained .says {{ font-size: 11.5px; fill: ALONE; text-anchor: middle; }}
.explained .flow {{ fill: none; stroke-opacity: .75; }}
.explained .met {{ stroke: MET; }}
.explained .alone {{ stroke: ALONE; }}
.explained path.alone {{ stroke-dasharray: 7 4; }}
.explained .box {{ fill: PAPER; stroke-width: 1.8px; }}
.explained rect.alone {{ stroke-dasharray: 5 3; }}
.explained .line {{ fill: none; }}
.explained .matched rect, .explained .matched path {{ stroke: MATCHED; stroke-width: 1.8px; }}
.explained .matched rect {{ fill: MATCHED-WASH; }}
.explained .matched text, .explained .matched .arrow {{ fill: MATCHED; }}
.explained .matched text, .explained .invented text, .explained .missed text {{ font-size: 13px; }}
.explained g text.object {{ font-size: 14px; font-weight: bold; }}
.explained g text.also {{ font-size: 12px; }}
.explained .invented rect, .explained .invented path {{
  stroke: INVENTED; stroke-width: 1.8px; stroke-dasharray: 6 4; }}
.explained .invented rect {{ fill: INVENTED-WASH; }}
.explained .invented text, .explained .invented .arrow {{ fill: INVENTED; }}
.explained .missed rect, .explained .missed path {{
  stroke: MISSED; stroke-width: 1.8px; stroke-dasharray: 1 4; stroke-linecap: round; }}
.explained .missed rect {{ fill: MISSED-WASH; }}
.explained .missed text, .explained .missed .arrow {{ fill: MISSED; }}
.explained path.sign {{ fill: none; stroke-dasharray: none; stroke-width: 2px;
  stroke-linecap: round; }}
.explained rect.carries {{ fill: MET; }}
.explained rect.against {{ fill: ALONE; stroke: ALONE; stroke-width: .6px; stroke-dasharray: 3 3; }}
.explained text.mark {{ font-size: 12px; font-weight: bold; text-anchor: middle; paint-order: stroke;
  stroke: PAPER; stroke-width: 3px; }}
.explained path.arrow {{ stroke-dasharray: none; stroke-width: 1px; }}
"""
# Hundredths of the font size that the letters from space to ~ take: measured, the wider of DejaVu Sans
# (all that a bare machine has) and Nimbus Sans (as wide as Arial), so that either stays in its box.
_REGULAR = """
32 40 46 84 64 95 78 27 39 39 50 84 32 36 32 34 64 64 64 64 64 64 64 64 64 64 34 34 84 84 84 56
102 68 69 72 77 67 61 78 75 29 50 67 56 86 75 79 67 79 72 67 61 73 68 99 69 67 69 39 34 39 84 56
50 61 63 55 63 62 35 63 63 28 28 58 28 97 63 61 63 63 41 52 39 63 59 82 59 59 52 64 34 64 84"""
_BOLD = """
35 46 52 84 70 100 87 31 46 46 52 84 38 42 38 37 70 70 70 70 70 70 70 70 70 70 40 40 84 84 84 61
100 77 76 73 83 68 68 82 84 37 56 77 64 100 84 85 73 85 77 72 68 81 77 110 77 72 73 46 37 46 84 56
50 67 72 59 72 68 44 72 71 34 34 67 34 104 71 69 72 72 49 60 48 71 65 92 65 65 58 71 37 71 84"""
_WIDTHS = {bold: [int(n) for n in widths.split()] for bold, widths in ((False, _REGULAR), (True, _BOLD))}
_OTHER_WIDTH = {False: 110, True: 135}  # the widest letters of Cyrillic; those of Chinese are narrower


def style_sheet() -> str:
    """The rules for a page; colours are the variables of `variables`."""
    return _filled({name: f"var(--{_PREFIX}-{name})" for name in LIGHT})


def variables(colours: dict[str, str]) -> dict[str, str]:
    """Colours by the names of their CSS variables, for `LIGHT` or `DARK`."""
    return {f"{_PREFIX}-{name}": value for name, value in colours.items()}


def own_style() -> str:
    """A style element for a picture that is a file of its own."""
    dark = _filled(DARK)
    return f"<style>{_filled(LIGHT)}@media screen and (prefers-color-scheme: dark) {{{dark}}}</style>"


def _filled(colours: dict[str, str]) -> str:
    rules = _RULES
    # Longest first: MATCHED is the beginning of MATCHED-WASH.
    for name in sorted(colours, key=len, reverse=True):
        rules = rules.replace(f" {name.upper()};", f" {colours[name]};")
    return rules


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Room that text needs in the widest font that a reader's machine may take.

    >>> text_width("ill", 14) < text_width("mow", 14) < text_width("mow", 14, bold=True)
    True
    """
    return size / 100 * sum(_letter_width(letter, bold) for letter in text)


def _letter_width(letter: str, bold: bool) -> int:
    place = ord(unicodedata.normalize("NFKD", letter)[0]) - ord(" ")
    widths = _WIDTHS[bold]
    return widths[place] if 0 <= place < len(widths) else _OTHER_WIDTH[bold]


def within(text: str, width: float, size: float, lines: int = 5) -> list[str]:
    """Bold text in lines of at most a width; what does not fit ends in an ellipsis.

    >>> within("standing in front of a red bus", 120, 14)
    ['standing in', 'front of a red', 'bus']
    """
    widest = max(text_width(letter, size, bold=True) for letter in text or " ")
    for letters in range(len(text), int(width / widest), -1):
        found = wrapped(text, letters, lines)
        if all(text_width(line, size, bold=True) <= width for line in found):
            return found
    return wrapped(text, max(1, int(width / widest)), lines)


def wrapped(text: str, letters: int, lines: int = 4) -> list[str]:
    """Text in short lines; what does not fit ends in an ellipsis.

    >>> wrapped("standing in front of", 12)
    ['standing in', 'front of']
    """
    return textwrap.wrap(
        printable(text), letters, max_lines=lines, placeholder="…", break_long_words=True
    ) or [""]


def printable(text: str) -> str:
    """Without the control characters that XML forbids."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def safe(text: str) -> str:
    """Escaped for XML and HTML."""
    return escape(printable(text))


def words(x: float, y: float, text: str, of_class: str = "") -> str:
    """A text element."""
    name = f' class="{of_class}"' if of_class else ""
    return f'<text x="{x:.0f}" y="{y:.0f}"{name}>{safe(text)}</text>'


def frame(width: float, height: float, key: str, title: str, description: str, *, standalone: bool) -> str:
    """The opening of a picture with its name and description; its ids begin with `key`."""
    style = own_style() if standalone else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="explained" role="img" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        f'aria-labelledby="{key}-title {key}-desc">\n'
        f'<title id="{key}-title">{safe(title)}</title>\n'
        f'<desc id="{key}-desc">{safe(description)}</desc>\n{style}'
        '<rect class="paper" width="100%" height="100%"/>'
    )
