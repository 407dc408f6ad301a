"""THumB's extra rounds: who still needs a native speaker, what is audited, which score stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from captious.corpus import Judgments
from captious.errors import InputError
from captious.protocols.base import ADJUDICATION, Item, Response, RoundData, Row, as_judgments, draws, matched
from captious.protocols.item import Form
from captious.protocols.thumb.rules import (
    ASPECTS,
    AUDIT,
    AUDIT_CAPTIONS,
    NATIVE,
    PENALTIES,
    SECOND,
    Thumb,
    in_development,
    scores_of,
    total,
)

FINAL = "final"
# Later ones replace earlier ones. An audit measures the result and does not change it.
_ORDER = ("first", SECOND, NATIVE, ADJUDICATION)


class ShownCaption(NamedTuple):
    """A caption of an image as it was shown: image, text, and the systems that wrote it."""

    image: str
    text: str
    systems: tuple[str, ...]


class FinalScores(NamedTuple):
    """The scores of a caption that stand, and who gave them."""

    caption: ShownCaption
    scores: dict[str, float]
    raters: tuple[str, ...]


class Audit(NamedTuple):
    """What a third annotator changed: captions looked at, captions and scores changed."""

    captions: int
    changed: int
    by_aspect: dict[str, int]


def final_scores(items: Iterable[Item], responses: Iterable[Response]) -> list[FinalScores]:
    """The scores of each caption after the last stage that it has been through.

    Development data are left out, and so are audits.
    """
    done = [
        (item, response)
        for item, response in matched(items, responses)
        if not in_development(item) and item.stage in _ORDER
    ]
    found: dict[ShownCaption, FinalScores] = {}
    for item, response in sorted(done, key=lambda pair: _ORDER.index(pair[0].stage)):
        for caption in item.captions:
            shown = ShownCaption(item.image, caption.text, item.sources[caption.key])
            before = found.get(shown, FinalScores(shown, {}, ()))
            scores = before.scores | scores_of(caption.key, response.answers)
            found[shown] = FinalScores(shown, scores, (*before.raters, response.rater))
    return list(found.values())


def final_rows(items: Iterable[Item], responses: Iterable[Response]) -> Iterator[Row]:
    """One judgment an aspect and system: the scores that stand, with the total, penalties negative.

    The rater is the last annotator; the stage is `final`.
    """
    for caption, scores, raters in final_scores(items, responses):
        if any(aspect not in scores for aspect in ASPECTS):
            continue
        signed = {a: -v + 0.0 if a in PENALTIES else v for a, v in scores.items()}
        for system in caption.systems:
            for aspect, value in (*signed.items(), ("total", total(scores))):
                yield Row(caption.image, system, caption.text, raters[-1], aspect, value, FINAL, float("nan"))


def final_judgments(items: Iterable[Item], responses: Iterable[Response]) -> Judgments:
    """The rows of `final_rows` as columns."""
    return as_judgments(final_rows(items, responses))


def needs_native_speaker(
    items: Iterable[Item], responses: Iterable[Response], native: Iterable[str]
) -> list[ShownCaption]:
    """Captions whose annotators so far are all non-native (2.1: one native speaker at least).

    A caption comes in once its second stage is done: until then a native speaker may still come.
    """
    native = frozenset(native)
    kept = [pair for pair in matched(items, responses) if not in_development(pair[0])]
    raters: dict[ShownCaption, set[str]] = {}
    second: set[ShownCaption] = set()
    for item, response in kept:
        for caption in item.captions:
            if item.form.field(f"{caption.key}.fluency") is None:
                continue
            shown = ShownCaption(item.image, caption.text, item.sources[caption.key])
            raters.setdefault(shown, set()).add(response.rater)
            if item.stage == SECOND:
                second.add(shown)
    return [shown for shown, own in raters.items() if shown in second and not own & native]


def fluency_items(rules: Thumb, data: RoundData) -> list[Item]:
    """Items that ask native speakers about captions that none of them has judged."""
    if not data.native:
        raise InputError("fluency round: no rater is marked as a native speaker. Add one first.")
    wanting = {shown.image for shown in needs_native_speaker(data.items, data.responses, data.native)}
    answers = {response.item: response.answers for response in data.responses}
    found = [
        rules.fluency_round(item, answers[item.key], data.native)
        for item in data.items
        if item.stage == SECOND and item.image in wanting and item.key in answers
    ]
    if not found:
        raise InputError(
            "fluency round: no caption needs it. Either a native speaker has judged each, or the "
            "second stage is not done."
        )
    return found


def audit_items(
    items: Sequence[Item], responses: Sequence[Response], *, seed: int, captions: int = AUDIT_CAPTIONS
) -> list[Item]:
    """Items for a third annotator: a random sample of captions with their second-stage scores.

    Captions of one image that are drawn together share a page.
    """
    done = [pair for pair in matched(items, responses) if pair[0].stage == SECOND]
    pool = [(item.key, caption.key) for item, _ in done for caption in item.captions]
    if not pool:
        raise InputError("audit: no caption has been through the second stage yet. Finish it first.")
    rows = draws(seed, AUDIT).permutation(len(pool))[:captions]
    drawn: dict[str, set[str]] = {}
    for row in rows.tolist():
        drawn.setdefault(pool[row][0], set()).add(pool[row][1])
    return [_audit_item(item, response, drawn[item.key]) for item, response in done if item.key in drawn]


def _audit_item(item: Item, response: Response, keys: set[str]) -> Item:
    fields = tuple(field for field in item.form.fields if field.caption in keys)
    names = {field.name for field in fields}
    return replace(
        item,
        key=f"{AUDIT}/{item.image}",
        stage=AUDIT,
        captions=tuple(caption for caption in item.captions if caption.key in keys),
        form=Form(fields),
        not_for=item.not_for | {response.rater},
        prior={name: value for name, value in response.answers.items() if name in names},
    )


def audit_result(items: Iterable[Item], responses: Iterable[Response]) -> Audit:
    """Count what the third annotator changed (the paper's changed none of 100 captions)."""
    looked_at = changed = 0
    by_aspect = dict.fromkeys(ASPECTS, 0)
    for item, response in matched(items, responses):
        if item.stage != AUDIT:
            continue
        for caption in item.captions:
            before = scores_of(caption.key, item.prior)
            after = scores_of(caption.key, response.answers)
            different = [aspect for aspect in ASPECTS if before.get(aspect) != after.get(aspect)]
            looked_at += 1
            changed += bool(different)
            for aspect in different:
                by_aspect[aspect] += 1
    return Audit(looked_at, changed, by_aspect)
