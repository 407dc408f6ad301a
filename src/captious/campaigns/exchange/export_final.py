"""The judgments that stand: what is left once later stages and decisions replace earlier ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from captious.campaigns.exchange.export_rows import RowValues, judgment_rows, rows_of
from captious.campaigns.results.analysis import split_adjudicated
from captious.protocols import HumanProtocol, Item, Response
from captious.protocols.thumb import ADJUDICATION, Thumb
from captious.protocols.thumb_rounds import final_judgments


def final_rows(
    rules: HumanProtocol,
    items: Sequence[Item],
    responses: Sequence[Response],
    references: Mapping[str, list[str]] | None = None,
) -> Iterator[RowValues]:
    """The rows of `judgment_rows` without what has been replaced.

    Under THumB a caption has one score an aspect, after its last stage. Under other protocols all
    raters' judgments stand, except of items that an adjudicator decided: there the decision does.
    """
    if isinstance(rules, Thumb):
        return _thumb(items, responses, references or {})
    removed = rules.removed_raters(items, responses)
    kept = [one for one in responses if one.rater not in removed]
    _, final = split_adjudicated(list(items), kept)
    return judgment_rows(rules, items, final, references)


def _thumb(
    items: Sequence[Item], responses: Sequence[Response], references: Mapping[str, list[str]]
) -> Iterator[RowValues]:
    own = [item for item in items if item.stage != ADJUDICATION or item.sources]
    texts = {
        (item.image, system): caption.text
        for item in own
        for caption in item.captions
        for system in item.sources[caption.key]
    }
    for row in rows_of(final_judgments(own, responses)):
        image = row["image"]
        beside = {"references": references[image]} if image in references else {}
        yield {**row, "caption": texts[image, row["system"]]} | beside
