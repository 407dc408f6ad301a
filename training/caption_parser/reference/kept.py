"""SPICE of every caption kept from training, from our parses and from the golden tuples.

The five sets that the reference implementation scored hold few kept captions, and hardly a long one.
Here each kept caption is a candidate once, and other captions of its image are the references. The
official score comes from the golden tuples, which give every official item exactly (`from_tuples`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from captious.corpus.columns import FloatArray
from captious.metrics.spice import SceneGraph
from captious.metrics.spice.score import compare_graphs
from captious.stats.correlation import pearson
from captious.text.parser import CaptionParser
from captious.text.scene_graph import Tuple, scene_tuples
from reference.division import Division
from reference.golden import GoldenParse

REFERENCES = 5
LONG = 20


class KeptItem(NamedTuple):
    """A kept caption and up to five others of its image, each as its tokens."""

    caption: str
    references: list[str]

    @property
    def words(self) -> int:
        """Length of the caption."""
        return len(self.caption.split())


def kept_items(captions: Sequence[str], images: Mapping[str, Sequence[str]]) -> list[KeptItem]:
    """An item for each caption whose first image has other captions; these in the order given.

    >>> kept_items(["a dog", "two cats", "a pet"], {"a dog": ["1"], "two cats": ["2"], "a pet": ["1"]})
    [KeptItem(caption='a dog', references=['a pet']), KeptItem(caption='a pet', references=['a dog'])]
    """
    of_image = defaultdict(list)
    for caption in captions:
        for image in images[caption]:
            of_image[image].append(caption)
    items = []
    for caption in captions:
        others = [other for other in of_image[images[caption][0]] if other != caption]
        if others:
            items.append(KeptItem(caption, others[:REFERENCES]))
    return items


def item_scores(items: Sequence[KeptItem], tuples: Mapping[str, list[Tuple]]) -> FloatArray:
    """SPICE of each item from the tuples of its captions.

    >>> item_scores([KeptItem("a", ["b"])], {"a": [("dog",)], "b": [("dog",), ("dog", "red")]}).round(3)
    array([0.667])
    """
    return np.array(
        [
            compare_graphs(
                SceneGraph.of([tuples[item.caption]]), SceneGraph.of([tuples[own] for own in item.references])
            ).f
            for item in items
        ]
    )


def kept_agreement(
    parser: CaptionParser, kept: Sequence[GoldenParse], division: Division, longer_than: int = 0
) -> tuple[int, float]:
    """How many kept captions of more words there are, and r of our scores with the official ones."""
    captions = [golden.caption for golden in kept]
    items = kept_items(captions, {caption: division.kept_images(caption) for caption in captions})
    parses = parser.parse_many([golden.parse.words for golden in kept])
    ours = {caption: scene_tuples(parse) for caption, parse in zip(captions, parses, strict=True)}
    chosen = [item for item in items if item.words > longer_than]
    official = {golden.caption: golden.tuples for golden in kept}
    return len(chosen), pearson(item_scores(chosen, ours), item_scores(chosen, official))
