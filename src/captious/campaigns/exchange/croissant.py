"""A Croissant 1.0 description of exported files: what is in them, column by column, with checksums.

Croissant (Akhtar et al. 2024) is JSON-LD on top of schema.org/Dataset that data-set search engines
and loaders read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from captious._version import __version__

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
TEXT, NUMBER, WHOLE, YES_NO = "sc:Text", "sc:Float", "sc:Integer", "sc:Boolean"
MEDIA_TYPES = {
    ".csv": "text/csv",
    ".jsonl": "application/jsonlines",
    ".parquet": "application/x-parquet",
    ".json": "application/json",
    ".md": "text/markdown",
}
_PLAIN_TERMS = (
    "citeAs",
    "column",
    "equivalentProperty",
    "extract",
    "field",
    "fileProperty",
    "fileObject",
    "fileSet",
    "format",
    "includes",
    "isLiveDataset",
    "jsonPath",
    "key",
    "md5",
    "parentField",
    "path",
    "recordSet",
    "references",
    "regex",
    "repeated",
    "replace",
    "samplingRate",
    "separator",
    "source",
    "subField",
    "transform",
)
# The context that the Croissant 1.0 specification prescribes.
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _PLAIN_TERMS},
}


class Column(NamedTuple):
    """A column of a file: its name, its kind (`sc:Text`, ...) and what it holds."""

    name: str
    kind: str
    about: str


class Described(NamedTuple):
    """A file of the export; `columns` where it is a table."""

    path: Path
    about: str
    columns: tuple[Column, ...] = ()


class DataSet(NamedTuple):
    """What is said of the export as a whole; what is not known is left out."""

    name: str
    title: str
    about: str
    published: float
    cite_as: str = ""
    license: str = ""
    url: str = ""
    creator: str = ""
    keywords: tuple[str, ...] = ()


def croissant(data_set: DataSet, files: Sequence[Described]) -> dict[str, Any]:
    """Return the description of files that exist, ready for JSON.

    A table that is there in several formats is one record set, read from the first.
    """
    record_sets: dict[str, dict[str, Any]] = {}
    for file in files:
        if file.columns:
            record_sets.setdefault(file.path.stem, _record_set(file))
    described: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": data_set.name,
        "alternateName": data_set.title,
        "description": data_set.about,
        "datePublished": day(data_set.published),
        "version": "1.0.0",
        "isLiveDataset": False,
        "sdPublisher": {"@type": "sc:Organization", "name": f"captious {__version__}"},
        "distribution": [_file_object(file) for file in files],
        "recordSet": list(record_sets.values()),
    }
    known = {
        "citeAs": data_set.cite_as,
        "license": data_set.license,
        "url": data_set.url,
        "keywords": list(data_set.keywords),
        "creator": {"@type": "sc:Organization", "name": data_set.creator} if data_set.creator else None,
    }
    return described | {name: value for name, value in known.items() if value}


def day(time: float) -> str:
    """A time as the day in UTC.

    >>> day(0)
    '1970-01-01'
    """
    return datetime.fromtimestamp(time, UTC).date().isoformat()


def sha256_of(path: Path) -> str:
    """The checksum of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _file_object(file: Described) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.path.name,
        "name": file.path.name,
        "description": file.about,
        "contentUrl": file.path.name,
        "contentSize": f"{file.path.stat().st_size} B",
        "encodingFormat": MEDIA_TYPES.get(file.path.suffix, "application/octet-stream"),
        "sha256": sha256_of(file.path),
    }


def _record_set(file: Described) -> dict[str, Any]:
    name = file.path.stem
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": file.about,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column.name}",
                "name": column.name,
                "description": column.about,
                "dataType": column.kind,
                "source": {
                    "fileObject": {"@id": file.path.name},
                    "extract": _extract(file.path, column.name),
                },
            }
            for column in file.columns
        ],
    }


def _extract(path: Path, column: str) -> dict[str, str]:
    # Lines of JSON have no columns: a record's value is found by its path.
    return {"jsonPath": f"$.{column}"} if path.suffix == ".jsonl" else {"column": column}
