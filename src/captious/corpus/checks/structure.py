"""Faults between captions: ids, references, images and objects that do not meet; leaks; repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from captious.corpus.checks.gather import Gathered
from captious.corpus.checks.report import EXAMPLES_SHOWN, Finding, Place, Severity, by_system, shown
from captious.corpus.images import looks_like_an_image
from captious.text.normalise import same_text_key

COLLAPSE = 0.5  # a system that repeats itself for this share of its images says too little
FEW = 20  # captions, up to which repetition says little
PROBLEMS = {
    "missing-id": ("an image id is missing or null", "Give each caption the id of its image."),
    "missing-caption": ("a caption is missing", 'Each entry needs "image_id" and "caption".'),
    "not-text": ("a caption is not text", "A caption must be text."),
    "duplicate-id": ("a system has several captions for one image", "Keep one caption per image."),
    "empty-list": ("a list of references is empty", "Give a caption, or leave the image out."),
    "shape": ("an entry has the wrong shape", "Give every entry the shape of the others."),
}


def finding_of_rows(
    candidates: Gathered,
    rows: Sequence[int],
    *,
    code: str,
    severity: Severity,
    what: str,
    mend: str,
    subject: str = "candidates",
) -> Finding:
    """A finding about some of the captions."""
    examples = tuple(
        Place(
            *candidates.place(row),
            candidates.ids[row],
            candidates.systems[row] or None,
            shown(candidates.texts[row]),
        )
        for row in rows[:EXAMPLES_SHOWN]
    )
    several = len(set(candidates.systems)) > 1
    return Finding(
        code=code,
        severity=severity,
        subject=subject,
        what=what,
        mend=mend,
        count=len(rows),
        of=len(candidates.texts),
        examples=examples,
        systems=by_system([candidates.systems[row] for row in rows]) if several else {},
    )


def finding_of_images(
    images: Sequence[str],
    of: int,
    *,
    code: str,
    severity: Severity,
    subject: str,
    what: str,
    mend: str,
    file: str = "",
) -> Finding:
    """A finding about some of the images."""
    examples = tuple(Place(file, "", image, None, "") for image in images[:EXAMPLES_SHOWN])
    return Finding(code, severity, subject, what, mend, len(images), of, examples)


def broken_rows(gathered: Gathered, subject: str) -> list[Finding]:
    """What strict loading refuses, a finding for each kind."""
    kinds: dict[str, list[Place]] = {}
    for source, problem in gathered.problems:
        place = Place(source, problem.place, problem.image, None, problem.what)
        kinds.setdefault(problem.code, []).append(place)
    total = len(gathered.texts) + sum(len(p) for c, p in kinds.items() if c != "duplicate-id")
    return [
        Finding(code, "error", subject, *PROBLEMS[code], len(places), total, tuple(places[:EXAMPLES_SHOWN]))
        for code, places in kinds.items()
    ]


def unmatched(candidates: Gathered, references: Gathered) -> list[Finding]:
    """Candidates without references, and references without candidates."""
    findings = []
    known = dict.fromkeys(references.ids)
    without = [row for row, image in enumerate(candidates.ids) if image not in known]
    if without:
        findings.append(
            finding_of_rows(
                candidates,
                without,
                code="no-references",
                severity="error",
                what="the image has no references",
                mend="Add them, or leave the caption out.",
            )
        )
    described = set(candidates.ids)
    unused = [image for image in known if image not in described]
    if unused:
        findings.append(
            finding_of_images(
                unused,
                len(known),
                code="no-candidates",
                severity="note",
                subject="references",
                what="the image has references but no candidate",
                mend="Fine if you score a subset; otherwise add the captions.",
            )
        )
    return findings


def uneven_systems(candidates: Gathered) -> list[Finding]:
    """Systems that do not describe the same images."""
    covered: dict[str, set[str]] = {}
    for image, system in zip(candidates.ids, candidates.systems, strict=True):
        covered.setdefault(system, set()).add(image)
    everything = set().union(*covered.values())
    shared = everything.intersection(*covered.values())
    if len(shared) == len(everything):
        return []
    order = {image: None for image in candidates.ids if image not in shared}
    return [
        finding_of_images(
            list(order),
            len(everything),
            code="systems-differ",
            severity="error",
            subject="candidates",
            what="not every system describes the image",
            mend="Add the captions, or score the images that all systems describe (common).",
        )
    ]


def leaked(candidates: Gathered, references: Gathered) -> list[Finding]:
    """Candidates that are among their own references."""
    if not references.texts:
        return []
    # One text for image and caption: a million tuples would keep the garbage collector busy.
    described = set(candidates.ids)
    known = {
        f"{image}\n{same_text_key(text)}"
        for image, text in zip(references.ids, references.texts, strict=True)
        if image in described
    }
    rows = [
        row
        for row, (image, text) in enumerate(zip(candidates.ids, candidates.texts, strict=True))
        if (key := same_text_key(text)) and f"{image}\n{key}" in known
    ]
    if not rows:
        return []
    return [
        finding_of_rows(
            candidates,
            rows,
            code="leaked",
            severity="warning",
            what="the candidate is one of its own references",
            mend="Take it out of the references, or report scores with and without.",
        )
    ]


def repeated_captions(candidates: Gathered) -> list[Finding]:
    """Captions that one system gives to several images."""
    if len(set(candidates.texts)) == len(candidates.texts):
        return []
    counts = Counter(zip(candidates.systems, candidates.texts, strict=True))
    if len(counts) == len(candidates.texts):
        return []
    pairs = zip(candidates.systems, candidates.texts, strict=True)
    rows = [row for row, pair in enumerate(pairs) if counts[pair] > 1]
    rows.sort(key=lambda row: -counts[candidates.systems[row], candidates.texts[row]])
    firsts = list({(candidates.systems[r], candidates.texts[r]): r for r in reversed(rows)}.values())
    shared_by_system = by_system([candidates.systems[row] for row in rows])
    totals = Counter(candidates.systems)
    worst = max(count / totals[system] for system, count in shared_by_system.items())
    collapsed = worst > COLLAPSE and len(candidates.texts) > FEW and not candidates.judged
    (_, most), times = counts.most_common(1)[0]
    finding = finding_of_rows(
        candidates,
        rows,
        code="repeated",
        severity="warning" if collapsed else "note",
        what=f'other images have the same caption ("{shown(most)[:50]}": {times:,} times)',
        mend="Check whether the system repeats one caption for everything.",
    )
    examples = tuple(
        Place(
            *candidates.place(row),
            candidates.ids[row],
            candidates.systems[row] or None,
            shown(candidates.texts[row]),
        )
        for row in firsts[::-1][:EXAMPLES_SHOWN]
    )
    return [Finding(**{**finding.__dict__, "examples": examples})]


def fewer_references(references: Gathered) -> list[Finding]:
    """Images with fewer references than most."""
    counts = Counter(references.ids)
    if not counts:
        return []
    usual = Counter(counts.values()).most_common(1)[0][0]
    fewer = [image for image, count in counts.items() if count < usual]
    if not fewer:
        return []
    return [
        finding_of_images(
            fewer,
            len(counts),
            code="fewer-references",
            severity="note",
            subject="references",
            what=f"the image has fewer than the usual {usual} references",
            mend="Scores rise with the number of references; compare systems on the same ones.",
        )
    ]


def without_images(ids: Iterable[str], paths: Iterable[str | None], folder: str) -> list[Finding]:
    """Images that are not in the folder."""
    images = list(ids)
    missing = [image for image, path in zip(images, paths, strict=True) if path is None]
    if not missing:
        return []
    return [
        finding_of_images(
            missing,
            len(images),
            code="no-image",
            severity="error",
            subject="images",
            what="there is no image file for the id",
            mend="Add the file, or fix the id.",
            file=folder,
        )
    ]


def broken_images(ids: Iterable[str], paths: Iterable[str | None], folder: str) -> list[Finding]:
    """Files that bear an image's name and are none: empty, or a web page that was saved in its place."""
    found = [(image, path) for image, path in zip(ids, paths, strict=True) if path is not None]
    broken = [image for image, path in found if not looks_like_an_image(path)]
    if not broken:
        return []
    return [
        finding_of_images(
            broken,
            len(found),
            code="broken-image",
            severity="error",
            subject="images",
            what="the file is empty or not an image",
            mend="Download it again; image-based metrics cannot score it.",
            file=folder,
        )
    ]


def without_objects(ids: Iterable[str], counts: Iterable[int], file: str) -> list[Finding]:
    """Images of which no object is known."""
    images = list(ids)
    missing = [image for image, count in zip(images, counts, strict=True) if count == 0]
    if not missing:
        return []
    return [
        finding_of_images(
            missing,
            len(images),
            code="no-objects",
            severity="note",
            subject="objects",
            what="no objects are given for the image",
            mend="Add labels, or expect a score of 0.",
            file=file,
        )
    ]
