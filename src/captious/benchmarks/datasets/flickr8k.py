"""Flickr8k-Expert and Flickr8k-CF (Hodosh, Young and Hockenmaier 2013)."""

from __future__ import annotations

from pathlib import Path

from captious.benchmarks.data_files import wanted
from captious.benchmarks.protocol import Protocol, RatedExamples, rated_examples
from captious.corpus import Corpus
from captious.corpus.readers import Rows, open_source, read_rows
from captious.corpus.readers.plain import read_flickr8k_judgments
from captious.errors import InputError

EXPERT_RATINGS = ("1", "2", "3")
EXPERT_SCALE = (1, 4)

EXPERT = Protocol(
    name="flickr8k-expert",
    coefficients=("kendall_c", "kendall_b", "pearson", "spearman"),
    ratings="each",
    references="the image's five captions",
    left_out="158 pairs whose caption is one of the image's own five",
    documents="examples",
    source="Hodosh et al. 2013; tau-c over single ratings as Anderson et al. 2016 and Hessel et al. 2021",
)
CROWDFLOWER = Protocol(
    name="flickr8k-cf",
    coefficients=("kendall_b", "kendall_c", "pearson", "spearman"),
    ratings="mean",
    references="the image's five captions, without every caption that is a candidate for it",
    left_out="nothing",
    documents="examples",
    source="Hodosh et al. 2013; tau-b on the share of yes as Hessel et al. 2021",
)


def load_expert(folder: Path) -> RatedExamples:
    """5,664 pairs with three ratings of 1 to 4 each: 16,992 rows."""
    path = wanted(folder, "flickr8k/ExpertAnnotations.txt")
    captions = _captions(wanted(folder, "flickr8k/Flickr8k.token.txt"))
    rows = read_flickr8k_judgments(open_source(path), "flickr8k-expert")
    pairs = _pairs(rows)
    kept = [i for i, (image, own) in enumerate(pairs) if image != own.rpartition("#")[0]]
    ratings = [_expert_ratings(rows, i) for i in kept]
    chosen = [pairs[i] for i in kept]
    references = [_references(captions, image, path) for image, _ in chosen]
    return rated_examples(
        EXPERT,
        _corpus(folder, captions, chosen, references, path),
        {"overall": ratings},
        [f"{image}|{own}" for image, own in chosen],
    )


def load_crowdflower(folder: Path) -> RatedExamples:
    """The share of raters who said that the caption describes the image, pair by pair."""
    path = wanted(folder, "flickr8k/CrowdFlowerAnnotations.txt", "formats/CrowdFlowerAnnotations.head.txt")
    captions = _captions(wanted(folder, "flickr8k/Flickr8k.token.txt"))
    rows = read_flickr8k_judgments(open_source(path), "flickr8k-crowdflower")
    pairs = _pairs(rows)
    candidates: dict[str, set[str]] = {}
    for image, own in pairs:
        candidates.setdefault(image, set()).add(own)
    references = [_references(captions, image, path, besides=candidates[image]) for image, _ in pairs]
    shares = [[_share(rows, i)] for i in range(len(pairs))]
    notes: tuple[str, ...] = ()
    if ".head." in path.name:
        notes = (f"{path.name} contains only the first rows of the file: {len(pairs)} pairs.",)
    return rated_examples(
        CROWDFLOWER,
        _corpus(folder, captions, pairs, references, path),
        {"overall": shares},
        [f"{image}|{own}" for image, own in pairs],
        notes,
    )


def _captions(path: Path) -> dict[str, str]:
    rows = read_rows(path)
    if "caption_id" not in rows.columns:
        raise InputError(f"{path}: not a Flickr8k token file. Each line needs image#k, a tab and a caption.")
    ids, texts = rows.columns["caption_id"], rows.columns["caption"]
    return {str(own): str(text) for own, text in zip(ids, texts, strict=True)}


def _pairs(rows: Rows) -> list[tuple[str, str]]:
    images, ids = rows.columns["image"], rows.columns["caption_id"]
    return [(str(image), str(own)) for image, own in zip(images, ids, strict=True)]


def _expert_ratings(rows: Rows, row: int) -> list[float]:
    values = [rows.columns[name][row] for name in EXPERT_RATINGS]
    low, high = EXPERT_SCALE
    found = [float(value) for value in values]  # type: ignore[arg-type]
    for value in found:
        if not low <= value <= high:
            raise InputError(
                f"{rows.source}: {rows.places[row]}: the rating {value:g} is outside {low} to "
                f"{high}. Correct the file."
            )
    return found


def _share(rows: Rows, row: int) -> float:
    share = float(rows.columns["overall"][row])  # type: ignore[arg-type]
    if not 0 <= share <= 1:
        raise InputError(
            f"{rows.source}: {rows.places[row]}: the share of yes is {share:g}, outside 0 to 1. "
            "Correct the file."
        )
    return share


def _references(
    captions: dict[str, str], image: str, path: Path, besides: set[str] | None = None
) -> list[str]:
    own = [f"{image}#{k}" for k in range(5)]
    if own[0] not in captions:
        raise InputError(f'{path}: image "{image}" has no captions in the token file.')
    return [captions[name] for name in own if name in captions and name not in (besides or ())]


def _corpus(
    folder: Path,
    captions: dict[str, str],
    pairs: list[tuple[str, str]],
    references: list[list[str]],
    path: Path,
) -> Corpus:
    unknown = next((own for _, own in pairs if own not in captions), None)
    if unknown is not None:
        raise InputError(f'{path}: caption "{unknown}" is not in the token file.')
    images = {image: folder / "flickr8k" / "images" / image for image, _ in pairs}
    return Corpus.from_lists(
        [captions[own] for _, own in pairs],
        references,
        image_ids=[image for image, _ in pairs],
        image_paths={image: str(file) for image, file in images.items() if file.is_file()},
    )
