"""Read an export of ours back: the folder, its zip file, or one of the files in it."""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import orjson

from captious.campaigns.exchange.import_entry import survey_answer, training_answer, training_of_rows
from captious.campaigns.exchange.import_store import Imported, ImportedRater, ImportedResponse
from captious.campaigns.records import Draft, Kind, RaterState, Settings, Source, State
from captious.campaigns.setup.create import checked_slug, checked_title
from captious.corpus.images import find_images
from captious.corpus.readers.parquet_size import check_parquet
from captious.corpus.readers.tables import parquet_errors
from captious.errors import InputError, one_line
from captious.files import PIECE, check_directory, refuse_much
from captious.protocols.item import item_from_dict
from captious.tables.formula import unguarded

CAMPAIGN = "campaign.json"
# More than this in a zip of texts is no export of anyone's.
MOST_BYTES = 8 * 2**30
MOST_DIRECTORY = 32 * 2**20
_TABLES = ("responses", "raters")
_ENTRY_TABLES = ("training", "surveys")  # where a campaign has them
EXAMPLES = "training_examples.jsonl"
_SUFFIXES = (".jsonl", ".parquet", ".csv")


def export_folder(path: Path) -> Path | None:
    """The folder of the export that a path belongs to; None where it belongs to none."""
    folder = path if path.is_dir() else path.parent
    own_files = [CAMPAIGN, *(f"{name}{end}" for name in _TABLES for end in _SUFFIXES)]
    if path.is_file() and path.name not in own_files:
        return None
    return folder if (folder / CAMPAIGN).is_file() else None


@contextmanager
def unzipped(path: Path) -> Iterator[Path]:
    """A zip file's export in a temporary folder; only names that an export has are taken out."""
    tables = [f"{name}{end}" for name in (*_TABLES, *_ENTRY_TABLES) for end in _SUFFIXES]
    wanted = {CAMPAIGN, "items.jsonl", "forms.jsonl", EXAMPLES, *tables}
    try:
        with path.open("rb") as file:
            check_directory(file, str(path), MOST_DIRECTORY)
        with zipfile.ZipFile(path) as archive, TemporaryDirectory() as name:
            entries = [one for one in archive.infolist() if Path(one.filename).name in wanted]
            if sum(one.file_size for one in entries) > MOST_BYTES:
                raise InputError(f"{path}: it unpacks to more than {MOST_BYTES >> 30} GB.")
            for one in entries:
                _take_out(archive, one, Path(name), path)
            if not (Path(name) / CAMPAIGN).is_file():
                raise InputError(f"{path}: holds no {CAMPAIGN}. Give a zip file of an export.")
            yield Path(name)
    except zipfile.BadZipFile:
        raise InputError(f"{path}: is not a zip file, or is damaged.") from None


