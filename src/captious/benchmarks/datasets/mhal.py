"""Detailed captions by vision-language models with the places that people marked as invented."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from captious.benchmarks.data_files import wanted
from captious.benchmarks.protocol import SPANS, Protocol, RatedExamples, marked_examples
from captious.corpus import Corpus, Finding, Findings
from captious.corpus.load import reference_sets
from captious.corpus.objects import read_objects
from captious.corpus.readers import read_every_column, read_rows
from captious.errors import InputError, UnknownNameError, as_written

MHAL = Protocol(
    name="mhal",
    task="spans",
    coefficients=("precision", "recall", "f1", "f1_iou", "average_precision", "spearman"),
    aspect=SPANS,
    references="none; with --subset referenced, the five COCO captions of the image",
    documents="examples",
    source="Gunjal et al. 2024 (M-HalDetect), the sample of MHALO (Cai et al. 2025); "
    "objects as CHAIR counts them (Rohrbach et al. 2018)",
)
KIND = "inaccurate"
REFERENCED = "referenced"


def load_mhal(folder: Path, subset: str = "") -> RatedExamples:
    """Rows `{"image", "caption", "spans": [[start, end, text], …]}`, with the objects of each image.

    With `subset="referenced"` the captions of the images that are in the Karpathy test split, with its
    references.
    """
    if subset not in ("", REFERENCED):
        raise UnknownNameError("subset", subset, [REFERENCED])
    path = wanted(folder, "detailed/mhal.jsonl")
    rows = read_every_column(path)
    missing = next((name for name in ("image", "caption", "spans") if name not in rows.columns), None)
    if missing is not None:
        raise InputError(f'{path}: no "{missing}" in its rows. Each row needs image, caption and spans.')
    images, captions, spans = (rows.columns[name] for name in ("image", "caption", "spans"))
    kept = list(range(len(rows)))
    references: list[list[str]] | None = None
    if subset:
        known = reference_sets([read_rows(wanted(folder, "coco_karpathy/reference_captions.json"))])
        kept = [row for row in kept if str(images[row]) in known.ids]
        references = [known.sets[known.ids[str(images[row])]] for row in kept]
    found = Findings.from_rows(
        one for row in kept for one in _findings(path, row, images[row], captions[row], spans[row])
    )
    corpus = Corpus.from_lists(found.captions, references, image_ids=[image for image, _ in found.keys])
    objects = read_objects(wanted(folder, "detailed/coco_objects.json.gz"), corpus.image_ids)
    protocol = MHAL.with_options(subset=subset) if subset else MHAL
    return marked_examples(protocol, found, replace(corpus, objects=objects))


def _findings(path: Path, row: int, image: object, caption: object, spans: object) -> list[Finding]:
    """What people marked in the caption of a row, each row being an example of its own."""
    if not (isinstance(image, (str, int)) and isinstance(caption, str) and isinstance(spans, list)):
        raise InputError(f"{path}: row {row + 1}: needs an image, a caption and a list of spans. Correct it.")
    own = Finding(str(image), "", caption, None, None, "", source="people", example=str(row + 1))
    found = []
    for span in spans:
        if not (isinstance(span, list) and len(span) == 3 and caption[span[0] : span[1]] == span[2]):
            raise InputError(
                f'{path}: row {row + 1}: the span "{as_written(span, 40)}" is not in the caption. Correct it.'
            )
        found.append(own._replace(start=span[0], end=span[1], kind=KIND))
    return found or [own]
