"""Faults that a caption's own text shows, one function for each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple

from captious.corpus.checks.report import Severity
from captious.text.markup import without_markup
from captious.text.mojibake import has_mojibake
from captious.text.normalise import ends_a_sentence

LONG_CAPTION = 60  # words; the longest of 25,000 references of COCO's Karpathy test split has 43
RARE = 0.01  # at most this share of captions may look cut short before it is a warning

_LINE_BREAK = re.compile("[\n\r\v\f\x85\u2028\u2029]")
_INVISIBLE = {"\u200b", "\ufeff", "\u2060"}
_TOKENISED = re.compile(
    r"\S (?:[.,;:!?](?: |$)|(?:n't|'s|'re|'ve|'ll|'d|'m)(?=[ .,]|$)|''|-rrb-)|(?:^| )(?:``|-lrb-) ",
    re.IGNORECASE,
)
_MAYBE_TOKENISED = re.compile(r" [.,;:!?'nN`-]|``|-[lL]")  # fails fast on most captions
# Words that a caption can hardly end with: determiners, conjunctions, and prepositions and verbs
# that need something after them. "in" and "on" may close a sentence, and often do not.
UNFINISHED = frozenset(
    {"a", "an", "the", "its", "their", "and", "or", "than", "that", "is", "are"}
    | {"of", "with", "to", "from", "at", "for", "into", "onto", "in", "on"}
)

NEVER_LAST = frozenset({"a", "an", "the", "and", "or"})

UNUSUAL = ("line-break", "control-character", "mojibake", "replacement-character")


class TextCheck(NamedTuple):
    """A test of one text and what to say where it fails."""

    code: str
    severity: Severity
    what: str
    mend: str
    fails: Callable[[str], bool]
    rare_is_note: bool = False

    @property
    def only_unusual(self) -> bool:
        """Whether texts of printable ASCII pass in any case."""
        return self.code.removeprefix("reference-") in UNUSUAL


def is_empty(text: str) -> bool:
    """Nothing, or nothing but space."""
    return not text or text.isspace()


def has_line_break(text: str) -> bool:
    """Any character that ends a line, inside the text."""
    return not text.isprintable() and _LINE_BREAK.search(text.strip()) is not None


def has_control_character(text: str) -> bool:
    """Control characters (a tab is one) and invisible ones; line breaks are a separate check."""
    return not text.isprintable() and any(
        (unicodedata.category(sign) == "Cc" or sign in _INVISIBLE) and not _LINE_BREAK.match(sign)
        for sign in text
    )


def is_tokenised(text: str) -> bool:
    """A space before a mark or a clitic, as tokenisers leave it: "a dog ." or "does n't"."""
    return _MAYBE_TOKENISED.search(text) is not None and _TOKENISED.search(text) is not None


def starts_in_lower_case(text: str) -> bool:
    """The first character is a lower-case letter."""
    return text[:1].islower()


def lacks_final_period(text: str) -> bool:
    """A text that does not end as a sentence does."""
    return not text.endswith(".") and not ends_a_sentence(text) and not is_empty(text)


def looks_cut_short(text: str) -> bool:
    """The last word is one that needs another; after an article even a period does not save it.

    >>> looks_cut_short("a kitchen with a sink and a window in a"), looks_cut_short("A hat on.")
    (True, False)
    """
    words = text[-12:].rsplit(maxsplit=1)
    last = words[-1] if words else ""
    return last in UNFINISHED or last.removesuffix(".") in NEVER_LAST


def has_stray_space(text: str) -> bool:
    """Space at the start or the end, or two in a row."""
    return ("  " in text or text[:1].isspace() or text[-1:].isspace()) and not is_empty(text)


def is_file_name(text: str) -> bool:
    """A name that a camera or a program gave: "IMG_2041.jpg", "screenshot-3.png", "DSC00012".

    >>> is_file_name("IMG_2041.jpg"), is_file_name("A dog on a mat.")
    (True, False)
    """
    return _FILE_NAME.fullmatch(text.strip()) is not None


def is_placeholder(text: str) -> bool:
    """A word instead of a description: "image", "alt text", "untitled", "n/a".

    >>> is_placeholder("Image 3"), is_placeholder("A photo album on a table.")
    (True, False)
    """
    return _PLACEHOLDER.fullmatch(text.strip(" .:*[]()<>\"'")) is not None


def says_image_of(text: str) -> bool:
    """A screen reader has said "image" already, so that "image of" is heard twice.

    >>> says_image_of("A photo of a dog."), says_image_of("A photographer with a dog.")
    (True, False)
    """
    return _IMAGE_OF.match(text) is not None


def is_very_long(text: str) -> bool:
    """More words than captions have."""
    return len(text) > 2 * LONG_CAPTION and len(text.split()) > LONG_CAPTION


_MEDIUM = r"(?:image|picture|photo(?:graph)?|pic|graphic|screen ?shot)"
_FILE_NAME = re.compile(
    r"[^\s/]+\.(?:jpe?g|png|gif|webp|svg|bmp|tiff?|heic|avif)|(?:IMG|DSC[FN]?|PXL|MVIMG)[_-]?\d{3,}\w*",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    rf"{_MEDIUM}(?:[ _-]?\d+)?|alt(?:[ _-]?text)?|untitled(?:[ _-]?\d+)?|placeholder|description|caption"
    r"|n/?a|none|null|nan|undefined|todo|tbd|test|lorem ipsum.*"
    r"|no (?:description|caption|alt text)(?: available)?",
    re.IGNORECASE,
)
_IMAGE_OF = re.compile(
    rf"\s*(?:an? |the |this is an? |close-?up )?{_MEDIUM} (?:of|showing|with)\b", re.IGNORECASE
)

CANDIDATE_CHECKS: tuple[TextCheck, ...] = (
    TextCheck(
        "empty", "error", "the caption is empty", "Write the caption, or leave the image out.", is_empty
    ),
    TextCheck(
        "line-break", "warning", "the caption spans several lines", "Put it on one line.", has_line_break
    ),
    TextCheck(
        "control-character",
        "warning",
        "the caption contains control characters",
        "Remove tabs and other invisible characters.",
        has_control_character,
    ),
    TextCheck(
        "markup",
        "warning",
        "the caption has Markdown, HTML or a model's tokens (**dog**, <b>, </s>)",
        "Metrics read it as words; `captious data check --fix` takes it out.",
        lambda text: without_markup(text) != text,
    ),
    TextCheck(
        "mojibake",
        "warning",
        "UTF-8 was read as Windows-1252 (Ã© for é)",
        "Decode the original as UTF-8.",
        has_mojibake,
    ),
    TextCheck(
        "replacement-character",
        "warning",
        "characters were lost in decoding (U+FFFD)",
        "Decode the original with its own encoding.",
        lambda text: "\ufffd" in text,
    ),
    TextCheck(
        "tokenised",
        "warning",
        "the text is tokenised (space before punctuation)",
        "Give plain text, not tokens.",
        is_tokenised,
    ),
    TextCheck(
        "lower-case",
        "warning",
        "the caption starts in lower case",
        "Give truecased text; `captious data check --fix` makes the first letter upper case.",
        starts_in_lower_case,
    ),
    TextCheck(
        "no-period",
        "warning",
        "the caption does not end in a period",
        "End captions as sentences; `captious data check --fix` adds the period.",
        lacks_final_period,
    ),
    TextCheck(
        "truncated",
        "warning",
        "the caption breaks off (ends in a, the, with, …)",
        "Let the system finish the sentence.",
        looks_cut_short,
        rare_is_note=True,
    ),
    TextCheck(
        "file-name",
        "warning",
        "the caption is the name of a file",
        "Describe what the image shows.",
        is_file_name,
    ),
    TextCheck(
        "placeholder",
        "warning",
        "the caption is a placeholder (image, untitled, n/a, …)",
        "Describe what the image shows, or leave the image out.",
        is_placeholder,
    ),
    TextCheck(
        "image-of",
        "note",
        'the caption starts with "image of" or similar',
        "Leave it out of alt text: screen readers already announce an image.",
        says_image_of,
    ),
    TextCheck(
        "space",
        "note",
        "leading, trailing or double spaces",
        "Remove them; `captious data check --fix` trims both ends.",
        has_stray_space,
    ),
    TextCheck(
        "long",
        "note",
        f"the caption has more than {LONG_CAPTION} words",
        "Check that it is a single caption.",
        is_very_long,
    ),
)

# The writers of references are not here to be asked: their faults are told, not held against.
REFERENCE_CHECKS: tuple[TextCheck, ...] = tuple(
    check._replace(
        code=f"reference-{check.code}",
        severity="warning" if check.code == "empty" else "note",
        what=check.what.replace("the caption", "the reference"),
    )
    for check in CANDIDATE_CHECKS
    if check.code in ("empty", "markup") or check.code in UNUSUAL
)


def failing_rows(checks: Sequence[TextCheck], texts: Sequence[str]) -> list[tuple[TextCheck, list[int]]]:
    """For each check the rows whose text fails it; checks that none fails are left out."""
    unusual = [row for row, text in enumerate(texts) if not (text.isascii() and text.isprintable())]
    found = []
    for check in checks:
        fails = check.fails
        if check.only_unusual:
            rows = [row for row in unusual if fails(texts[row])]
        else:
            rows = [row for row, text in enumerate(texts) if fails(text)]
        if rows:
            found.append((check, rows))
    return found
