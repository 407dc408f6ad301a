"""The data set that spoken captions give: COCO's format with recordings, lengths, word errors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from captious.protocols.base import FIRST, Exported, Item, Response, Table, matched
from captious.text.word_error import total_word_errors

RECORDING, TRANSCRIPT, TRANSCRIPTION = "recording", "transcript", "transcription"


class SpokenCaption(NamedTuple):
    """A caption with its recording and what the machine heard; nobody's name."""

    image: str
    caption: str
    machine: str
    recording: str
    seconds: float


def spoken_captions(items: Iterable[Item], responses: Iterable[Response]) -> list[SpokenCaption]:
    """Every corrected caption, in the order of its recording's name, which tells nothing."""
    lengths: dict[str, float] = {}
    found = []
    pairs = matched(items, responses)
    for item, response in pairs:
        if item.stage == FIRST:
            lengths[str(response.answers[RECORDING])] = float(str(response.derived.get("seconds", "nan")))
    for item, response in pairs:
        if item.stage == TRANSCRIPTION:
            found.append(
                SpokenCaption(
                    item.image,
                    str(response.answers[TRANSCRIPT]),
                    str(item.prior.get(TRANSCRIPT, "")),
                    item.recording,
                    lengths.get(item.recording, float("nan")),
                )
            )
    return sorted(found, key=lambda one: (one.image, one.recording))


def coco_lines(data: Exported) -> Iterator[str]:
    """Captions as COCO's annotations: images, captions, and where each recording is."""
    captions = spoken_captions(data.items, data.responses)
    images = list(dict.fromkeys(one.image for one in captions))
    content: dict[str, Any] = {
        "info": {"description": "Spoken captions, corrected transcripts"},
        "images": [{"id": image, "file_name": data.file_names.get(image, "")} for image in images],
        "annotations": [
            {
                "id": number,
                "image_id": one.image,
                "caption": one.caption,
                # The recording of a rater who was erased is gone.
                "audio": f"recordings/{one.recording}" if one.recording else None,
                "sha256": one.recording.split(".")[0] or None,
                "seconds": one.seconds if one.seconds == one.seconds else None,
                "machine_transcript": one.machine,
            }
            for number, one in enumerate(captions, start=1)
        ],
    }
    yield json.dumps(content, ensure_ascii=False, indent=1)


def spoken_tables(items: Iterable[Item], responses: Iterable[Response]) -> list[Table]:
    """Captions, words and seconds, and how far the machine was off."""
    captions = spoken_captions(items, responses)
    if not captions:
        return []
    errors = total_word_errors((one.machine, one.caption) for one in captions)
    words = np.array([len(one.caption.split()) for one in captions])
    seconds = np.array([one.seconds for one in captions])
    known = seconds[~np.isnan(seconds)]
    rows: list[tuple[str | float | int, ...]] = [
        ("images", len({one.image for one in captions})),
        ("captions", len(captions)),
        ("words in a caption, mean", float(words.mean())),
        ("words in a caption, median", float(np.median(words))),
        ("seconds in a recording, mean", float(known.mean()) if len(known) else float("nan")),
        ("word error rate of the recogniser", errors.rate),
        ("wrong words", errors.substitutions),
        ("words left out", errors.deletions),
        ("words added", errors.insertions),
    ]
    return [Table("Spoken captions", ("what", "value"), tuple(rows), "see also captious data stats")]
