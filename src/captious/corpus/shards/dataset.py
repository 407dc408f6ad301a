"""`ShardedCorpus`: captions in shards, and a batch of them as a `Corpus` when it is wanted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from captious.arguments import check_arguments
from captious.corpus.load import Duplicates
from captious.corpus.readers import PathText, Rows
from captious.corpus.readers.rows import refuse
from captious.corpus.shards.blocks import BATCH_ROWS, BLOCK_ROWS, Block, Shard, head, read
from captious.corpus.shards.places import absolute, expand, name_of
from captious.corpus.systems import row_columns, system_names
from captious.corpus.types import Corpus
from captious.corpus.validate import own_references, well_formed
from captious.errors import InputError


@dataclass(frozen=True)
class ShardedCorpus:
    """Candidates in shards; references are in their rows, or in separate shards.

    `block_rows` is what is scored and logged at a time, `batch_rows` what is in memory at once.
    """

    shards: tuple[Shard, ...]
    references: tuple[Shard, ...] = ()
    duplicates: Duplicates = "error"
    block_rows: int = BLOCK_ROWS
    batch_rows: int = BATCH_ROWS

    def batches(self, block: Block) -> Iterator[tuple[Rows, Corpus]]:
        """The captions of a block, `batch_rows` at a time."""
        shard = self.shards[block.shard]
        for rows in read(shard, block, self.batch_rows):
            yield rows, corpus_of(rows, shard.system)

    def sample(self, rows: int) -> Corpus:
        """The first captions of a shard in the middle; if references are separate, with made-up ones."""
        corpus = self._first(rows)
        if not self.references:
            return corpus
        ids = [corpus.image_ids[place] for place in corpus.image_of.tolist()]
        shuffled = [[text] for text in reversed(corpus.captions)]
        return Corpus.from_lists(corpus.captions, shuffled, image_ids=ids)

    def _first(self, rows: int) -> Corpus:
        """The first captions of the first shard from the middle on that can be read."""
        middle = len(self.shards) // 2
        why: InputError | None = None
        for shard in self.shards[middle:] + self.shards[:middle]:
            try:
                found = head(shard, rows)
                if found is not None:
                    return corpus_of(found, shard.system)
            except InputError as error:
                why = why or error
        raise why or InputError(f"{self.shards[0].address}: has no rows, and no other shard has any.")


def open_shards(
    candidates: PathText | Sequence[PathText],
    references: PathText | Sequence[PathText] | None = None,
    *,
    names: Sequence[str] | None = None,
    duplicates: Duplicates = "error",
    block_rows: int = BLOCK_ROWS,
    batch_rows: int = BATCH_ROWS,
) -> ShardedCorpus:
    """Open shards of captions for `captious.score(…, out=FOLDER)`. Nothing is read yet.

    Name files, folders, patterns or addresses that fsspec understands. Each is one system, named after
    it, unless the rows have a column `system`. Shards are Parquet or JSON lines with the column names of
    other files. `references` are matched by image id; ids must be spelled the same.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a-1.jsonl").write_text('{"image_id": 7, "caption": "A dog.", "references": ["Dogs."]}')
    >>> open_shards(folder / "a-*.jsonl").shards[0].system
    'a'
    """
    check_arguments(open_shards, locals())
    if duplicates not in ("error", "first", "all"):
        raise InputError(f'duplicates: "{duplicates}" is unknown. Use error, first or all.')
    if block_rows < 1 or batch_rows < 1:
        raise InputError("a block needs at least 1 row.")
    places = _listed(candidates)
    if not places:
        raise InputError("candidates: no shard was given. Name at least one.")
    names = list(names) if names is not None else []
    if names and len(names) != len(places):
        raise InputError(f"names: {len(names)} given for {len(places)} places. Give one for each.")
    called = names or [name_of(place) for place in places]
    return ShardedCorpus(
        shards=tuple(_shards(places, called, "candidates")),
        references=tuple(_shards(_listed(references), None, "references")) if references is not None else (),
        duplicates=duplicates,
        block_rows=block_rows,
        batch_rows=min(batch_rows, block_rows),
    )


def _listed(given: Any) -> list[PathText]:
    return [given] if isinstance(given, str | os.PathLike) else list(given)


def _shards(places: Sequence[PathText], names: Sequence[str] | None, what: str) -> Iterator[Shard]:
    seen: set[str] = set()
    for number, place in enumerate(places):
        for address in map(absolute, expand(place)):
            if address in seen:
                raise InputError(f"{address}: is given twice as {what}. Give each shard once.")
            seen.add(address)
            yield Shard(address, names[number] if names else "")


def corpus_of(rows: Rows, system: str) -> Corpus:
    """A batch of rows as a corpus, in the order of the rows; refused where a row is not well formed."""
    checked = well_formed(rows)
    refuse(rows.source, checked.problems)
    references = None
    if "references" in rows.columns:
        references, problems = own_references(rows)
        refuse(rows.source, problems)
    paths, objects = row_columns(rows, checked, range(len(checked.ids)))
    return Corpus.from_lists(
        checked.captions,
        references,
        image_ids=checked.ids,
        systems=system_names(rows, checked) or [system] * len(checked.ids),
        image_paths=paths,
        objects=objects,
    )
