"""THumB's own file format: a line a caption and system, with the scores that stand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from captious.protocols.base import ADJUDICATION, Exported, ExportFile, Item, Response
from captious.protocols.thumb.rounds import final_scores
from captious.protocols.thumb.rules import ASPECTS, THUMB_FILE, THUMB_REFERENCES, total

# THumB 1.0: the keys of a line, in the order of the released file.
KEYS = ("SYS", "seg_id", "set_id", "hyp", "image", "P", "R", "Fl", "Inc", "Con", "human_score")
ASPECT_KEYS = {
    "P": "precision",
    "R": "recall",
    "Fl": "fluency",
    "Inc": "inclusive_language",
    "Con": "conciseness",
}
_PENALTIES = ("Fl", "Inc", "Con")


def release_files(data: Exported) -> list[ExportFile]:
    """The scores that stand, and the references where there are any."""
    own = [item for item in data.items if item.stage != ADJUDICATION or item.sources]
    rows = thumb_rows(own, data.responses, data.file_names)
    found = [
        ExportFile(
            THUMB_FILE, "The final scores, in the format of the THumB 1.0 release.", map(thumb_line, rows)
        )
    ]
    if data.references:
        lines = map(thumb_line, reference_rows(own, data.references))
        about = "The references, in the format of the THumB 1.0 release."
        found.append(ExportFile(THUMB_REFERENCES, about, lines))
    return found


def thumb_rows(
    items: Sequence[Item], responses: Iterable[Response], file_names: Mapping[str, str] | None = None
) -> Iterator[dict[str, object]]:
    """The rows of THumB's file for every caption that has been judged in all aspects.

    `set_id` is the image's place in the campaign, from 0; `file_names` names the image's file.
    Within an image, systems stand in the order of their names.
    """
    names = file_names or {}
    places = {image: at for at, image in enumerate(dict.fromkeys(item.image for item in items))}
    systems = list(dict.fromkeys(s for item in items for own in item.sources.values() for s in own))
    rank = {system: at for at, system in enumerate(sorted(systems))}
    rows: list[tuple[int, int, dict[str, object]]] = []
    for caption, scores, _ in final_scores(items, responses):
        if any(aspect not in scores for aspect in ASPECTS):
            continue
        values = {
            # The released file writes a penalty of nothing as -0.0, and so do we.
            key: -float(scores[aspect]) if key in _PENALTIES else float(scores[aspect])
            for key, aspect in ASPECT_KEYS.items()
        }
        for system in caption.systems:
            row: dict[str, object] = {
                "SYS": system,
                "seg_id": caption.image,
                "set_id": places[caption.image],
                "hyp": caption.text,
                "image": names.get(caption.image, caption.image),
                **values,
                "human_score": total(scores),
            }
            rows.append((places[caption.image], rank[system], row))
    rows.sort(key=lambda entry: entry[:2])
    return iter(row for _, _, row in rows)


def reference_rows(
    items: Sequence[Item], references: Mapping[str, Sequence[str]]
) -> Iterator[dict[str, object]]:
    """The rows of THumB's file of references, an image each."""
    for place, image in enumerate(dict.fromkeys(item.image for item in items)):
        if image in references:
            yield {"seg_id": image, "set_id": place, "refs": list(references[image])}


def thumb_line(row: Mapping[str, object]) -> str:
    """A row as the released file writes it.

    >>> thumb_line({"SYS": "m", "P": 5.0, "Fl": -0.0})
    '{"SYS": "m", "P": 5.0, "Fl": -0.0}'
    """
    return json.dumps(row)
