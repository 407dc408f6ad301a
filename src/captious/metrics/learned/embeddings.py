"""Embeddings by name: `sentence.joint` is the part `joint` of the provider `sentence`.

A provider turns the examples of a batch into rows of numbers. All have a `caption` part; where two
things are compared, `joint` is both vectors one after the other, as Scott et al. 2023 join an image's
and a caption's, and `interaction` also their product and their distance by component (Shimanaka et al.
2018), which a regressor can learn similarity from. Text providers compare the caption with the mean of
its references' vectors (part `references`), `clip` with the image (part `image`). An encoder of your own
stands in brackets: `clip.joint[encoder=features.npz]`. Further providers join by `@provides`, as
`vilbert` does in a module of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import FloatArray
from captious.errors import InputError, UnknownNameError, one_line
from captious.metrics.base import Limit, Need
from captious.metrics.batch import Batch
from captious.metrics.sentsim import sentence_vectors_of
from captious.models.encoders import opening, sentence
from captious.models.encoders.base import ImageFile
from captious.models.encoders.long_texts import CHUNK
from captious.models.encoders.vision_text import CLIP_LIMIT
from captious.models.encoders.wordpiece import is_english, unread_shares
from captious.models.locate import MINILM
from captious.models.weights.known import CLIP_B32
from captious.text.languages import ANY
from captious.text.vectors.table import DEFAULT, load_vectors, require_vectors

Vectors = tuple[NDArray[np.float32], NDArray[np.bool_]]
CAPTION, REFERENCES, IMAGE, JOINT, INTERACTION = "caption", "references", "image", "joint", "interaction"
TEXT_PARTS = (CAPTION, REFERENCES, JOINT, INTERACTION)
IMAGE_PARTS = (CAPTION, IMAGE, JOINT, INTERACTION)


class Embedding(NamedTuple):
    """One part of a provider: what it needs, whether it is ready, its rows, what made them."""

    needs: frozenset[Need]
    encoder: str
    ready: Callable[[], None]
    rows: Callable[[Batch], FloatArray]
    label: Callable[[], str]
    regions: str = ""
    longest: Limit | None = None
    languages: Callable[[], tuple[str, ...]] = lambda: ("en",)
    unread: Callable[[Sequence[str]], FloatArray | None] = lambda texts: None


Options = Mapping[str, str]
Make = Callable[[str, Options], Embedding]


class Provider(NamedTuple):
    """The parts that a provider offers, its options with their defaults, and what makes an embedding."""

    parts: tuple[str, ...]
    options: Options
    make: Make


PROVIDERS: dict[str, Provider] = {}


def provides(name: str, parts: tuple[str, ...], **options: str) -> Callable[[Make], Make]:
    """Make a provider known: a function from one of its parts and its options to an embedding."""

    def remember(make: Make) -> Make:
        PROVIDERS[name] = Provider(parts, options, make)
        return make

    return remember


def embedding(name: str) -> Embedding:
    """The embedding of a name such as `sentence.joint` or `clip.image[encoder=ViT-L-14/openai]`.

    >>> sorted(embedding("sentence.caption").needs), sorted(embedding("clip.joint").needs)
    ([], ['image'])
    """
    head, bracket, rest = name.partition("[")
    provider_name, _, part = head.partition(".")
    provider = PROVIDERS[provider_name]
    if part not in provider.parts:
        raise UnknownNameError(f"part of {provider_name}", part, provider.parts)
    options = dict(provider.options)
    for piece in rest.removesuffix("]").split(",") if bracket else ():
        key, _, value = (side.strip() for side in piece.partition("="))
        if key not in options:
            raise UnknownNameError(f"option of {provider_name}", key, options)
        if not value:
            raise InputError(f'"{one_line(name)}": option "{key}" has no value. Write {key}=value.')
        options[key] = value
    return provider.make(part, options)


@provides("sentence", TEXT_PARTS, encoder=MINILM)
def sentence_embedding(part: str, options: Options) -> Embedding:
    """Sentence vectors, of MiniLM 384 numbers a text."""
    encoder = options["encoder"]
    return Embedding(
        needs=_text_needs(part),
        encoder=encoder,
        ready=lambda: sentence.ready(encoder, "auto"),
        rows=lambda batch: _of_texts(batch, part, _pooled(batch, encoder)),
        label=lambda: "/".join(sentence.label_of(encoder, "auto")),
        longest=Limit(sentence.LONGEST_SENTENCE, "tokens", (CHUNK,), CHUNK),
        languages=lambda: ("en",) if is_english(encoder) else (ANY,),
        unread=lambda texts: unread_shares(encoder, "auto", texts),
    )


@provides("words", TEXT_PARTS, encoder=DEFAULT)
def word_embedding(part: str, options: Options) -> Embedding:
    """Means of word vectors, of GloVe 50 numbers a text."""
    encoder = options["encoder"]

    def vectors(batch: Batch) -> Vectors:
        return batch.once(("mean word vectors", encoder), lambda: _mean_words(batch, encoder))

    return Embedding(
        needs=_text_needs(part),
        encoder=encoder,
        ready=lambda: require_vectors(encoder),
        rows=lambda batch: _of_texts(batch, part, vectors(batch)),
        label=lambda: load_vectors(encoder).label,
    )


@provides("clip", IMAGE_PARTS, encoder=CLIP_B32)
def image_text_embedding(part: str, options: Options) -> Embedding:
    """Vectors of an image-text model, or of a file of vectors; rows of NaN where an image is broken."""
    encoder = options["encoder"]
    return Embedding(
        needs=frozenset() if part == CAPTION else frozenset({"image"}),
        encoder=encoder,
        ready=lambda: opening.ready(encoder),
        rows=lambda batch: _of_images(batch, part, encoder),
        label=lambda: "|".join(opening.open_embedder(encoder).facts().values()),
        longest=Limit(CLIP_LIMIT, "tokens", (CHUNK,), CHUNK),
    )


def _pooled(batch: Batch, encoder: str) -> Vectors:
    """One vector for each text, of a long one the mean of its windows'."""
    made = sentence_vectors_of(batch, encoder, "auto")
    return made.pooled, made.known


