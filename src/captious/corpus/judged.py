"""Read human judgments: rows of ratings in any of the formats, THumB, Flickr8k, VICR."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from captious.corpus.assemble import ReferenceSets
from captious.corpus.columns import is_list, is_missing, is_table, list_in_text, listed
from captious.corpus.finding_files import read_marked_rows
from captious.corpus.finding_formats import holds_findings
from captious.corpus.findings import Findings
from captious.corpus.given import Given, paths_of, rows_of
from captious.corpus.ids import clean_ids, meet
from captious.corpus.judgments import Judgments
from captious.corpus.load import reference_sets
from captious.corpus.readers import PathText, Rows, read_rows
from captious.corpus.readers.memory import JUDGMENTS, is_path
from captious.corpus.readers.names import NUMBERED_RATING, THUMB_ASPECTS, is_of_use
from captious.corpus.readers.rows import MISSING, Problem, refuse
from captious.corpus.types import Corpus
from captious.corpus.validate import own_references, well_formed
from captious.errors import CaptiousWarning, InputError, as_written, one_line

Cell = TypeVar("Cell")
NEEDS = 'Each row needs "image", "caption" and "rating".'


class JudgedCaptions(NamedTuple):
    """Judgments, and the judged captions if the files contain them.

    `judgments.keys` are the (image id, system) pairs of `corpus`.
    """

    judgments: Judgments
    corpus: Corpus | None


class MarkedCaptions(NamedTuple):
    """Findings, and the captions that they are in: example `i` is row `i` of the corpus."""

    findings: Findings
    corpus: Corpus


class _Ratings(NamedTuple):
    """One column of values: of whom, on what, and for which rows."""

    values: list[object]
    rater: list[str]
    aspect: list[str]


def load_judgments(judgments: Judgments | Findings | Given) -> Judgments:
    """Load human judgments from a file, a table or rows in memory, or a matrix of images by raters.

    The columns of a table are those of files: `image`, `rating`, and optionally `rater`, `system`,
    `aspect`, … A table of numbers without such names, an array or a list of lists is a matrix: one row
    per image, one column per rater, NaN for no rating. `Judgments` are returned unchanged. Findings become
    a score of each caption by each rater, as `Findings.to_judgments` has it.

    >>> load_judgments([{"image": "7", "rater": "x", "rating": 4}]).values.tolist()
    [4.0]
    >>> load_judgments([[5, 4], [2, 2]]).raters
    ['rater 1', 'rater 2']
    """
    if isinstance(judgments, Judgments):
        return judgments
    if isinstance(judgments, Findings):
        return judgments.to_judgments()
    judgments = listed(judgments)
    matrix = _matrix(judgments)
    return matrix if matrix is not None else read_judgments(judgments).judgments


def _matrix(given: Given) -> Judgments | None:
    """Judgments of a matrix; None where it is something else."""
    if is_table(given) and hasattr(given, "to_numpy"):
        names = list(map(str, given.columns))
        if any(map(is_of_use, names)) or not all(_are_numbers(listed(given[name])) for name in given.columns):
            return None
        index = getattr(given, "index", None)
        return Judgments.from_matrix(given.to_numpy(), raters=names, images=listed(index))
    if not is_list(given) or not len(given) or not all(is_list(listed(row)) for row in given):
        return None
    rows = [list(listed(row)) for row in given]
    return Judgments.from_matrix([[math.nan if is_missing(one) else one for one in row] for row in rows])


def _are_numbers(cells: Sequence[object]) -> bool:
    return all(isinstance(cell, int | float) or is_missing(cell) for cell in cells)


def read_judgments(
    path: Any, *, references: PathText | Sequence[PathText] | None = None, only: Sequence[int] | None = None
) -> JudgedCaptions:
    """Read a file of human judgments, with the captions and references it contains.

    Rows of `image`, `caption`, `references`, `rating` (and `system`, `rater`, `aspect`, `stage`,
    `example`, `time`, `image_path`, `objects`) as JSON lines, JSON, CSV or Parquet; THumB's file, whose
    aspects become precision, recall, fluency, conciseness, inclusive_language and total; rows with a
    list of `ratings` (the `pairs.jsonl` of a rating game); tables with a column for each rating (VICR);
    Flickr8k's expert and CrowdFlower files, whose captions come from the token file given as
    `references`.

    Captions without a system are numbered from 1 within each image, in order of appearance, so each has
    its own key; Flickr8k's are named by their caption id. `only` selects rows, counted from 0.

    Of a file of findings each rater's are a score of the caption, as `Findings.to_judgments` has it.
    """
    if is_path(path) and holds_findings(path):
        if only is not None:
            raise InputError(f"{path}: findings have no columns to choose rows by. Leave where and by out.")
        marked = read_marked(path, references=references)
        return JudgedCaptions(marked.findings.to_judgments(), marked.corpus)
    rows, *others = rows_of(path, JUDGMENTS)
    if others:
        raise InputError(f"judgments: {1 + len(others)} files or tables were given. Give one with all rows.")
    if only is not None:
        rows = rows.taken(only)
    files = paths_of(references, "references") if references is not None else []
    reference_rows = [read_rows(one) for one in files]
    sets = reference_sets(reference_rows) if reference_rows else None
    if rows.format in ("flickr8k-expert", "flickr8k-crowdflower"):
        return _flickr8k(rows, reference_rows, sets)
    refuse(rows.source, rows.problems)
    _refuse_items(rows)
    rows = _rated(_one_column_each(rows))
    images = _images(rows)
    columns = _rating_columns(rows)
    systems, corpus = _examples(rows, images, sets)
    return JudgedCaptions(_judgments(rows, images, systems, columns), corpus)


def read_marked(path: PathText, *, references: PathText | Sequence[PathText] | None = None) -> MarkedCaptions:
    """Read a file of findings, with the captions, references and objects that it contains."""
    findings, rows = read_marked_rows(path)
    if not len(rows):
        raise InputError(f"{path}: contains no findings. Write one row per finding.")
    sets = None
    if references is not None:
        sets = reference_sets([read_rows(one) for one in paths_of(references, "references")])
    _, corpus = _examples(rows, [image for image, _ in findings.keys], sets)
    if corpus is None or len(corpus) != len(findings.keys):
        raise InputError(f"{path}: two examples are the same caption. Give each an id of its own.")
    return MarkedCaptions(findings, corpus)


def _refuse_items(rows: Rows) -> None:
    """The items of an export have a column `target`, which in other files is a rating."""
    if (rows.key("rating", ""), rows.key("references", "")) == ("target", "captions"):
        raise InputError(
            f"{rows.source}: lists the items of a campaign, without ratings. "
            "Give judgments.jsonl or final.jsonl of the same export."
        )


def _one_column_each(rows: Rows) -> Rows:
    """Rows with a list of ratings as rows with a column for each; what sums the list up is dropped."""
    cells = [listed(list_in_text(cell)) for cell in rows.columns.get("ratings", [])]
    if not cells or not all(is_list(cell) for cell in cells):
        return rows
    for row, cell in enumerate(cells):
        if not len(cell):
            raise InputError(
                f'{rows.source}: {rows.places[row]}: "ratings" is empty. Give each pair a rating.'
            )
    widest = max(map(len, cells))
    kept = {name: column for name, column in rows.columns.items() if not NUMBERED_RATING.fullmatch(name)}
    each = {
        f"rating {place + 1}": [cell[place] if place < len(cell) else None for cell in cells]
        for place in range(max(widest, 2))
    }
    return replace(rows, columns=kept | each)


def _rated(rows: Rows) -> Rows:
    """The rows that have a rating: null or an empty cell means no rating."""
    cells = rows.columns.get("rating")
    if cells is None or len(_numbered(rows)) > 1 or "P" in rows.columns:
        return rows
    kept = [row for row, cell in enumerate(cells) if not _unrated(cell)]
    if not kept and cells:
        raise InputError(f"{rows.source}: no row has a rating; all {len(cells):,} are empty. {NEEDS}")
    left_out = len(cells) - len(kept)
    if not left_out:
        return rows
    said = f"{rows.source}: {left_out:,} of {len(cells):,} rows have no rating and are left out."
    warnings.warn(said, CaptiousWarning, stacklevel=3)
    return rows.taken(kept)


def _numbered(rows: Rows) -> list[str]:
    return [name for name in rows.columns if NUMBERED_RATING.fullmatch(name)]


def _unrated(cell: object) -> bool:
    return cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell))


def _images(rows: Rows) -> list[str]:
    ids = clean_ids(rows.columns.get("image", [MISSING] * len(rows)))
    found = []
    for row, image in enumerate(ids):
        if image is None:
            what = f'"{rows.key("image", "image")}" is missing or not an id'
            refuse(rows.source, [Problem("missing-id", rows.places[row], what, NEEDS)])
        else:
            found.append(image)
    return found


def _rating_columns(rows: Rows) -> list[_Ratings]:
    n = len(rows)
    numbered = _numbered(rows)
    if {"P", "R"} <= rows.columns.keys():
        held = {**rows.columns, "human_score": rows.columns.get("rating")}
        return [
            _Ratings(column, [""] * n, [aspect] * n)
            for key, aspect in THUMB_ASPECTS.items()
            if (column := held.get(key)) is not None
        ]
    if len(numbered) > 1:
        return [
            _Ratings(rows.columns[name], [str(place)] * n, ["overall"] * n)
            for place, name in enumerate(numbered, 1)
        ]
    if "rating" in rows.columns:
        raters = _texts(rows, "rater", "")
        aspects = _texts(rows, "aspect", "overall")
        return [_Ratings(rows.columns["rating"], raters, aspects)]
    raise InputError(f'{rows.source}: no "rating" in it. {NEEDS}')


def _texts(rows: Rows, role: str, default: str) -> list[str]:
    column = rows.columns.get(role)
    if column is None:
        return [default] * len(rows)
    return [default if cell in (None, "", MISSING) else str(cell) for cell in column]


def _judgments(rows: Rows, images: list[str], systems: list[str], columns: list[_Ratings]) -> Judgments:
    may_be_empty = len(columns) > 1
    stages, times = _texts(rows, "stage", ""), _texts(rows, "time", "nan")
    examples, captions = _texts(rows, "example", ""), _texts(rows, "caption", "")
    places: list[int] = []
    values: list[float] = []
    raters: list[str] = []
    aspects: list[str] = []
    for row in range(len(images)):
        for column in columns:
            cell = column.values[row]
            if may_be_empty and (cell is MISSING or _unrated(cell)):
                continue
            values.append(_number(rows, row, cell))
            places.append(row)
            raters.append(column.rater[row])
            aspects.append(column.aspect[row])
    return Judgments.from_columns(
        images=[images[row] for row in places],
        systems=[systems[row] for row in places],
        captions=[captions[row] for row in places],
        examples=[examples[row] for row in places],
        raters=raters,
        aspects=aspects,
        values=values,
        stages=[stages[row] for row in places],
        times=[_number(rows, row, times[row], finite=False) for row in places],
    )


def _number(rows: Rows, row: int, cell: object, *, finite: bool = True) -> float:
    if isinstance(cell, (int, float, str)) and not isinstance(cell, bool):
        try:
            value = float(cell)
        except ValueError:
            value = math.nan
            finite = True
        if math.isfinite(value) or not finite:
            return value
    shown = "missing" if cell is MISSING else f'"{as_written(cell, 40)}"'
    raise InputError(f"{rows.source}: {rows.places[row]}: the rating is {shown}. A rating must be a number.")


def _examples(rows: Rows, images: list[str], sets: ReferenceSets | None) -> tuple[list[str], Corpus | None]:
    """The system of each row, and a corpus of the distinct captions."""
    if "caption" not in rows.columns:
        return _texts(rows, "system", rows.stem), None
    checked = well_formed(rows)
    refuse(rows.source, checked.problems)
    systems = _systems(rows, images, checked.captions)
    first: dict[tuple[str, str, str], int] = {}
    for row, key in enumerate(zip(images, systems, _texts(rows, "example", ""), strict=True)):
        earlier = first.setdefault(key, row)
        if checked.captions[earlier] != checked.captions[row]:
            raise InputError(
                f'{rows.source}: {rows.places[row]}: system "{one_line(key[1], 40)}" has another '
                f"caption for the image at {rows.places[earlier]}. Give each system its own name."
            )
    places = list(first.values())
    references = None
    if sets is not None:
        references = _looked_up(rows, images, sets)
    elif "references" in rows.columns:
        references, problems = own_references(rows)
        refuse(rows.source, problems)
    corpus = Corpus.from_lists(
        [checked.captions[row] for row in places],
        [references[row] for row in places] if references is not None else None,
        image_ids=[images[row] for row in places],
        systems=[systems[row] for row in places],
        image_paths=_cells(rows, images, "image_path", str) or None,
        objects=_cells(rows, images, "objects", list) or None,
    )
    return systems, corpus


def _systems(rows: Rows, images: list[str], captions: list[str]) -> list[str]:
    if "system" in rows.columns:
        return _texts(rows, "system", "")
    numbers: dict[str, dict[str, str]] = {}
    for image, caption in zip(images, captions, strict=True):
        own = numbers.setdefault(image, {})
        own.setdefault(caption, str(len(own) + 1))
    if all(len(own) == 1 for own in numbers.values()):
        return [rows.stem] * len(images)
    return [numbers[image][caption] for image, caption in zip(images, captions, strict=True)]


def _looked_up(rows: Rows, images: list[str], sets: ReferenceSets) -> list[list[str]]:
    spelled = meet(images, sets.ids)
    found = []
    for row, image in enumerate(images):
        place = sets.ids.get(spelled.get(image, image))
        if place is None:
            raise InputError(
                f'{rows.source}: {rows.places[row]}: image "{one_line(image, 40)}" has no '
                "references. Add them to the reference file."
            )
        found.append(sets.sets[place])
    return found


def _cells(rows: Rows, images: list[str], role: str, kind: type[Cell]) -> dict[str, Cell]:
    column = rows.columns.get(role, [])
    return {image: cell for image, cell in zip(images, column, strict=False) if isinstance(cell, kind)}


def _flickr8k(rows: Rows, reference_rows: Sequence[Rows], sets: ReferenceSets | None) -> JudgedCaptions:
    images = [str(image) for image in rows.columns["image"]]
    caption_ids = [str(caption_id) for caption_id in rows.columns["caption_id"]]
    names = [name for name in rows.columns if name not in ("image", "caption_id")]
    expert = rows.format == "flickr8k-expert"
    n = len(images)
    columns = [
        _Ratings(rows.columns[name], [name if expert else ""] * n, ["overall" if expert else name] * n)
        for name in names
    ]
    judgments = _judgments(rows, images, caption_ids, columns)
    if sets is None:
        return JudgedCaptions(judgments, None)
    texts = _captions_by_id(rows, reference_rows)
    captions = []
    for row, caption_id in enumerate(caption_ids):
        if caption_id not in texts:
            raise InputError(
                f'{rows.source}: {rows.places[row]}: caption "{one_line(caption_id, 40)}" is not '
                "in the token file. Give Flickr8k.token.txt as references."
            )
        captions.append(texts[caption_id])
    corpus = Corpus.from_lists(
        captions, _looked_up(rows, images, sets), image_ids=images, systems=caption_ids
    )
    return JudgedCaptions(judgments, corpus)


def _captions_by_id(rows: Rows, reference_rows: Sequence[Rows]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for one in reference_rows:
        keys, captions = one.columns.get("caption_id"), one.columns.get("caption")
        if keys is None or captions is None:
            raise InputError(
                f"{one.source}: contains no caption ids, by which {rows.source} refers to captions. "
                "Give Flickr8k.token.txt as references."
            )
        texts.update(zip(map(str, keys), map(str, captions), strict=True))
    return texts
