"""`captious get benchmarks` and `get rows`: obtaining a benchmark, its files, its captions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from captious.cli import benchmark_options as own
from captious.cli import options
from captious.cli.output import Format
from captious.errors import InputError

if TYPE_CHECKING:
    from captious.benchmarks.data_files import Source
    from captious.tables import Cell


def benchmarks(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Names of benchmarks. Default: list all.")
    ] = None,
    where: Annotated[
        bool, typer.Option("--where", help="Show where each file belongs, and whether it is the tested copy.")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="DIR",
            help="Folder of the benchmark data. Default: $CAPTIOUS_DATA, else your data folder.",
        ),
    ] = None,
    form: options.OutputFormat = Format.table,
) -> None:
    """Download, list or find benchmark data.

    Without names, lists each benchmark's paper, licence and page, and whether its files are present.
    With names, downloads the files that have a direct address and prints what is left to do by hand.
    Exit code 1 if a named benchmark's file is missing.

    Example: captious get benchmarks nebula
    """
    if where:
        _where(names or [], data, form)
    elif names:
        if form is not Format.table:
            raise InputError("--format is for the list and for --where. Leave out the names, or the format.")
        _get(names, data)
    else:
        _list(data, form)


def _list(data: Path | None, form: Format) -> None:
    from captious.benchmarks.data_files import SOURCES
    from captious.cli.output import emit
    from captious.tables import Table

    folder = _looked_in(data)
    rows: list[list[Cell]] = []
    payload = {}
    for one in SOURCES.values():
        here = sum((folder / file.path).is_file() for file in one.files)
        state = "present" if here == len(one.files) else "part" if here else "missing"
        rows.append([one.name, state, one.paper, one.licence, one.page or "none"])
        payload[one.name] = _facts(one, folder) | {"state": state}
    header = ["benchmark", "state", "released with", "licence", "page"]
    emit(Table(f"data folder: {folder}", header, rows), payload, form)


def _where(names: list[str], data: Path | None, form: Format) -> None:
    from captious.benchmarks.data_files import SOURCES, known_source, state_of
    from captious.cli.output import emit
    from captious.tables import Table

    folder = _looked_in(data)
    sources = [known_source(name) for name in names or SOURCES]
    rows: list[list[Cell]] = [
        [one.name, state_of(file, folder), file.sha256[:16] or "unknown", str(folder / file.path)]
        for one in sources
        for file in one.files
    ]
    table = Table("", ["benchmark", "state", "SHA-256 begins", "file"], rows)
    emit(table, {one.name: _facts(one, folder) for one in sources}, form)
    if names and any(row[1] == "missing" for row in rows):
        raise typer.Exit(1)


def _get(names: list[str], data: Path | None) -> None:
    from captious.benchmarks.data_files import known_source, obtain
    from captious.cli.output import note

    sources = [known_source(name) for name in names]
    whole = True
    for one in sources:
        note(f"{one.name}: {one.paper}. Licence: {one.licence}. Page: {one.page or 'none'}")
        found = obtain(one.name, data)
        for path, state in found.states.items():
            fetched = "downloaded, " if path in found.fetched else ""
            print(f"{found.folder / path}: {fetched}{state}")
        if found.steps:
            print(f"{one.name}: cannot be downloaded completely. {found.steps}.")
        whole = whole and found.whole
    if not whole:
        raise typer.Exit(1)


def rows(
    name: own.Benchmark,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="File to write: .csv, .jsonl or .parquet.")
    ],
    data: own.Data = None,
    human: own.Human = None,
    leaked: own.Leaked = None,
    release: own.Release = None,
    subset: own.Subset = None,
    objects: own.Objects = None,
    images: own.Images = None,
    reference_count: own.ReferenceCount = None,
    csv_safe: options.CsvSafe = False,
) -> None:
    """Write what a benchmark scores: captions, ids, references.

    Score them with a program of your own, keep the column id, and evaluate the scores with
    captious meta NAME --scores FILE.

    Example: captious get rows thumb --out thumb.jsonl
    """
    from captious.benchmarks import ExtraInputs, load_benchmark
    from captious.benchmarks.scores import example_rows
    from captious.cli.output import note
    from captious.corpus.write import check_item_path, write_columns

    check_item_path(out)
    loaded = load_benchmark(
        name,
        data,
        ExtraInputs(objects, images, reference_count),
        human=human,
        leaked=leaked,
        release=release,
        subset=subset,
    )
    for line in loaded.notes:
        note(line)
    columns = example_rows(loaded)
    write_columns(columns, out, csv_safe=csv_safe)
    note(f"wrote {len(columns['id']):,} rows to {out}")


def _looked_in(data: Path | None) -> Path:
    """The folder that commands read, or where files would be put if there is none."""
    from captious.benchmarks.data_files import MissingDataError, data_folder, folder_to_fill

    if data is not None:
        return data_folder(data)
    try:
        return data_folder()
    except MissingDataError:
        return folder_to_fill()


def _facts(one: Source, folder: Path) -> dict[str, object]:
    from captious.benchmarks.data_files import state_of

    files = [file._asdict() | {"state": state_of(file, folder)} for file in one.files]
    return one._asdict() | {"folder": str(folder), "files": files}