def _text_needs(part: str) -> frozenset[Need]:
    return frozenset() if part == CAPTION else frozenset({"references"})


def _mean_words(batch: Batch, name: str) -> Vectors:
    """Mean vector of each text's words that have one, of length 1."""
    table = batch.tokens("ptb")
    vectors, known = load_vectors(name).resolve(table.vocabulary)
    found = np.zeros((len(table), vectors.shape[1]), dtype=np.float32)
    for row in range(len(table)):
        ids = table.row(row)
        ids = ids[known[ids]]
        if len(ids):
            mean = vectors[ids].mean(axis=0)
            found[row] = mean / max(float(np.linalg.norm(mean)), 1e-12)
    return found, np.any(found != 0, axis=1)


def _of_texts(batch: Batch, part: str, made: Vectors) -> FloatArray:
    vectors, known = made
    caption = np.where(known[:, None], vectors, 0)[batch.candidate_text].astype(np.float64)
    if part == CAPTION:
        return caption
    references = _reference_means(batch, vectors, known)
    return references if part == REFERENCES else _joined(caption, references, part)


def _of_images(batch: Batch, part: str, encoder: str) -> FloatArray:
    model = opening.open_embedder(encoder)
    rows, places = np.unique(batch.candidate_text, return_inverse=True)
    found = batch.once(
        ("caption vectors", encoder), lambda: model.texts([batch.texts[i] for i in rows.tolist()], CHUNK)
    )
    caption = found.features[places].astype(np.float64)
    if part == CAPTION:
        return caption
    images, image_of = np.unique(batch.corpus.image_of, return_inverse=True)
    paths = batch.corpus.image_paths
    files = [
        ImageFile(batch.corpus.image_ids[i], paths[i] if paths is not None else None) for i in images.tolist()
    ]
    seen = batch.once(("image vectors", encoder), lambda: model.images(files))
    image = seen.features[image_of].astype(np.float64)
    return image if part == IMAGE else _joined(image, caption, part)


def _joined(first: FloatArray, second: FloatArray, part: str) -> FloatArray:
    both = [first, second]
    if part == INTERACTION:
        both += [first * second, np.abs(first - second)]
    return np.concatenate(both, axis=1)


def _reference_means(batch: Batch, vectors: NDArray[np.float32], known: NDArray[np.bool_]) -> FloatArray:
    examples, texts = batch.pairs()
    used = known[texts]
    sums = np.zeros((len(batch), vectors.shape[1]))
    np.add.at(sums, examples[used], vectors[texts[used]])
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    means: FloatArray = np.divide(sums, norms, out=np.zeros_like(sums), where=norms > 0)
    return means
