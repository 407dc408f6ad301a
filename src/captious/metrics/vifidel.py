"""VIFIDEL: how faithful a caption is to the objects in its image (Madhyastha et al. 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, factorise
from captious.corpus.findings import Place
from captious.errors import InputError, UnknownNameError
from captious.metrics.base import Need
from captious.metrics.batch import Batch
from captious.metrics.consensus import ReferenceWords, penalties
from captious.metrics.marked_words import Fault, marked_words
from captious.metrics.object_bags import (
    ALL,
    COUNTS,
    FREQUENCY,
    LARGEST,
    UNIONS,
    check_sources,
    object_counts,
    require_objects,
    split_counts,
    wanted_sources,
)
from captious.metrics.registry import register
from captious.metrics.word_space import NEAR, Bags, Transported, VectorMetric, WordSpace, bags_of
from captious.text.stop_words import stop_list
from captious.text.transport import transport

AUTO, NONE = "auto", "none"
WHOLE, WORDS = "whole", "words"
OBJECT = "object"  # the kind of what is missing


class VifidelKnowledge(NamedTuple):
    """What the batches hold: examples, those with references, words, labels, bare images."""

    examples: int
    with_references: int
    fewest_references: int
    most_references: int
    words: int
    words_missing: int
    labels: int
    labels_missing: int
    images_without_objects: int


class _Scene(NamedTuple):
    """A batch laid out: its space, and the bag of objects of each image."""

    space: WordSpace
    objects: Bags
    image_place: dict[int, int]
    labels: int
    labels_missing: int


@register("vifidel")
@dataclass(frozen=True)
class Vifidel(VectorMetric):
    """exp(-WMD) from the objects in the image to the words of the caption.

    Equation 3: VIFIDEL(I, S) = exp(-WMD(d^I, d^S)), with c(i, j) = |x_i - x_j|^p. With references
    the cost is c'(i, j) = |rho_i x_i - rho_j x_j|^p (equation 5), where the penalty
    rho_k = 1/M sum_r (1 - max_t cos(x_k, x_t)) / 2 over the M references' words t (equation 4) is
    small for what most references mention.

    >>> corpus = Corpus.from_lists(
    ...     ["a dog with a frisbee", "a bus on a street"], image_ids=["1", "1"],
    ...     objects={"1": ["dog", "frisbee", "person"]})
    >>> metric, batch = Vifidel(), Batch(corpus)
    >>> faithful, not_so = metric.score_examples(batch, metric.merge([metric.collect(batch)]))
    >>> bool(faithful > not_so)
    True
    """

    title: ClassVar[str] = "VIFIDEL"
    summary: ClassVar[str] = "visual fidelity: transport from objects in the image to words"
    citation: ClassVar[str] = "Madhyastha et al. 2019"
    needs: ClassVar[frozenset[Need]] = frozenset({"objects"})

    p: int = 2
    objects: str = ALL
    counts: str = FREQUENCY
    references: str = AUTO
    labels: str = WHOLE
    union: str = LARGEST

    def __post_init__(self) -> None:
        super().__post_init__()
        for option, known in (("counts", COUNTS), ("labels", (WHOLE, WORDS)), ("union", UNIONS)):
            if getattr(self, option) not in known:
                raise UnknownNameError(f"{option} of {self.name}", getattr(self, option), known)
        if self.references not in (AUTO, NONE) and not self._reference_limit:
            raise InputError(
                f'{self.name}: references is "{self.references}"; it must be auto (all there are), '
                "none, or the number of references to use."
            )

    @property
    def _reference_limit(self) -> int:
        return int(self.references) if self.references.isdecimal() else 0

    def collect(self, batch: Batch) -> VifidelKnowledge:
        """Counts for the signature, and whether there are references."""
        require_objects(self.name, batch.corpus)
        scene = self._scene(batch)
        counts = batch.corpus.reference_counts
        if self._reference_limit:
            counts = np.minimum(counts, self._reference_limit)
        return VifidelKnowledge(
            len(batch),
            int((counts > 0).sum()),
            int(counts.min()) if len(counts) else 0,
            int(counts.max()) if len(counts) else 0,
            *self.word_counts(batch, scene.space),
            scene.labels,
            scene.labels_missing,
            int((np.diff(scene.objects.offsets) == 0).sum()),
        )

    def merge(self, parts: Sequence[VifidelKnowledge]) -> VifidelKnowledge:
        """Counts of all batches."""
        filled = [part for part in parts if part.examples] or list(parts)
        sums = VifidelKnowledge(*(sum(column) for column in zip(*parts, strict=True)))
        return sums._replace(
            fewest_references=min(part.fewest_references for part in filled),
            most_references=max(part.most_references for part in filled),
        )

    def check(self, corpus: Corpus, knowledge: VifidelKnowledge) -> None:
        """Refuse a mixture of examples with and without references: their scales differ."""
        check_sources(corpus, wanted_sources(self.objects))
        having, examples = knowledge.with_references, knowledge.examples
        short = self._reference_limit > knowledge.fewest_references
        if short or (self.references == AUTO and 0 < having < examples):
            raise InputError(
                f"{self.name}: some captions have {knowledge.fewest_references} references. "
                "Scores with and without references are not comparable: give every caption references, or "
                f"say {self.name}[references=none]."
            )

    def facts(self, corpus: Corpus, knowledge: VifidelKnowledge) -> dict[str, str]:
        """References, objects, words and vectors."""
        low, high = knowledge.fewest_references, knowledge.most_references
        used = self._weighs(knowledge)
        facts = {"refs": (str(low) if low == high else f"{low}-{high}") if used else NONE}
        facts["objects"] = "+".join(wanted_sources(self.objects)) or ALL
        facts["counts"] = self.counts
        facts |= {"labels": self.labels} if self.labels != WHOLE else {}
        facts |= {"union": self.union} if self.union != LARGEST else {}
        facts |= self.word_facts(corpus, knowledge.words, knowledge.words_missing)
        facts["labels-oov"] = f"{knowledge.labels_missing}/{knowledge.labels}"
        if knowledge.images_without_objects:
            facts["bare-images"] = str(knowledge.images_without_objects)
        return facts

    def _weighs(self, knowledge: VifidelKnowledge) -> bool:
        return self.references != NONE and knowledge.with_references > 0

    def _scene(self, batch: Batch) -> _Scene:
        key = (
            "scene",
            self.objects,
            self.counts,
            self.labels,
            self.union,
            self.vectors,
            self.norm,
            self.stop,
            self.oov,
            self.tokeniser,
        )
        return batch.once(key, lambda: self._make_scene(batch))

    def _make_scene(self, batch: Batch) -> _Scene:
        corpus = batch.corpus
        images = np.unique(corpus.image_of).tolist()
        held = [self._held(corpus, image) for image in images]
        labels, places = factorise(label for counts in held for label in counts)
        space = self.space(batch, labels)
        rows = places + len(space.words) - len(labels)
        sizes = np.array([len(counts) for counts in held], dtype=np.int64)
        owners = np.repeat(np.arange(len(images)), sizes)
        amounts = np.array([count for counts in held for count in counts.values()], dtype=float)
        known = space.known[rows]
        used = known | (self.oov == "zero")
        bags = bags_of(owners[used], rows[used], amounts[used], len(images), len(space.words))
        return _Scene(
            space,
            bags,
            {image: place for place, image in enumerate(images)},
            int(amounts.sum()),
            int(amounts[~known].sum()),
        )

    def _held(self, corpus: Corpus, image: int) -> dict[str, int]:
        """The labels of one image, or their words, with counts."""
        labels = corpus.objects[image] if corpus.objects else []
        counts = object_counts(labels, wanted_sources(self.objects), self.counts, self.union)
        return split_counts(counts, stop_list(self.stop)) if self.labels == WORDS else counts

    def score_examples(self, batch: Batch, knowledge: VifidelKnowledge) -> FloatArray:
        """VIFIDEL of each example; 0 where the caption has no words or the image no objects."""
        scene = self._scene(batch)
        weighs = self._weighs(knowledge)
        memory: dict[int, ReferenceWords] = {}
        scores = np.zeros(len(batch))
        images, sets = batch.corpus.image_of.tolist(), batch.corpus.references_of.tolist()
        for row, caption in enumerate(batch.candidate_text.tolist()):
            one, a = scene.objects.bag(scene.image_place[images[row]])
            other, b = scene.space.texts.bag(caption)
            if not len(one) or not len(other):
                continue
            ours = theirs = None
            if weighs:
                words = memory.get(sets[row])
                if words is None:
                    words = memory[sets[row]] = self._reference_words(batch, scene, sets[row])
                ours, theirs = penalties(scene.space, one, other, words)
            costs = self.costs(scene.space, one, other, ours, theirs)
            scores[row] = np.exp(-transport(a, b, costs).cost)
        return scores

    def _reference_words(self, batch: Batch, scene: _Scene, set_: int) -> ReferenceWords:
        """References without content words say nothing of importance and are left out."""
        offsets = batch.corpus.references.offsets
        texts = batch.reference_text[offsets[set_] : offsets[set_ + 1]].tolist()
        bags = [scene.space.texts.bag(text)[0] for text in texts[: self._reference_limit or None]]
        filled = [bag for bag in bags if len(bag)]
        sizes = np.array([len(bag) for bag in filled], dtype=np.int64)
        rows = np.concatenate(filled) if filled else np.zeros(0, dtype=np.int64)
        return ReferenceWords(scene.space.units[rows].T, np.cumsum(sizes) - sizes)

    def findings(self, batch: Batch, knowledge: VifidelKnowledge) -> list[list[Place] | None]:
        """Content words that are near to no object (cosine below 0.6), and objects near to no word.

        The evidence of a word is the nearest object; that of what is missing is the object itself.
        """
        scene, corpus = self._scene(batch), batch.corpus
        words = np.array(scene.space.words, dtype=object)
        found: list[list[Place] | None] = []
        for row, image in enumerate(corpus.image_of.tolist()):
            one, _ = scene.objects.bag(scene.image_place[image])
            other, _ = scene.space.texts.bag(int(batch.candidate_text[row]))
            if not len(one):
                found.append(None)
                continue
            cosines = np.clip(scene.space.cosines(one, other), 0.0, 1.0)
            nearest = cosines.max(axis=0)
            faults = {
                words[other[i]]: Fault(1.0 - float(nearest[i]), words[one[cosines[:, i].argmax()]])
                for i in np.flatnonzero(nearest < NEAR).tolist()
            }
            missing = one[cosines.max(axis=1, initial=0.0) < NEAR]
            found.append(
                [
                    *marked_words(corpus.captions[row], self.tokeniser, faults),
                    *(Place(None, None, OBJECT, evidence=label) for label in words[missing]),
                ]
            )
        return found

    def lay_out(self, batch: Batch, knowledge: VifidelKnowledge, row: int) -> Transported:
        """The plan that made one example's score."""
        scene = self._scene(batch)
        space, corpus = scene.space, batch.corpus
        image = int(corpus.image_of[row])
        one, a = scene.objects.bag(scene.image_place[image])
        other, b = space.texts.bag(int(batch.candidate_text[row]))
        if not len(one) or not len(other):
            raise InputError(
                f'image "{corpus.image_ids[image]}": no object or no word of the caption has a '
                "vector, so there is nothing to move; its score is 0."
            )
        ours = theirs = None
        if self._weighs(knowledge):
            words = self._reference_words(batch, scene, int(corpus.references_of[row]))
            ours, theirs = penalties(space, one, other, words)
        costs = self.costs(space, one, other, ours, theirs)
        labels = self._held(corpus, image)
        sources = [space.words[i] for i in one.tolist()]
        return Transported(
            sources=sources,
            targets=[space.words[i] for i in other.tolist()],
            source_weights=a,
            target_weights=b,
            costs=costs,
            cosines=space.cosines(one, other),
            plan=transport(a, b, costs),
            source_penalties=ours,
            target_penalties=theirs,
            reference=None,
            left_out=[label for label in labels if label not in sources],
        )


def consensus_penalties(
    words: Sequence[str], references: Sequence[str], metric: Vifidel | None = None
) -> dict[str, float]:
    """rho of each word or label given the references (Madhyastha et al. 2019, equation 4).

    >>> rho = consensus_penalties(["dog", "bus"], ["a dog runs", "the dog by the sea"])
    >>> round(rho["dog"], 9), 0.0 < rho["bus"] < 0.5
    (0.0, True)
    """
    metric = metric or Vifidel()
    corpus = Corpus.from_lists([""], [list(references)], objects={"0": list(words)})
    batch = Batch(corpus)
    scene = metric._scene(batch)
    rows, _ = scene.objects.bag(0)
    ours, _ = penalties(scene.space, rows, rows[:0], metric._reference_words(batch, scene, 0))
    return dict(zip([scene.space.words[i] for i in rows.tolist()], ours.tolist(), strict=True))
