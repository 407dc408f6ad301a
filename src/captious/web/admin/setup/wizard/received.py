"""The files of a draft, each kept as it comes: a bad one costs nothing but itself."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import Request
from starlette.datastructures import FormData, UploadFile

from captious.corpus.finding_files import read_findings
from captious.corpus.load import load_references, load_with_notes
from captious.errors import InputError
from captious.protocols import Problem
from captious.web.admin.form_fields import files_of, problem_of
from captious.web.admin.setup.wizard.drafts import Drafts, Plan, for_the_form, readable
from captious.web.admin.uploads import MEGABYTE, save_images, save_texts, shown_name
from captious.web.guard import security

PARTS = ("candidates", "references", "findings", "images")
DROP = "drop"  # the field that names files to leave out: candidates/heron.json
UPLOADS = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["csrf", "title"],
                    "properties": {
                        "csrf": {"type": "string"},
                        "title": {"type": "string"},
                        **{
                            part: {"type": "array", "items": {"type": "string", "format": "binary"}}
                            for part in PARTS
                        },
                    },
                    "additionalProperties": {"type": "string"},
                }
            }
        },
    }
}


class Received(NamedTuple):
    """Where new files were kept, and what is wrong with the others."""

    kept: list[Path]
    problems: list[Problem]


def receive(drafts: Drafts, token: str, form: FormData, earlier: str = "") -> Received:
    """Keep what was sent, beside what an earlier draft has; a file of the same name takes its place."""
    kept: list[Path] = []
    problems: list[Problem] = []
    dropped = {value for value in form.getlist(DROP) if isinstance(value, str)}
    for part in PARTS:
        place = drafts.place(token, part)
        if earlier and drafts.place(earlier, part).is_dir():
            shutil.copytree(drafts.place(earlier, part), place)
            _drop(place, part, dropped)
        for upload in files_of(form, part):
            try:
                wrong = _keep_one(upload, part, place, replaces=bool(earlier))
                kept.append(place if part == "images" else place / shown_name(upload))
            except InputError as error:
                wrong = [str(error)]
            problems += [Problem(part, line) for line in wrong]
    return Received(kept, problems)


def _drop(place: Path, part: str, dropped: set[str]) -> None:
    for path in place.iterdir():
        if f"{part}/{path.name}" in dropped:
            path.unlink()
    if part == "images" and part in dropped:
        shutil.rmtree(place)


def _keep_one(upload: UploadFile, part: str, place: Path, *, replaces: bool) -> list[str]:
    """Keep a file; return what is wrong within it where the rest of it is good."""
    if part == "images":
        return list(save_images([upload], place).wrong)
    if replaces:
        (place / shown_name(upload)).unlink(missing_ok=True)
    save_texts([upload], place)
    return []


def build_or_explain(drafts: Drafts, token: str, plan: Plan) -> list[Problem]:
    """Build a draft; files that cannot be read are taken out of it and named."""
    try:
        drafts.build(token, plan)
    except InputError as error:
        return unreadable_files(drafts, token) or [problem_of(error, "candidates")]
    return []


def unreadable_files(drafts: Drafts, token: str) -> list[Problem]:
    """Take out files that cannot be read by themselves, and say why."""
    readers: dict[str, Callable[[list[Path]], object]] = {
        "candidates": load_with_notes,
        "references": load_references,
        "findings": lambda paths: [read_findings(path) for path in paths],
    }
    return [
        Problem(part, told)
        for part, read in readers.items()
        for path in readable(drafts.place(token, part))
        if (told := _unreadable(path, read))
    ]


def _unreadable(path: Path, read: Callable[[list[Path]], object]) -> str:
    """Why a file of captions cannot be read by itself; it is deleted then."""
    try:
        read([path])
    except InputError as error:
        path.unlink()
        return for_the_form(str(error).replace(f"{path.parent}/", ""))
    return ""


def kept_files(drafts: Drafts, token: str) -> dict[str, Any]:
    """The names of a draft's files, and how many images there are."""
    images = drafts.place(token, "images")
    return {
        **{part: [path.name for path in readable(drafts.place(token, part))] for part in PARTS[:-1]},
        "images": sum(path.is_file() for path in images.rglob("*")) if images.is_dir() else 0,
    }


def most_upload(request: Request) -> str:
    """How many megabytes one form may bring, for the page that asks for files."""
    return f"{security.settings_of(request).upload_bytes // MEGABYTE:,}"
