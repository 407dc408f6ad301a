"""`vilbert.joint`: what ViLBERT makes of a caption and its image, read together (Scott et al. 2023, 3.4).

The pooled states of the image and of the text, 1,024 numbers each in the published model, one after the
other. Images are known by their region features, which a detector made: `vilbert.joint[regions=PATH]`.
"""

from __future__ import annotations

import numpy as np

from captious.corpus.columns import FloatArray
from captious.errors import InputError, NotSetUpError
from captious.metrics.base import Limit
from captious.metrics.batch import Batch
from captious.metrics.learned.embeddings import CAPTION, IMAGE, JOINT, Embedding, Options, provides
from captious.models.encoders import opening
from captious.models.encoders.long_texts import CHUNK
from captious.models.joint.regions import Regions, region_store
from captious.models.joint.vilbert import model
from captious.models.joint.vilbert.model import Pair, Vilbert, open_vilbert
from captious.models.weights.known import VILBERT

_IMAGES_AT_A_TIME = 64  # whose regions are held at once


@provides("vilbert", (CAPTION, IMAGE, JOINT), encoder=VILBERT, regions="")
def vilbert_embedding(part: str, options: Options) -> Embedding:
    """Pooled states of the pair; rows of NaN where an image has no regions."""
    encoder, regions = options["encoder"], options["regions"]

    def ready() -> None:
        if regions:
            model.ready(f"vilbert.{part}", encoder, regions)
        else:
            opening.ready(encoder)
            raise NotSetUpError(
                f"vilbert.{part} reads region features of the images, which a detector makes: write "
                f"vilbert.{part}[regions=PATH] with a folder of .npy files, an .lmdb or an .h5 file"
            )

    def rows(batch: Batch) -> FloatArray:
        both = batch.once(
            ("vilbert", encoder, regions), lambda: _states(batch, open_vilbert(encoder), regions)
        )
        width = both.shape[1] // 2
        return {IMAGE: both[:, :width], CAPTION: both[:, width:], JOINT: both}[part]

    return Embedding(
        needs=frozenset({"image"}),
        encoder=encoder,
        ready=ready,
        rows=rows,
        label=lambda: "|".join([*open_vilbert(encoder).facts().values(), region_store(regions).label]),
        regions=regions,
        longest=Limit(model.LIMIT, "tokens", (CHUNK,), CHUNK),
    )


def _states(batch: Batch, vilbert: Vilbert, path: str) -> FloatArray:
    """Pooled image and text states of every example; a long caption is the mean of its windows."""
    corpus, store = batch.corpus, region_store(path)
    found: FloatArray | None = None
    images = np.unique(corpus.image_of)
    for start in range(0, len(images), _IMAGES_AT_A_TIME):
        part = images[start : start + _IMAGES_AT_A_TIME]
        known: dict[int, Regions] = {}
        for image in part.tolist():
            try:
                known[image] = store.get(corpus.image_ids[image])
            except InputError:
                continue  # an image without regions has no embedding, and its captions no score
        places = list(known)
        rows = np.flatnonzero(np.isin(corpus.image_of, places))
        cut = vilbert.rows([corpus.captions[row] for row in rows.tolist()], CHUNK)
        pairs = [
            Pair(ids, places.index(int(corpus.image_of[rows[owner]])))
            for ids, owner in zip(cut.rows, cut.owner.tolist(), strict=True)
        ]
        for place, read in vilbert.read(pairs, list(known.values())):
            state = np.concatenate([read.image, read.text]).astype(np.float64)
            if found is None:
                found = np.full((len(batch), len(state)), np.nan)
            row = rows[cut.owner[place]]
            found[row] = np.nan_to_num(found[row]) + state * cut.shares[place]
    if found is None:
        raise InputError(f"{path}: contains no regions for any image in the corpus. Check the image ids.")
    return found
