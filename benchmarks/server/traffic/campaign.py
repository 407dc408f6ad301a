"""The campaign that simulated raters work on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import orjson

from captious.campaigns.people import links, raters
from captious.campaigns.records import NewRater
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store.database import Database
from captious.corpus import Corpus
from traffic.databases import Place

SLUG = "load"
SECRET = "a secret for a benchmark, of many bytes"
SYSTEMS = ("heron", "dodo")
# The options of each protocol that is measured, and what a rater sends.
OPTIONS: dict[str, dict[str, int]] = {"tagging": {"raters": 12}, "spans": {"raters": 12}, "thumb": {}}
MARKS = [{"start": 2, "end": 5, "kind": "object", "severity": "minor"}]
ASKED = {"precision": "5", "recall": "4", "conciseness": "0", "inclusive_language": "0"}
ANSWERS: dict[str, dict[str, str]] = {
    "tagging": {"verdict": "minor"},
    "spans": {"marks": orjson.dumps(MARKS).decode(), "score": "60"},
    "thumb": {f"{key}.{name}": value for key in "AB" for name, value in ASKED.items()},
}


def prepare(
    place: Place,
    people: int,
    images: int,
    source: Path | None = None,
    python: str = sys.executable,
    protocol: str = "tagging",
) -> list[str]:
    """A campaign with work for everybody; returns the raters' link tokens.

    `source` is the folder of another release's package: its database is its own. `python` is the
    interpreter of the environment that this release was installed in.
    """
    if source is not None:
        given = [place.kind, place.url, str(place.folder), str(people), str(images), protocol]
        command = [python, "-P", "-m", "traffic.campaign", *given]
        path = f"{source}{os.pathsep}{Path(__file__).parents[1]}"
        done = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": path}
        )
        return [str(token) for token in orjson.loads(done.stdout)]
    rows = [(image, system) for image in range(images) for system in SYSTEMS]
    corpus = Corpus.from_lists(
        [f"A dog of {system} at place {image}." for image, system in rows],
        [["Dog."] for _ in rows],
        image_ids=[f"i{image}" for image, _ in rows],
        systems=[system for _, system in rows],
    )
    draft = create.draft(protocol, corpus, title="Load", slug=SLUG, options=OPTIONS[protocol])
    with Database.open(place.url, files=place.files) as db:
        campaign = lifecycle.open_campaign(db, create.create(db, draft, actor="bench"), actor="bench")
        new = [NewRater(f"Rater {at}") for at in range(people)]
        found = raters.add(db, campaign, new, actor="bench")
        return [links.make_link(db, rater, secret=SECRET.encode()) for rater in found]


if __name__ == "__main__":  # for another release: it makes its own database
    kind, url, folder, people, images, protocol = sys.argv[1:]
    place = Place(kind, url, Path(folder))
    print(orjson.dumps(prepare(place, int(people), int(images), protocol=protocol)).decode())
