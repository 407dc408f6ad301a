"""`captious data detect`: which objects are in photographs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from captious.models.detect.output import Source
    from captious.models.detect.run import DetectionRun, OnError

Images = Annotated[
    list[Path], typer.Argument(metavar="PATH", help="Image files or folders.", show_default=False)
]
Out = Annotated[
    Path, typer.Option("--out", "-o", metavar="FILE", help="JSON file to write.", show_default=False)
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="Detector: ssd (default), detr, a YOLO export (.onnx), a checkpoint folder, or "
        "organisation/name. Repeat to combine detectors.",
    ),
]
Sources = Annotated[
    list[str] | None,
    typer.Option(
        "--source",
        metavar="NAME",
        help="Prefix for the labels of each model (d80:dog), in the order of the models. "
        "d80, d500 and detr set the threshold of their paper.",
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        metavar="NUMBER",
        help="Minimum confidence, 0.05 to 1. Default: 0.6; for transformers checkpoints 0.9.",
        show_default=False,
    ),
]
Sheet = Annotated[
    Path | None,
    typer.Option("--contact-sheet", metavar="FILE", help="Write a picture with all boxes (.jpg, .png)."),
]
Errors = Annotated[
    str,
    typer.Option(
        "--on-error",
        metavar="CHOICE",
        help="If an image cannot be read: stop, or skip it and list it in the output.",
    ),
]
Batch = Annotated[int, typer.Option("--batch-size", metavar="N", min=1, help="Images per batch.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Ignore cached detections.")]


def detect(
    images: Images,
    out: Out,
    model: Models = None,
    source: Sources = None,
    threshold: Threshold = None,
    contact_sheet: Sheet = None,
    on_error: Errors = "stop",
    batch_size: Batch = 8,
    no_cache: NoCache = False,
) -> None:
    """Find the objects in images, for metrics that need them.

    Example: captious data detect photographs --out objects.json --contact-sheet sheet.jpg
    """
    from captious.errors import InputError
    from captious.models.detect.detector import checked_threshold
    from captious.models.detect.output import instances, write_json
    from captious.models.images import image_files

    choice = _on_error(on_error)
    names = source_names(model or ["ssd"], source or [])
    if threshold is not None:
        checked_threshold(threshold)
    for target in filter(None, (out, contact_sheet)):
        if not target.parent.is_dir():
            raise InputError(f"{target}: there is no folder {target.parent}. Create it first.")
    files = image_files(images)
    joined: list[Source] = []
    skipped: dict[str, str] = {}
    for one, name in zip(model or ["ssd"], names, strict=True):
        joined.append(_source(one, name, files, threshold, choice, batch_size, no_cache, skipped))
    if len(skipped) == len(files):
        first = next(iter(skipped.values()))
        raise InputError(f"none of {len(files)} image(s) could be read. The first: {first}")
    write_json(out, instances(joined, skipped, list(files)))
    _tell(joined, skipped, out)
    if contact_sheet:
        _sheet(joined, files, contact_sheet)


def source_names(models: list[str], given: list[str]) -> list[str]:
    """The name of each model's labels: as given; else none for one model, their own for several.

    >>> source_names(["ssd"], []), source_names(["ssd", "yolo11n.onnx"], [])
    ([''], ['ssd', 'yolo11n'])
    """
    from captious.errors import InputError

    if given and len(given) != len(models):
        raise InputError(
            f"{len(models)} model(s) and {len(given)} source name(s). Give --source once per model."
        )
    own = [Path(model.partition("@")[0]).name.removesuffix(".onnx") for model in models]
    names = given or ([""] if len(models) == 1 else own)
    if len(set(names)) < len(names):
        raise InputError("two models have the same source name. Give each its own with --source.")
    if any(":" in name for name in names):
        raise InputError('a source name must not contain ":".')
    return names


def _on_error(text: str) -> OnError:
    from captious.errors import UnknownNameError
    from captious.models.detect.run import OnError

    if text not in list(OnError):
        raise UnknownNameError("way with errors", text, list(OnError))
    return OnError(text)


def _source(
    model: str,
    name: str,
    files: dict[str, Path],
    threshold: float | None,
    on_error: OnError,
    batch: int,
    no_cache: bool,
    skipped: dict[str, str],
) -> Source:
    from captious.cli.output import note, progress_bar
    from captious.models.detect.cache import DetectionCache
    from captious.models.detect.detector import PAPER_THRESHOLDS, open_detector
    from captious.models.detect.output import Source
    from captious.models.detect.run import detect_files

    detector = open_detector(model)
    cache = DetectionCache(None) if no_cache else DetectionCache.of(detector)
    with progress_bar() as progress, cache:
        found: DetectionRun = detect_files(
            files, detector, cache=cache, batch=batch, on_error=on_error, progress=progress
        )
    if found.from_cache:
        note(f"{detector.name}: {found.from_cache:,} of {len(files):,} images from the cache.")
    skipped.update(found.skipped)
    used = threshold or PAPER_THRESHOLDS.get(name, detector.threshold)
    return Source(detector.name, detector.fingerprint, used, found.images, name)


def _tell(sources: list[Source], skipped: dict[str, str], out: Path) -> None:
    from captious.cli.output import note

    for reason in skipped.values():
        note(f"skipped: {reason}")
    if skipped:
        note(f'{len(skipped):,} image(s) were skipped; they are under "skipped" in {out}.')
    for one in sources:
        labels = [x for found in one.images.values() for x in found.above(one.threshold).labels]
        note(
            f"{one.model}: {len(labels):,} objects of {len(set(labels)):,} kinds in "
            f"{len(one.images):,} image(s), threshold {one.threshold:g}."
        )
    note(f"wrote {out}")


def _sheet(sources: list[Source], files: dict[str, Path], path: Path) -> None:
    from captious.cli.output import note
    from captious.models.detect.output import contact_sheet, joined

    shown = contact_sheet(files, joined(sources), path)
    note(f"wrote {path} ({shown:,} of {len(files):,} images)")
