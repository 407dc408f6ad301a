"""THumB's judgments as a campaign: the released file, or rows of THumB's aspects by raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

from captious.campaigns.exchange.import_export import image_paths
from captious.campaigns.exchange.import_store import Imported, ImportedRater, ImportedResponse
from captious.campaigns.records import Draft
from captious.campaigns.setup.create import checked_slug, checked_title, slug_of
from captious.corpus import Corpus, Judgments
from captious.errors import InputError, one_line
from captious.protocols import Caption, Form, Item
from captious.protocols.base import FIRST, blind_key, draws
from captious.protocols.thumb import PENALTIES, SECOND, caption_fields

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


class About(NamedTuple):
    """What an imported campaign is called, and where its images lie."""

    title: str
    slug: str | None = None
    images: Path | None = None
    seed: int = 20220710

    def draft(self, protocol: str, items: list[Item], **more: Any) -> Draft:
        """A draft of some items under that name."""
        return Draft(
            title=checked_title(self.title),
            slug=checked_slug(self.slug or slug_of(self.title)),
            protocol=protocol,
            options=more.get("options", {}),
            protocol_file=more.get("protocol_file"),
            seed=self.seed,
            items=items,
            images=image_paths(self.images, dict.fromkeys(item.image for item in items)),
        )


def thumb_campaign(
    judged: Sequence[JudgedCaption],
    about: About,
    *,
    now: float,
    references: Mapping[str, list[str]] | None = None,
) -> Imported:
    """A campaign of one page an image and stage; equal captions with equal scores are one.

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
    responses: list[ImportedResponse] = []
    first: dict[str, dict[str, Any]] = {}
    for (stage, image), raters in sorted(pages.items(), key=lambda page: stages.index(page[0][0])):
        item = _page(stage, image, raters, about.seed)
        for rater, own in raters.items():
            answers = _answers(item, own)
            first.setdefault(image, answers)
            time = max((one.time or now for one in own.values()), default=now)
            number = len(responses) + 1
            responses.append(ImportedResponse(number, f"import-{number}", item.key, rater, answers, time))
        items.append(item if stage == FIRST else _with_prior(item, first[image]))
    people = [
        ImportedRater(f"r{at:03d}", name)
        for at, name in enumerate(dict.fromkeys(one.rater for one in judged), 1)
    ]
    pseudonyms = {one.name: one.pseudonym for one in people}
    options = {"clean": False, "two_stages": SECOND in stages}
    return Imported(
        draft=about.draft("thumb", items, options=options),
        raters=people,
        responses=[one._replace(rater=pseudonyms[one.rater]) for one in responses],
        references=references or {},
    )


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


def _with_prior(item: Item, answers: dict[str, Any]) -> Item:
    return replace(item, prior=answers)


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