def _take_out(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path, path: Path) -> None:
    """One entry, in pieces: one that lies about its size gives no more than it claims."""
    size = 0
    try:
        with archive.open(entry) as source, (folder / Path(entry.filename).name).open("wb") as out:
            while piece := source.read(PIECE):
                size += len(piece)
                refuse_much(size, entry.compress_size, one_line(f"{path}: {entry.filename}"), MOST_BYTES)
                out.write(piece)
    except (zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        what = one_line(f"{path}: {entry.filename}")
        raise InputError(f"{what}: cannot be unpacked ({one_line(str(error))}). Zip it again.") from None


def read_export(
    folder: Path, *, title: str | None = None, slug: str | None = None, images: Path | None = None
) -> Imported:
    """Everything that an export holds, ready to be stored."""
    about = _json(folder / CAMPAIGN)
    try:
        forms = {row["form"]: row["fields"] for row in _jsonl(folder / "forms.jsonl")}
        rows = list(_jsonl(folder / "items.jsonl"))
        items = [item_from_dict({**row, "fields": forms[row["form"]]}) for row in rows]
        draft = Draft(
            title=checked_title(title or about["title"]),
            slug=checked_slug(slug or about["slug"]),
            protocol=about["protocol"],
            options=about["options"],
            protocol_file=about["protocol_file"],
            seed=about["seed"],
            items=items,
            images=image_paths(images, {item.image: None for item in items}),
            settings=Settings.from_dict(about["settings"]),
            gold={row["key"]: row["gold"] for row in rows if row.get("gold")},
            training=training_of_rows(_optional(folder, "training_examples"), images),
            references=about.get("references", {}),
        )
        found = Imported(
            draft=draft,
            raters=[_rater(row) for row in _table(folder, "raters")],
            responses=[_response(row) for row in _table(folder, "responses")],
            state=_one_of(about["state"], State),
            created=about["created"],
            opened=about["opened"],
            closed_at=about["closed"],
            closed=[row["key"] for row in rows if row.get("closed")],
            called_for={row["key"]: row["from_response"] for row in rows if row.get("from_response")},
            training=[training_answer(row, _value(row["answers"])) for row in _optional(folder, "training")],
            surveys=[survey_answer(row, _value(row["answers"])) for row in _optional(folder, "surveys")],
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"{folder}: is not an export that this version can read: {error} is missing or wrong."
        ) from error
    draft.rules()
    return found


def image_paths(folder: Path | None, images: Mapping[str, object]) -> dict[str, Path]:
    """The files of those images that a folder holds; an import need not have all."""
    if folder is None:
        return {}
    found = zip(images, find_images(folder, list(images)), strict=True)
    return {image: Path(path) for image, path in found if path is not None}


def _one_of(value: Any, kind: Any) -> Any:
    if value not in get_args(kind):
        raise ValueError(f'"{value}"')
    return value


def _rater(row: Mapping[str, Any]) -> ImportedRater:
    return ImportedRater(
        pseudonym=str(row["rater"]),
        name=str(row.get("name") or ""),
        email=str(row.get("email") or ""),
        native=_flag(row["native"]),
        state=_one_of(row["state"], RaterState),
        reason=str(row.get("reason") or ""),
        created=_number(row.get("created")),
        last_seen=_number(row.get("last_seen")),
        record=_value(row.get("record") or None),
        consent_version=str(row.get("consent_version") or ""),
        consent_time=_number(row.get("consent_time")),
    )


def _response(row: Mapping[str, Any]) -> ImportedResponse:
    answers, hints = (_value(row[name]) for name in ("answers", "hints"))
    if not isinstance(answers, dict):
        raise TypeError("answers")
    return ImportedResponse(
        id=int(row["id"]),
        key=str(row["key"]),
        item=str(row["item"]),
        rater=str(row["rater"] or ""),
        answers=answers,
        time=float(row["time"]),
        seconds=_number(row["seconds"]),
        hints=tuple(map(str, hints or ())),
        kind=_one_of(row["kind"], Kind),
        replaces=None if _number(row["replaces"]) is None else int(float(row["replaces"])),
        actor=str(row.get("actor") or ""),
        source=_one_of(row["source"], Source),
        outcome=_value(row.get("outcome") or None),
        untouched=tuple(map(str, _value(row.get("untouched") or None) or ())),
    )


def _number(cell: Any) -> float | None:
    if cell is None or cell == "":
        return None
    value = float(cell)
    return None if math.isnan(value) else value


def _flag(cell: Any) -> bool:
    return cell is True or str(cell).lower() == "true"


def _value(cell: Any) -> Any:
    """A cell that is JSON text in tables, and a value in lines of JSON."""
    return orjson.loads(cell) if isinstance(cell, str) else cell


def _json(path: Path) -> dict[str, Any]:
    try:
        found = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}.") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: is not the description of a campaign.")
    return found


def _jsonl(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        raise InputError(f"{path}: is missing. An export is read back from its whole folder.")
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    yield orjson.loads(line)
                except orjson.JSONDecodeError as error:
                    raise InputError(f"{path}: line {number}: {error}.") from None


def _optional(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """The rows of a table that not every export has."""
    return _table(folder, name) if _file_of(folder, name) is not None else iter(())


def _file_of(folder: Path, name: str) -> Path | None:
    return next((p for end in _SUFFIXES if (p := folder / f"{name}{end}").is_file()), None)


def _table(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """The rows of a table in whichever format it is there."""
    path = _file_of(folder, name)
    if path is None:
        raise InputError(f"{folder}: holds no {name}.jsonl, .parquet or .csv.")
    if path.suffix == ".jsonl":
        yield from _jsonl(path)
    elif path.suffix == ".csv":
        import csv

        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield {name: unguarded(value or "") for name, value in row.items() if name}
    else:
        from pyarrow import parquet

        with parquet_errors(str(path)):
            check_parquet(path.read_bytes(), str(path))
        for batch in parquet.ParquetFile(path).iter_batches():
            yield from batch.to_pylist()
