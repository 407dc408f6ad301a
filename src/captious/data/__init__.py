"""Files that come with the package: the demo sample of photographs, captions and judgments."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from captious.errors import CaptiousError, InputError

__all__ = ["DemoFiles", "demo_files", "demo_path", "free_photographs", "training_file"]


@dataclass(frozen=True)
class DemoFiles:
    """Where each part of the demo sample lies.

    `images` is the directory of photographs; `references` COCO annotations; `systems` COCO results,
    one file a system, from the best to the worst; `objects` the labels of each image;
    `judgments` THumB ratings, a row each; `game` a rating game with its tutorial; `readme` the sources
    and licences.
    """

    images: Path
    references: Path
    systems: tuple[Path, ...]
    objects: Path
    judgments: Path
    game: Path
    readme: Path


# In the order of the sample's own judgments, so that tables read from good to bad.
SYSTEMS = ("heron", "magpie", "cuckoo", "dodo")


def demo_path() -> Path:
    """The directory of the demo sample inside the installed package.

    >>> (demo_path() / "references.json").is_file()
    True
    """
    path = Path(str(files(__name__) / "demo"))
    if not path.is_dir():
        raise CaptiousError(
            f"{path}: the demo sample is not a directory here. Install captious unzipped, with pip."
        )
    return path


def demo_files() -> DemoFiles:
    """Name every file of the demo sample.

    >>> [system.stem for system in demo_files().systems]
    ['heron', 'magpie', 'cuckoo', 'dodo']
    """
    root = demo_path()
    return DemoFiles(
        images=root / "images",
        references=root / "references.json",
        systems=tuple(root / "systems" / f"{name}.json" for name in SYSTEMS),
        objects=root / "objects.json",
        judgments=root / "judgments.jsonl",
        game=root / "rating.game",
        readme=root / "README.md",
    )


@cache
def free_photographs() -> tuple[str, ...]:
    """The photographs of the demo sample that may be shown without a name beside them.

    >>> "coffee.jpg" in free_photographs(), "dahlia.jpg" in free_photographs()
    (True, False)
    """
    about = json.loads(demo_files().references.read_text(encoding="utf-8"))
    named = {one["id"] for one in about["licenses"] if one["name"].startswith("CC-BY")}
    return tuple(sorted(one["file_name"] for one in about["images"] if one["license"] not in named))


def training_file(protocol: str) -> Path:
    """The training for a protocol that comes with the package, over photographs of the demo sample.

    >>> training_file("tagging").name
    'tagging.yaml'
    """
    folder = Path(str(files(__name__) / "training"))
    known = sorted(path.stem for path in folder.glob("*.yaml"))
    if protocol not in known:
        raise InputError(
            f"training: none comes with the package for {protocol} (there is one for {', '.join(known)}). "
            "Write a file of your own."
        )
    return folder / f"{protocol}.yaml"
