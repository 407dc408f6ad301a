"""Files of captions and of protocols: bounded also in what they unpack to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from captious.corpus.readers.open import PARQUET
from captious.corpus.readers.parquet_size import check_parquet
from captious.corpus.readers.spreadsheet import ZIP, sheet_as_csv
from captious.corpus.readers.tables import parquet_errors
from captious.errors import InputError
from captious.unpack import GZIP, gunzip
from captious.web.admin.uploads.upload import LIMITS, Limits, Upload, copy_bounded, shown_name


def save_texts(uploads: Sequence[Upload], folder: Path, limits: Limits = LIMITS) -> list[Path]:
    """Copy files of captions into a folder, each under its own name."""
    if len(uploads) > limits.text_files:
        raise InputError(f"{len(uploads)} caption files are too many. Use {limits.text_files} at most.")
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for upload in uploads:
        path = folder / shown_name(upload)
        if path.exists():
            raise InputError(f"{path.name}: two files have this name. Rename one.")
        copy_bounded(upload.file, path, limits.text_bytes, path.name)
        _refuse_bomb(path, limits)
        found.append(path)
    return found


def _refuse_bomb(path: Path, limits: Limits) -> None:
    """Refuse what unpacks to more than a plain file may hold, before anybody unpacks it whole."""
    data = path.read_bytes()
    try:
        if data.startswith(GZIP):
            data = gunzip(data, path.name, limits.text_bytes)
        if data.startswith(PARQUET):
            with parquet_errors(path.name):
                check_parquet(data, path.name, limits.table_bytes)
        if data.startswith(ZIP):
            sheet_as_csv(data, path.name, limits.text_bytes)
    except InputError:
        path.unlink()
        raise


def read_protocol_text(upload: Upload, limits: Limits = LIMITS) -> str:
    """The text of a protocol file."""
    data = upload.file.read(limits.protocol_bytes + 1)
    name = shown_name(upload)
    if len(data) > limits.protocol_bytes:
        raise InputError(f"{name}: over {limits.protocol_bytes // 1000} kB. Make it shorter.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{name}: is not text in UTF-8. Save the protocol as UTF-8.") from None
