"""`captious campaign mix`: good, middling and poor captions in given shares."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from captious.cli import options
from captious.cli.output import Format
from captious.errors import InputError, one_line
from captious.tables import Cell, Number, Table

if TYPE_CHECKING:
    from captious.corpus import Corpus

Shares = Annotated[
    str,
    typer.Option(
        "--shares",
        metavar="SOURCE=X,...",
        help="Sources and their shares: human=0.25,m2=0.5,mismatched=0.25. human is a reference of the "
        "image, mismatched one of another image; other names are systems.",
        show_default=False,
    ),
]
Twice = Annotated[
    float,
    typer.Option("--twice", metavar="X", min=0, max=1, help="Share of images that get two captions, 0 to 1."),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="DIR", help="Folder to write, one file per source.", show_default=False
    ),
]


def mix(
    candidates: options.Candidates,
    references: options.OptionalReferences = None,
    shares: Shares = "",
    output: Output = Path("mixed"),
    twice: Twice = 0.0,
    names: options.Names = None,
    seed: options.Seed = options.DEFAULT_SEED,
    form: options.OutputFormat = Format.table,
) -> None:
    """Choose a caption for each image from several sources.

    --shares sets how many come from each.

    Example: captious campaign mix -c m2.json -r coco.json --shares human=1,m2=2,mismatched=1 -o mixed
    """
    from captious.cli import inputs
    from captious.cli.output import emit_guarded, note
    from captious.protocols.game.mix import mix_sources

    wanted = read_shares(shares)
    corpus = inputs.load(candidates, references, names)
    mixed = mix_sources(corpus, wanted, twice=twice, seed=seed)
    written = write_sources(mixed, output)
    total = len(mixed.captions)
    rows: list[list[Cell]] = [
        [source, count, Number(count / total, f"{count / total:.0%}")] for source, count in written.items()
    ]
    emit_guarded(
        Table(f"{len(mixed.image_ids):,} images", ["source", "captions", "share"], rows),
        {"images": len(mixed.image_ids), "captions": written},
        form,
    )
    note(f"wrote one file per source to {output}. Next: captious campaign create PROTOCOL -c {output}/*.json")


def read_shares(text: str) -> dict[str, float]:
    """Sources with their shares as typed.

    >>> read_shares("human=1, m2=2.5")
    {'human': 1.0, 'm2': 2.5}
    """
    found = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            raise InputError(
                f'--shares "{one_line(part, 40)}": write source=share, as in human=0.5,mismatched=0.5.'
            ) from None
    return found


def write_sources(corpus: Corpus, folder: Path) -> dict[str, int]:
    """Write the captions of each source as COCO results; how many there are of each."""
    import orjson

    from captious.files import atomically

    counts = {}
    for place, system in enumerate(corpus.systems):
        rows = [
            {"image_id": corpus.image_ids[image], "caption": text}
            for image, own, text in zip(
                corpus.image_of.tolist(), corpus.system_of.tolist(), corpus.captions, strict=True
            )
            if own == place
        ]
        with atomically(folder / f"{system}.json") as target:
            target.write_bytes(orjson.dumps(rows, option=orjson.OPT_INDENT_2))
        counts[system] = len(rows)
    return counts
