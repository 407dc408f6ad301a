"""THumB's judgments from elsewhere and back: the released file, or rows of its aspects by raters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from typing import Any, NamedTuple

from captious.corpus import Corpus, Judgments
from captious.errors import InputError, one_line
from captious.protocols.base import (
    ADJUDICATION,
    FIRST,
    Adopted,
    Caption,
    Exported,
    ExportFile,
    Item,
    Response,
    blind_key,
    draws,
)
from captious.protocols.item import Form
from captious.protocols.thumb.rounds import final_scores
from captious.protocols.thumb.rules import (
    ASPECTS,
    PENALTIES,
    SECOND,
    THUMB_FILE,
    THUMB_REFERENCES,
    caption_fields,
    total,
)

# The sum of a caption's penalties for fluency, where a file does not tell of which kind they are.
UNTOLD = "unspecified"
RELEASE_RATER = "THumB annotators"
_CHOICES = {"conciseness": ("0", "0.5"), "inclusive_language": ("0", "0.5", "2")}

Scores = tuple[tuple[str, float], ...]


class JudgedCaption(NamedTuple):
    """One caption as one rater judged it in one stage."""

    image: str
    system: str
    text: str
    rater: str
    stage: str
    scores: dict[str, float]
    time: float | None = None


def adopted(judged: Sequence[JudgedCaption], *, seed: int) -> Adopted:
    """A page for each image and stage; equal captions with equal scores are one.

    Where a file gives one text two scores for an image, as THumB 1.0 does once, both are kept as
    captions of their own.
    """
    pages: dict[tuple[str, str], dict[str, dict[str, JudgedCaption]]] = {}
    for one in judged:
        own = pages.setdefault((one.stage, one.image), {}).setdefault(one.rater, {})
        if one.system in own:
            raise InputError(
                f'image "{one_line(one.image, 40)}": {one_line(one.system, 40)} is judged twice '
                f"by {one_line(one.rater, 40)}. Keep one judgment."
            )
        own[one.system] = one
    stages = list(dict.fromkeys(one.stage for one in judged))
    if any(stage not in (FIRST, SECOND) for stage in stages):
        raise InputError(f"stages: {', '.join(stages)}. THumB's are {FIRST} and {SECOND}.")
    items: list[Item] = []
    responses: list[Response] = []
    first: dict[str, dict[str, Any]] = {}
    for (stage, image), raters in sorted(pages.items(), key=lambda page: stages.index(page[0][0])):
        item = _page(stage, image, raters, seed)
        for rater, own in raters.items():
            answers = _answers(item, own)
            first.setdefault(image, answers)
            times = [one.time for one in own.values() if one.time is not None]
            # A page without any time came when it was read.
            time = max(times) if len(times) == len(own) else nan
            responses.append(Response(item.key, answers, rater, time))
        items.append(item if stage == FIRST else replace(item, prior=first[image]))
    people = list(dict.fromkeys(one.rater for one in judged))
    return Adopted(items, people, responses, {"clean": False, "two_stages": SECOND in stages})


def _page(stage: str, image: str, raters: Mapping[str, Mapping[str, JudgedCaption]], seed: int) -> Item:
    """The captions of an image as one page: a caption for each text that all judged alike."""
    judged_alike: dict[tuple[str, tuple[Scores, ...]], list[str]] = {}
    systems = dict.fromkeys(system for own in raters.values() for system in own)
    for system in systems:
        each = [own[system] for own in raters.values() if system in own]
        scores = tuple(tuple(sorted(one.scores.items())) for one in each)
        judged_alike.setdefault((each[0].text, scores), []).append(system)
    written = list(judged_alike.items())
    order = draws(seed, "order", image).permutation(len(written)).tolist()
    captions = tuple(Caption(blind_key(at), written[row][0][0]) for at, row in enumerate(order))
    return Item(
        key=f"{stage}/{image}",
        image=image,
        captions=captions,
        form=Form(tuple(field for caption in captions for field in caption_fields(caption))),
        sources={blind_key(at): tuple(written[row][1]) for at, row in enumerate(order)},
        stage=stage,
        target=len(raters),
    )


def _answers(item: Item, own: Mapping[str, JudgedCaption]) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for caption in item.captions:
        judged = next((own[s] for s in item.sources[caption.key] if s in own), None)
        if judged is not None:
            answers |= _caption_answers(caption.key, judged)
    return answers


def _caption_answers(key: str, judged: JudgedCaption) -> dict[str, Any]:
    scores = {name: abs(v) if name in PENALTIES else v for name, v in judged.scores.items()}
    fluency = round(scores.get("fluency", 0.0), 10)
    found: dict[str, Any] = {
        f"{key}.precision": scores["precision"],
        f"{key}.recall": scores["recall"],
        f"{key}.fluency": {UNTOLD: fluency} if fluency else {},
    }
    for name, values in _CHOICES.items():
        text = f"{scores.get(name, 0.0):g}"
        if text not in values:
            raise InputError(
                f'image "{one_line(judged.image, 40)}", {one_line(judged.system, 40)}: {name} is '
                f"{text}; THumB's penalties are {', '.join(values)}."
            )
        found[f"{key}.{name}"] = text
    return found


def judged_rows(judgments: Judgments, corpus: Corpus, *, rater: str = RELEASE_RATER) -> list[JudgedCaption]:
    """Judgments of THumB's aspects gathered by caption, rater and stage."""
    texts = {
        (corpus.image_ids[image], corpus.systems[system]): text
        for image, system, text in zip(
            corpus.image_of.tolist(), corpus.system_of.tolist(), corpus.captions, strict=True
        )
    }
    found: dict[tuple[int, int, int], JudgedCaption] = {}
    columns = zip(
        judgments.example_of.tolist(),
        judgments.rater_of.tolist(),
        judgments.stage_of.tolist(),
        judgments.aspect_of.tolist(),
        judgments.values.tolist(),
        judgments.times.tolist(),
        strict=True,
    )
    for example, person, stage, aspect, value, time in columns:
        image, system = judgments.keys[example]
        if (image, system) not in texts:
            raise InputError(f'image "{one_line(image, 40)}": {system} has no caption for it.')
        empty = JudgedCaption(
            image,
            system,
            texts[image, system],
            judgments.raters[person] or rater,
            judgments.stages[stage] or FIRST,
            {},
            None if isnan(time) else time,
        )
        one = found.setdefault((example, person, stage), empty)
        name = judgments.aspects[aspect]
        if name != "total":
            one.scores[name] = value
    for one in found.values():
        for name in ("precision", "recall"):
            if name not in one.scores:
                raise InputError(
                    f'image "{one_line(one.image, 40)}", {one_line(one.system, 40)}: {name} by '
                    f"{one_line(one.rater, 40)} is missing."
                )
    return list(found.values())


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
