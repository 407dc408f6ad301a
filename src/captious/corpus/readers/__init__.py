"""Readers: one for each family of file formats, chosen by what the file holds."""

from __future__ import annotations

from captious.corpus.readers.detect import detect
from captious.corpus.readers.every_column import every_column, read_every_column
from captious.corpus.readers.harnesses import read_lmms_eval
from captious.corpus.readers.json_files import read_json_array, read_json_lines, read_json_object
from captious.corpus.readers.open import PathText, Source, open_source
from captious.corpus.readers.plain import read_flickr8k_judgments, read_flickr8k_tokens, read_lines
from captious.corpus.readers.rows import Places, Problem, Rows
from captious.corpus.readers.tables import read_delimited, read_parquet

__all__ = [
    "PathText",
    "Places",
    "Problem",
    "Rows",
    "Source",
    "every_column",
    "open_source",
    "read_every_column",
    "read_rows",
]

_READERS = {
    "json-array": read_json_array,
    "json-object": read_json_object,
    "jsonl": read_json_lines,
    "lmms-eval": read_lmms_eval,
    "table": read_delimited,
    "parquet": read_parquet,
    "flickr8k-tokens": read_flickr8k_tokens,
    "lines": read_lines,
}


def read_rows(path: PathText) -> Rows:
    """Read a file of captions, references or judgments, whatever its format.

    Nothing is judged yet: captions that are not text and ids that are missing come through as they
    stand, so that a check can list them all. `captious.corpus.load_corpus` is the strict way.
    """
    source = open_source(path)
    family = detect(source)
    if family in ("flickr8k-expert", "flickr8k-crowdflower"):
        return read_flickr8k_judgments(source, family)
    return _READERS[family](source)
