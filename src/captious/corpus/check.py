"""`check`: find problems in candidates, references, images and objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from captious.arguments import check_arguments
from captious.corpus.checks.gather import Gathered, gather_candidates, gather_references, respell
from captious.corpus.checks.report import CheckReport, Finding, by_severity
from captious.corpus.checks.structure import (
    broken_images,
    broken_rows,
    fewer_references,
    finding_of_images,
    finding_of_rows,
    leaked,
    repeated_captions,
    uneven_systems,
    unmatched,
    without_images,
    without_objects,
)
from captious.corpus.checks.texts import CANDIDATE_CHECKS, RARE, REFERENCE_CHECKS, TextCheck, failing_rows
from captious.corpus.given import Given, rows_of, sides_of
from captious.corpus.images import find_images
from captious.corpus.objects import read_objects
from captious.corpus.readers import PathText
from captious.corpus.readers.memory import Columns
from captious.corpus.types import Corpus


def check(
    candidates: Corpus | Given,
    references: Given | None = None,
    *,
    names: Sequence[str] | None = None,
    images: PathText | None = None,
    objects: PathText | None = None,
) -> CheckReport:
    """Check captions without scoring them. Problems are listed, not raised.

    Both take files or captions in memory, like `load_corpus`, or a `Corpus`. Only a file that cannot
    be read at all (missing, not text, broken JSON) raises `InputError`.

    >>> [(f.code, f.count) for f in check({"1": "a dog on a", "2": "A cat."}).findings]
    [('lower-case', 1), ('no-period', 1), ('truncated', 1)]
    """
    check_arguments(check, locals())
    if isinstance(candidates, Corpus):
        candidates = _rows_of_corpus(candidates)
    files, references = sides_of(candidates, _none_if_empty(references), strict=False)
    found = gather_candidates(files, names, references)
    given = gather_references([] if references is None else rows_of(references, "references"))
    findings = broken_rows(found, "candidates") + broken_rows(given, "references")
    if given.ids:
        loosely = respell(found, given.ids)
        findings += _met_loosely(found, loosely) + unmatched(found, given)
    elif found.own_references is not None:
        given = found.own_references
    findings += _text_findings(found, given)
    findings += leaked(found, given) + repeated_captions(found) + fewer_references(given)
    if len(set(found.systems)) > 1:
        findings += uneven_systems(found)
    ids = list(dict.fromkeys(found.ids))
    if images is not None and ids:
        file_names = {k: v for rows in given.files for k, v in rows.file_names.items()}
        paths = find_images(images, ids, file_names)
        findings += without_images(ids, paths, str(images))
        findings += broken_images(ids, paths, str(images))
    if objects is not None and ids:
        counts = read_objects(objects, ids).counts.tolist()
        findings += without_objects(ids, counts, str(objects))
    return CheckReport(
        findings=by_severity(findings),
        captions=len(found.texts),
        images=len(ids),
        references=len(given.texts),
        systems=tuple(dict.fromkeys(found.systems)),
        formats={rows.source: rows.format for rows in [*found.files, *given.files]},
    )


def _none_if_empty(references: Given | None) -> Given | None:
    return None if isinstance(references, list | tuple) and not references else references


def _rows_of_corpus(corpus: Corpus) -> Columns:
    examples = list(corpus)
    columns: dict[str, list[Any]] = {
        "image_id": [one.image_id for one in examples],
        "system": [one.system for one in examples],
        "caption": [one.caption for one in examples],
    }
    if len(corpus.references):
        columns["references"] = [one.references for one in examples]
    return Columns(columns)


def _text_findings(candidates: Gathered, references: Gathered) -> list[Finding]:
    checked = [(candidates, CANDIDATE_CHECKS, "candidates")]
    checked.append((references, REFERENCE_CHECKS, "references"))
    return [
        _text_finding(gathered, one, rows, subject)
        for gathered, checks, subject in checked
        for one, rows in failing_rows(checks, gathered.texts)
    ]


def _text_finding(gathered: Gathered, check: TextCheck, rows: Sequence[int], subject: str) -> Finding:
    is_rare = check.rare_is_note and len(rows) < RARE * len(gathered.texts)
    return finding_of_rows(
        gathered,
        rows,
        code=check.code,
        severity="note" if is_rare else check.severity,
        what=check.what,
        mend=check.mend,
        subject=subject,
    )


def _met_loosely(candidates: Gathered, count: int) -> list[Finding]:
    if not count:
        return []
    images = list(dict.fromkeys(candidates.ids))
    return [
        finding_of_images(
            images[:count],
            len(images),
            code="loose-ids",
            severity="note",
            subject="candidates",
            what="the id matches its references only by file name or number",
            mend="Use the same ids in both files.",
        )
    ]
