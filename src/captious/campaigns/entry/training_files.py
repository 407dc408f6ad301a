"""From a training's file to examples kept with a campaign, pictures and all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import orjson
from sqlalchemy import Connection, insert, select

from captious.campaigns.records import Campaign, Training
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.images import Stored, prepare, remember
from captious.corpus.images import find_images
from captious.data import demo_files, training_file
from captious.errors import InputError, one_line
from captious.files import text_of
from captious.protocols import HumanProtocol
from captious.protocols.training import Example, example_to_dict, read_examples

SAMPLE = "sample"  # the training that comes with the package


def has_sample(protocol: str) -> bool:
    """Whether the package brings a training for a protocol."""
    try:
        return training_file(protocol).is_file()
    except InputError:
        return False


def load_training(path: str | Path, rules: HumanProtocol, folders: Sequence[Path] = ()) -> Training:
    """The training of a file, or of the package (`sample`), for a protocol.

    Pictures are looked for in `folders`, then in the package's sample.
    """
    path = training_file(rules.name) if str(path) == SAMPLE else Path(path)
    return training_of(text_of(path), rules, folders, source=str(path))


def training_of(
    text: str, rules: HumanProtocol, folders: Sequence[Path] = (), *, source: str = "training"
) -> Training:
    """The training of a text; see `load_training`."""
    found = tuple(read_examples(text, rules, source))
    pictures, missing = find_pictures(found, folders)
    if missing:
        raise InputError(
            f'{source}: there is no picture "{one_line(missing[0])}". Put it among the images, or name '
            "one of the sample's, such as tabby.jpg."
        )
    return Training(found, pictures)


def find_pictures(examples: Iterable[Example], folders: Sequence[Path]) -> tuple[dict[str, Path], list[str]]:
    """The file of each example's picture, from the first folder that has it; and the names that none has."""
    names = list(dict.fromkeys(example.file for example in examples))
    found: dict[str, Path] = {}
    for folder in [*folders, demo_files().images]:
        missing = [name for name in names if name not in found]
        paths = find_images(folder, missing) if missing else []
        found |= {name: Path(path) for name, path in zip(missing, paths, strict=True) if path}
    return found, [name for name in names if name not in found]


class PreparedTraining(NamedTuple):
    """A training whose pictures lie in the folder of files; no row tells of it yet."""

    version: str
    examples: tuple[Example, ...]
    images: list[tuple[str, Stored]]


def prepare_training(db: Database, training: Training) -> PreparedTraining:
    """Put the pictures in place and name the version: what the examples hold, pictures and all."""
    stored = {name: prepare(db, path, name) for name, path in training.images.items()}
    content = [example_to_dict(example) for example in training.examples]
    digests = {name: one.digest for name, one in stored.items()}
    version = hashlib.sha256(orjson.dumps([content, digests], option=orjson.OPT_SORT_KEYS)).hexdigest()
    # A picture of the training must not pass for one of the work that has the same name.
    keys = {name: f"training/{one.digest[:16]}" for name, one in stored.items()}
    examples = tuple(
        replace(example, item=replace(example.item, image=keys[example.file]))
        for example in training.examples
    )
    return PreparedTraining(
        version, examples, list({keys[name]: one for name, one in stored.items()}.items())
    )


def store_training(connection: Connection, campaign: Campaign, prepared: PreparedTraining) -> None:
    """Keep a prepared training; one that the campaign had before stays as it was."""
    remember(connection, campaign, prepared.images)
    table = schema.training_example
    own = (table.c.campaign_id == campaign.id, table.c.version == prepared.version)
    if connection.execute(select(table.c.id).where(*own).limit(1)).first() is None:
        rows = [
            {
                "campaign_id": campaign.id,
                "version": prepared.version,
                "place": place,
                "content": example_to_dict(example),
            }
            for place, example in enumerate(prepared.examples, start=1)
        ]
        connection.execute(insert(table), rows)
