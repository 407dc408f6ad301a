"""Files without keys: Flickr8k's token and judgment files, and a caption a line."""

from __future__ import annotations

import re

from captious.corpus.readers.names import ROLES
from captious.corpus.readers.open import Source
from captious.corpus.readers.rows import Column, Places, Problem, Rows
from captious.errors import InputError, one_line

_HEADERS = {name for role in ("caption", "references") for name in ROLES[role]}
# What may stand before a caption, in how many lines at least, so that no single caption is taken for it.
_BEFORE_CAPTIONS = (
    ("a tag", 1, re.compile(r"\s*</?[a-z][^<>]*>", re.I).match),
    ("a tab", 1, re.compile(r"[^\t]*\t").match),
    ("a file name", 1, re.compile(r"\s*[\"']?[^\s,;|]+\.(?:jpe?g|png|gif|webp|bmp|tiff?)\b", re.I).match),
    ("an id", 2, re.compile(r"\s*[\"']?\d{4,}[\"']?\s*[,;|:\s]\s*\D").match),
    ("a key", 2, re.compile(r"\s*[\"']?[\w./#-]+[\"']?\s*(?::\s|=|\|)").match),
)
_NUMBER = re.compile(r"\s*(?P<number>\d{1,9})(?P<mark>[.):\]-]?)\s")
_SURELY_COUNTED = 5
_NEARLY_ALL = 0.9  # of the lines: one may be broken, or a header
EXPERT_RATERS = 3  # Hodosh, Young and Hockenmaier (2013): three experts, ratings of 1 to 4


def read_lines(source: Source) -> Rows:
    """A caption a line; the image id is the line's number, so that files meet line by line."""
    # Only newlines end a line: str.splitlines() would also split at rare separators in captions.
    lines = source.data.decode("utf-8").removesuffix("\n").split("\n")
    lines = [line.removesuffix("\r") for line in lines]
    _refuse_columns(source, [line for line in lines if line.strip()])
    captions: Column = [*lines]
    numbers: Column = list(range(1, len(lines) + 1))
    return Rows(
        source=source.name,
        stem=source.stem,
        format="lines",
        columns={"image": numbers, "caption": captions},
        places=Places("line"),
    )


def _refuse_columns(source: Source, lines: list[str]) -> None:
    """Refuse lines that hold more than a caption: an id, a number or a header would be scored as words."""
    first = lines[0].strip()
    if first.casefold() in _HEADERS and len(lines) > 1:
        raise InputError(
            f'{source.name}: line 1: "{first}" looks like a header, which would be read as a caption. '
            "Remove it, or add a column of image ids: image_id,caption."
        )
    more = _before_captions(lines)
    if more is None and _numbered(lines):
        more = "its own number", first
    if more is not None:
        what, line = more
        raise InputError(
            f'{source.name}: every line has {what}, as in "{one_line(line, 40)}", which would be read as '
            "words. Start the file with a header, such as image_id,caption, and put one delimiter between "
            "the columns; or keep the captions alone."
        )


def _before_captions(lines: list[str]) -> tuple[str, str] | None:
    """What stands before the captions in nearly all lines, and the first such line."""
    for what, least, pattern in _BEFORE_CAPTIONS:
        found = [line for line in lines if pattern(line)]
        if len(found) >= max(least, _NEARLY_ALL * len(lines)):
            return what, found[0].strip()
    return None


def _numbered(lines: list[str]) -> bool:
    """Whether lines are a list that counts from 0 or 1: "1. A dog", "2) A cat", "3 Two birds"."""
    found = [_NUMBER.match(line) for line in lines]
    numbers = [int(one["number"]) for one in found if one is not None]
    counted = len(lines) > 1 and numbers in (list(range(len(lines))), list(range(1, len(lines) + 1)))
    marked = all(one is not None and one["mark"] for one in found)
    return counted and (marked or len(lines) >= _SURELY_COUNTED)  # "1 dog" and "2 cats" are captions


def read_flickr8k_tokens(source: Source) -> Rows:
    """Flickr8k's captions: `image#k TAB text`."""
    images: Column = []
    captions: Column = []
    caption_ids: Column = []
    numbers: list[int] = []
    problems: list[Problem] = []
    for number, line in _filled_lines(source):
        caption_id, tab, text = line.partition("\t")
        image, hash_sign, _ = caption_id.rpartition("#")
        if not tab or not hash_sign:
            mend = "Each line needs image#number, a tab and the caption."
            problems.append(Problem("shape", f"line {number}", f'found "{one_line(line, 40)}"', mend))
            continue
        images.append(image)
        captions.append(text)
        caption_ids.append(caption_id)
        numbers.append(number)
    return Rows(
        source=source.name,
        stem=source.stem,
        format="flickr8k-tokens",
        columns={"image": images, "caption": captions, "caption_id": caption_ids},
        places=Places("line", numbers),
        problems=problems,
        grouped=True,
    )


def read_flickr8k_judgments(source: Source, format_name: str) -> Rows:
    """Flickr8k's judgments: `image TAB image#k` and three ratings, or share of yes, yes, no."""
    expert = format_name == "flickr8k-expert"
    names = [str(i + 1) for i in range(EXPERT_RATERS)] if expert else ["overall", "yes", "no"]
    columns: dict[str, Column] = {"image": [], "caption_id": [], **{name: [] for name in names}}
    numbers: list[int] = []
    for number, line in _filled_lines(source):
        image, _, rest = line.partition("\t")
        caption_id, *values = rest.split("\t")
        try:
            found = [float(value) for value in values]
        except ValueError:
            found = []
        if len(found) != len(names):
            raise InputError(
                f'{source.name}: line {number}: found "{one_line(line, 60)}". '
                "Each line needs an image, a caption id and three numbers, between tabs."
            )
        columns["image"].append(image)
        columns["caption_id"].append(caption_id)
        for name, value in zip(names, found, strict=True):
            columns[name].append(value)
        numbers.append(number)
    return Rows(source.name, source.stem, format_name, columns, Places("line", numbers))


def _filled_lines(source: Source) -> list[tuple[int, str]]:
    lines = source.data.decode("utf-8").split("\n")
    return [(i, line.rstrip("\r")) for i, line in enumerate(lines, 1) if line.strip()]
