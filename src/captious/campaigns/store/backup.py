"""Backup and restore: one portable file that either engine can be restored from.

A zip of one JSON-lines file a table, written in one read transaction (raters go on working
meanwhile), the image files, and a manifest with the digest of each. Sessions and failed sign-ins
are not in it.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import orjson
from sqlalchemy import Connection, MetaData, Table, func, select, text
from sqlalchemy.exc import CompileError, DataError, IntegrityError, ProgrammingError, SAWarning

from captious._version import __version__
from captious.campaigns.store import migrations, schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.pictures.clean import MOST_PIXELS
from captious.errors import InputError, one_line
from captious.files import atomically, check_directory, check_output

FORMAT = "captious-backup"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
MOST_MANIFEST = 256 * 2**20
MOST_DIRECTORY = 512 * 2**20
LONGEST_ROW = 64 * 2**20
# Of zipfile: damage, a password, a compression that it does not know.
UNREADABLE = (OSError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)
# Of rows that are none of the tables'.
MISFITS = (CompileError, DataError, IntegrityError, ProgrammingError, OverflowError)
# An image that was encoded anew may have grown, but not beyond its pixels.
LARGEST_FILE = 8 * MOST_PIXELS
CHUNK = 1000
_LEFT_OUT = ("session", "sign_in_try", "searched", "move_count", "erasing")
TABLES = tuple(table for table in schema.metadata.sorted_tables if table.name not in _LEFT_OUT)
_IMAGE = re.compile(r"images/[0-9a-f]{2}/[0-9a-f]{64}")
_SOUND = re.compile(r"recordings/[0-9a-f]{2}/[0-9a-f]{64}\.[a-z0-9]{3,4}")
_TABLE = re.compile(r"tables/([a-z_]+)\.jsonl")


class BackedUp(NamedTuple):
    """What a backup holds."""

    campaigns: int
    responses: int
    images: int
    bytes: int


def backup(db: Database, path: Path) -> BackedUp:
    """Write everything into one file, while the campaigns go on."""
    check_output(path)
    digests: dict[str, str] = {}
    counts: dict[str, int] = {}
    with atomically(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        with db.snapshot() as connection:
            for table in TABLES:
                name = f"tables/{table.name}.jsonl"
                # orjson takes plain strings as keys; SQLAlchemy's names are a kind of their own.
                digests[name], counts[str(table.name)] = _write_table(archive, connection, table)
            images = [*connection.execute(select(schema.image.c.digest).distinct()).scalars()]
            sounds = [*connection.execute(select(schema.recording.c.name).distinct()).scalars()]
        for digest in images:
            name = f"images/{digest[:2]}/{digest}"
            _write_image(archive, db.files / name, name)
            digests[name] = digest
        for sound in sounds:
            name = f"recordings/{sound[:2]}/{sound}"
            _write_image(archive, db.files / name, name)
            digests[name] = sound.partition(".")[0]
        manifest = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "captious": __version__,
            "revision": migrations.HEAD,
            "made": db.now(),
            "rows": counts,
            "sha256": digests,
        }
        archive.writestr(MANIFEST, orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    return BackedUp(counts["campaign"], counts["response"], len(images), path.stat().st_size)


def _write_image(archive: zipfile.ZipFile, path: Path, name: str) -> None:
    try:
        archive.write(path, name, zipfile.ZIP_STORED)
    except OSError as error:
        raise InputError(
            f"{path}: the file is gone: {error.strerror}. Put it back, or name the folder with --files."
        ) from None


def _write_table(archive: zipfile.ZipFile, connection: Connection, table: Table) -> tuple[str, int]:
    digest = hashlib.sha256()
    count = 0
    columns = [column for column in table.columns if column.computed is None]
    names = [str(column.name) for column in columns]
    rows = connection.execution_options(yield_per=CHUNK).execute(
        select(*columns).order_by(*table.primary_key.columns)
    )
    with archive.open(f"tables/{table.name}.jsonl", "w", force_zip64=True) as out:
        for row in rows:
            line = orjson.dumps(dict(zip(names, row, strict=True))) + b"\n"
            out.write(line)
            digest.update(line)
            count += 1
    return digest.hexdigest(), count


def restore(path: Path, url: str | Path, files: Path | None = None) -> BackedUp:
    """Make a database from a backup, on either engine; one that holds anything is refused.

    Every part is checked against the manifest before the first row is written.
    """
    try:
        with path.open("rb") as file:
            check_directory(file, str(path), MOST_DIRECTORY)
        with zipfile.ZipFile(path) as archive:
            manifest = _manifest(archive, path)
            _verify(archive, manifest, path)
            with Database.open(url, files=files, new=manifest["revision"]) as db:
                _refuse_filled(db)
                _restore_images(archive, manifest, db)
                with db.write() as connection:
                    _restore_tables(archive, manifest, connection, path)
    except UNREADABLE as error:
        raise InputError(f"{path}: cannot be read as a backup: {error}.") from error
    rows = manifest["rows"]
    images = sum(name.startswith("images/") for name in manifest["sha256"])
    return BackedUp(rows["campaign"], rows["response"], images, path.stat().st_size)


def _manifest(archive: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    try:
        with archive.open(MANIFEST) as part:
            found = orjson.loads(part.read(MOST_MANIFEST))
    except (KeyError, orjson.JSONDecodeError):
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(
            f"{path}: this is not a backup made by captious. Make one with: captious campaign backup FILE"
        )
    try:
        other = found["version"] > FORMAT_VERSION or found["revision"] not in migrations.revisions()
        counted = all(type(found["rows"][name]) is int for name in ("campaign", "response"))
    except (KeyError, TypeError):
        other = counted = False
    if other:
        made_by = found.get("captious")
        raise InputError(f"{path}: made by another version of captious ({made_by}). Restore it with that.")
    if not counted or not isinstance(found.get("sha256"), dict):
        raise InputError(f"{path}: its manifest is not that of a backup. Take another backup.")
    return found


def _verify(archive: zipfile.ZipFile, manifest: dict[str, Any], path: Path) -> None:
    there = {*archive.namelist()} - {MANIFEST}
    if there != {*manifest["sha256"]}:
        raise InputError(f"{path}: its parts are not those that its manifest names.")
    for name, digest in manifest["sha256"].items():
        if not (_IMAGE.fullmatch(name) or _SOUND.fullmatch(name) or _TABLE.fullmatch(name)):
            raise InputError(f"{path}: it holds {name!r}, which no backup does.")
        with archive.open(name) as part:
            if _sha256(part, f"{path}: {name}", of_a_file=not _TABLE.fullmatch(name)) != digest:
                raise InputError(f"{path}: {name} is damaged. Take another backup.")


def _sha256(part: IO[bytes], name: str, *, of_a_file: bool) -> str:
    digest, size = hashlib.sha256(), 0
    while chunk := part.read(1 << 20):
        digest.update(chunk)
        size += len(chunk)
        if of_a_file and size > LARGEST_FILE:
            raise InputError(f"{name}: is larger than any image or recording.")
    return digest.hexdigest()


def _refuse_filled(db: Database) -> None:
    with db.read() as connection:
        for table in (schema.campaign, schema.account):
            if connection.execute(select(func.count()).select_from(table)).scalar():
                raise InputError("restore: the database is not empty. Give a new file or an empty database.")


def _restore_images(archive: zipfile.ZipFile, manifest: dict[str, Any], db: Database) -> None:
    for name in manifest["sha256"]:
        if _IMAGE.fullmatch(name) or _SOUND.fullmatch(name):
            target = db.files / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with atomically(target) as temporary, archive.open(name) as part, temporary.open("wb") as out:
                shutil.copyfileobj(part, out)


def _restore_tables(
    archive: zipfile.ZipFile, manifest: dict[str, Any], connection: Connection, path: Path
) -> None:
    """Fill the tables as they were at the backup's revision, then bring them up to date."""
    then = MetaData()
    with warnings.catch_warnings():
        # SQLite cannot show the index on an expression; only columns are wanted here.
        warnings.simplefilter("ignore", SAWarning)
        then.reflect(connection)
    known = {table.name for table in TABLES}
    for table in then.sorted_tables:
        name = f"tables/{table.name}.jsonl"
        if table.name in known and name in manifest["sha256"]:
            try:
                with archive.open(name) as lines:
                    for chunk in _chunks(lines):
                        connection.execute(table.insert(), chunk)
            except (*MISFITS, _NoRowError) as error:
                what = one_line(str(getattr(error, "orig", error)), 120)
                raise InputError(f"{path}: {name}: its rows do not fit the table ({what}).") from None
            if connection.dialect.name == "postgresql" and "id" in table.columns:
                connection.execute(
                    text(
                        f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), "
                        f"coalesce(max(id), 1), max(id) IS NOT NULL) FROM {table.name}"
                    )
                )
    migrations.migrate_to(connection, migrations.HEAD)


class _NoRowError(Exception):
    """A line that is no row."""


def _chunks(lines: IO[bytes]) -> Iterator[list[dict[str, Any]]]:
    chunk: list[dict[str, Any]] = []
    for number, line in enumerate(iter(lambda: lines.readline(LONGEST_ROW), b""), 1):
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError:
            row = None
        if not isinstance(row, dict):
            raise _NoRowError(f"line {number} is no row")
        chunk.append({name: _plain(value) for name, value in row.items()})
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _plain(value: Any) -> Any:
    """JSON columns are texts in the database."""
    return orjson.dumps(value).decode() if isinstance(value, (dict, list)) else value
