"""Training and surveys of a campaign: what raters go through around the work, and who passed."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from captious.campaigns.entry import surveys, training
from captious.campaigns.entry.training_files import SAMPLE, has_sample, load_training, training_of
from captious.campaigns.people import raters
from captious.campaigns.records import Account, Campaign, Training
from captious.campaigns.setup import lifecycle
from captious.campaigns.setup.lifecycle import set_training
from captious.campaigns.store.database import Database
from captious.errors import InputError
from captious.protocols import Problem
from captious.protocols.item import as_number
from captious.protocols.questions.file import parse_survey
from captious.protocols.training import AFTER_FAILING, LEAST_PASS
from captious.web import pages
from captious.web.admin.access import (
    PAGE,
    TWIN,
    WRITE,
    Db,
    Manager,
    Run,
    Seen,
    Viewer,
    Written,
    head,
    rights,
    show,
    words,
)
from captious.web.admin.form_fields import files_of, texts_of
from captious.web.admin.models import CampaignHead
from captious.web.admin.uploads import read_protocol_text, save_images, shown_name
from captious.web.openapi import form_body

router = APIRouter()
SURVEYS = ("survey_before", "survey_after")


@dataclass(frozen=True)
class TrainedRow:
    """How a rater did: `standing` is answering, passed or failed; `name` is for those who run it."""

    rater: str
    name: str | None
    standing: str
    tries: int
    score: float


@dataclass(frozen=True)
class TrainingPage:
    """A campaign's training and surveys."""

    campaign: CampaignHead
    examples: int
    pass_mark: float
    tries: int
    after_failing: str
    raters: list[TrainedRow]
    survey_before: str
    survey_after: str
    answered_before: int
    answered_after: int


@router.get("/api/admin/c/{slug}/training", **TWIN)
def training_page(account: Viewer, campaign: Seen, db: Db) -> TrainingPage:
    """The training and the surveys of a campaign, and who passed."""
    named = rights(account).manage
    names = {one.pseudonym: one.name for one in raters.listed(db, campaign)} if named else {}
    moments = [one.moment for one in surveys.answers(db, campaign)]
    settings = campaign.settings
    return TrainingPage(
        campaign=head(campaign),
        examples=len(training.examples(db, campaign)),
        pass_mark=settings.training_pass,
        tries=settings.training_tries,
        after_failing=settings.after_failing,
        raters=[
            TrainedRow(
                rater=one.rater,
                name=names.get(one.rater),
                standing=one.phase,
                tries=one.tries,
                score=one.score,
            )
            for one in training.trained(db, campaign)
        ],
        survey_before=settings.survey_before,
        survey_after=settings.survey_after,
        answered_before=moments.count("before"),
        answered_after=moments.count("after"),
    )


@router.get("/admin/c/{slug}/training", **PAGE)
def training_view(request: Request, account: Viewer, campaign: Seen, db: Db) -> Response:
    """The same as a page, to be changed."""
    return _page(request, account, campaign, db)


@router.post(
    "/admin/c/{slug}/training",
    **WRITE,
    openapi_extra=form_body(
        {
            "training": "keep, sample, file or none",
            "training_file": "The examples, YAML",
            "training_images": "Their pictures",
            "training_pass": "Per cent of known answers to give",
            "training_tries": "Tries",
            "after_failing": "stop, uncounted or again",
            "survey_before": "Questions before the work, YAML",
            "survey_after": "Questions after the work, YAML",
        },
        required=["csrf"],
    ),
)
def change(request: Request, account: Manager, campaign: Run, db: Db, form: Written) -> Response:
    """Change what raters go through; whoever works already goes through it before the next task."""
    given = texts_of(form)
    values, problems = _read(given, request)
    chosen = given.get("training", "keep")
    if chosen == "keep" and files_of(form, "training_file"):
        chosen = "file"  # who sends a file wants its examples
    with tempfile.TemporaryDirectory(prefix="captious-training-") as folder:
        found: Training | None = None
        try:
            if chosen in (SAMPLE, "file"):
                found = _training(campaign, chosen, form, Path(folder))
        except InputError as error:
            problems.append(Problem("training_file" if chosen == "file" else "training", str(error)))
        problems += _survey_problems(values)
        if problems:
            return _page(request, account, campaign, db, given, problems)
        changed = replace(campaign.settings, **values)
        campaign = lifecycle.change_settings(db, campaign, changed, actor=account.name)
        if chosen != "keep":
            set_training(db, campaign, found, actor=account.name)
    return pages.redirect(request, f"/admin/c/{campaign.slug}/training", flash="admin.training.saved")


def _survey_problems(values: dict[str, Any]) -> list[Problem]:
    """What is wrong with the surveys that were typed, a line each."""
    found = []
    for name in SURVEYS:
        try:
            if values[name]:
                parse_survey(values[name], name.replace("_", " "))
        except InputError as error:
            found.append(Problem(name, str(error)))
    return found


def _read(given: dict[str, str], request: Request) -> tuple[dict[str, Any], list[Problem]]:
    """The settings that were typed, and what is wrong with them."""
    t, problems = words(request), []
    share, tries = as_number(given.get("training_pass")), as_number(given.get("training_tries"))
    if share is None or not 100 * LEAST_PASS <= share <= 100:
        problems.append(Problem("training_pass", t("admin.training.wrong_pass")))
    if tries is None or tries != int(tries) or not 1 <= tries <= 100:
        problems.append(Problem("training_tries", t("admin.training.wrong_tries")))
    after = given.get("after_failing", "")
    if after not in AFTER_FAILING:
        problems.append(Problem("after_failing", t("admin.training.wrong_after")))
    values: dict[str, Any] = {name: given.get(name, "").replace("\r\n", "\n").strip() for name in SURVEYS}
    if not problems and share is not None and tries is not None:
        values |= {"training_pass": share / 100, "training_tries": int(tries), "after_failing": after}
    return values, problems


def _training(campaign: Campaign, chosen: str, form: FormData, folder: Path) -> Training:
    """The training that was chosen; pictures that were sent are put into a folder."""
    rules = campaign.rules()
    if chosen == SAMPLE:
        return load_training(SAMPLE, rules)
    sent = files_of(form, "training_file")
    if not sent:
        raise InputError("training: no file was given. Choose one, or use the built-in examples.")
    text, name = read_protocol_text(sent[0]), shown_name(sent[0])
    pictures = files_of(form, "training_images")
    if pictures:
        save_images(pictures, folder)
    return training_of(text, rules, [folder] if pictures else [], source=name)


def _page(
    request: Request,
    account: Account,
    campaign: Campaign,
    db: Database,
    given: dict[str, str] | None = None,
    problems: Sequence[Problem] = (),
) -> Response:
    page = training_page(account, campaign, db)
    form = {
        "training": "keep",
        "training_pass": f"{100 * page.pass_mark:g}",
        "training_tries": str(page.tries),
        "after_failing": page.after_failing,
        "survey_before": page.survey_before,
        "survey_after": page.survey_after,
    }
    return show(
        request,
        "training.html",
        account,
        problems=problems,
        campaign=head(campaign),
        here="training",
        page=page,
        form=form | (given or {}),
        ways=AFTER_FAILING,
        has_sample=has_sample(campaign.protocol),
    )
