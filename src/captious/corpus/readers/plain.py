"""Files without keys: Flickr8k's token and judgment files, and a caption a line."""

from __future__ import annotations

from captious.corpus.readers.open import Source
from captious.corpus.readers.rows import Column, Places, Problem, Rows
from captious.errors import InputError, one_line

EXPERT_RATERS = 3  # Hodosh, Young and Hockenmaier (2013): three experts, ratings of 1 to 4


def read_lines(source: Source) -> Rows:
    """A caption a line; the image id is the line's number, so that files meet line by line."""
    # Only newlines end a line: str.splitlines() would also split at rare separators in captions.
    lines = source.data.decode("utf-8").removesuffix("\n").split("\n")
    captions: Column = [line.removesuffix("\r") for line in lines]
    numbers: Column = list(range(1, len(lines) + 1))
    return Rows(
        source=source.name,
        stem=source.stem,
        format="lines",
        columns={"image": numbers, "caption": captions},
        places=Places("line"),
    )


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
