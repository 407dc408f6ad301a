"""What is done while a study runs: approve, reject, bonus, message, exclude, pause, close, reconcile."""

from __future__ import annotations

from typing import Annotated

import typer

from captious.cli import options as shared
from captious.cli.campaign.options import DEFAULT_DATABASE, Database, Slug, actor, opened
from captious.cli.crowd import options
from captious.cli.output import Format
from captious.errors import InputError

NOT_DONE = "nothing was changed. Add --confirm to carry it out."
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Reason, shown to the participant.")]
Everyone = Annotated[bool, typer.Option("--all-due", help="All places that are finished and submitted.")]


def reconcile(
    slug: Slug,
    study: options.StudyKey = "",
    database: Database = DEFAULT_DATABASE,
    form: shared.OutputFormat = Format.table,
) -> None:
    """Compare the provider's places with the database.

    Releases returned places, and lists those due.

    Example: captious crowd reconcile dogs
    """
    from captious.campaigns.setup import lifecycle
    from captious.cli.crowd.tables import look_payload, review_table, state_rows
    from captious.cli.output import emit_guarded
    from captious.crowd.run import Plan, look
    from captious.tables import Cell, Table

    with opened(database) as db:
        seen = look(db, options.study_of(db, lifecycle.find(db, slug), study), Plan())
        rows: list[list[Cell]] = [
            *state_rows(seen.found),
            ["released", seen.found.reclaimed],
            ["due for approval", len(seen.found.due)],
        ]
        tables = [Table(slug, ["places", ""], rows)]
        if seen.found.review:
            tables.append(review_table(seen.found))
        emit_guarded(tables, look_payload(seen), form)


def approve(
    slug: Slug,
    place: options.PlaceIds = None,
    all_due: Everyone = False,
    study: options.StudyKey = "",
    confirm: options.Confirm = False,
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Approve work and pay its reward.

    Example: captious crowd approve dogs --all-due --confirm
    """
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import note
    from captious.crowd import calls
    from captious.crowd.money import shown
    from captious.crowd.run import Plan, look

    if bool(place) == all_due:
        raise InputError("--place or --all-due: give one of them.")
    with opened(database) as db:
        stored = options.study_of(db, lifecycle.find(db, slug), study)
        chosen = list(look(db, stored, Plan()).found.due) if all_due else options.places_of(db, stored, place)
        cost = len(chosen) * stored.study.reward
        rewards = shown(cost, stored.study.currency)
        note(f"places to approve: {len(chosen):,}; rewards: {rewards} plus fees")
        if not confirm:
            note(NOT_DONE)
            return
        for one in chosen:
            calls.approve(db, stored, one)
        note(f"approved: {len(chosen):,}")


def reject(
    slug: Slug,
    place: options.PlaceIds = None,
    reason: Reason = "",
    study: options.StudyKey = "",
    confirm: options.Confirm = False,
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Reject work with a reason that the participant reads. Its answers no longer count.

    Example: captious crowd reject dogs --place 61b2 --reason "Both attention checks failed." --confirm
    """
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import note
    from captious.crowd import calls

    if not place or not reason:
        raise InputError("--place and --reason: give both.")
    with opened(database) as db:
        stored = options.study_of(db, lifecycle.find(db, slug), study)
        chosen = options.places_of(db, stored, place)
        note(f"places to reject: {len(chosen):,}; reason: {reason}")
        if not confirm:
            note(NOT_DONE)
            return
        for one in chosen:
            calls.reject(db, stored, one, reason)
        note(f"rejected: {len(chosen):,}")


def bonus(
    slug: Slug,
    place: options.PlaceIds = None,
    amount: Annotated[
        str | None, typer.Option("--amount", metavar="AMOUNT", help="Bonus per place, such as 0.50.")
    ] = None,
    to_minimum: Annotated[
        bool,
        typer.Option(
            "--to-minimum", help="Pay what raises the median pay of all approved places to the minimum wage."
        ),
    ] = False,
    reason: Reason = "",
    study: options.StudyKey = "",
    confirm: options.Confirm = False,
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Pay a bonus. The same amount for the same reason is paid only once per place.

    Example: captious crowd bonus dogs --to-minimum --confirm
    """
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import note
    from captious.crowd import calls, planning, visits
    from captious.crowd.money import minor, shown
    from captious.crowd.run import TOP_UP

    if to_minimum == bool(amount):
        raise InputError("--amount or --to-minimum: give one of them.")
    with opened(database) as db:
        stored = options.study_of(db, lifecycle.find(db, slug), study)
        currency = stored.study.currency
        if to_minimum:
            units, reason = planning.of_study(db, stored).bonus, reason or TOP_UP
            chosen = [one for one in visits.of_study(db, stored.id) if one.state == "approved"]
            if not units:
                note("the median pay already reaches the minimum wage. No bonus is needed.")
                return
        else:
            units, chosen = minor(amount or "", currency, "--amount"), options.places_of(db, stored, place)
            if not chosen or not reason:
                raise InputError("--place and --reason: give both.")
        quote = stored.provider().bonus_quote(stored.study, [units] * len(chosen))
        each = shown(units, currency)
        note(f"bonuses of {each}: {len(chosen):,}; total: {shown(quote.total, currency)}, fees included")
        if not confirm:
            note(NOT_DONE)
            return
        for one in chosen:
            calls.bonus(db, stored, one, units, reason)
        note(f"paid bonuses of {each}: {len(chosen):,}")


def message(
    slug: Slug,
    to: Annotated[
        list[str] | None,
        typer.Option(
            "--to", metavar="ID", help="Id of a participant; repeatable. Default: everyone in the study."
        ),
    ] = None,
    text: Annotated[str, typer.Option("--text", metavar="TEXT", help="Text of the message.")] = "",
    study: options.StudyKey = "",
    confirm: options.Confirm = False,
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Send participants a message through the provider.

    Example: captious crowd message dogs --text "Thank you. The results are out." --confirm
    """
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import note
    from captious.crowd import calls, visits

    with opened(database) as db:
        stored = options.study_of(db, lifecycle.find(db, slug), study)
        everyone = sorted({one.participant for one in visits.of_study(db, stored.id)})
        people = to or everyone
        note(f"recipients of the message: {len(people):,}")
        if not confirm:
            note(NOT_DONE)
            return
        calls.message(db, stored, people, text)
        note("sent")


def exclude(
    slug: Slug,
    participants: Annotated[
        list[str], typer.Argument(metavar="ID", help="Ids of participants.", show_default=False)
    ],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="For your own records.")] = "",
    study: options.StudyKey = "",
    confirm: options.Confirm = False,
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Exclude participants from this and all later studies.

    The provider no longer invites them.

    Example: captious crowd exclude dogs 5f3c1a --reason "asked not to be invited again" --confirm
    """
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import note
    from captious.crowd import calls

    with opened(database) as db:
        stored = options.study_of(db, lifecycle.find(db, slug), study)
        note(f"participants to exclude: {len(participants):,}")
        if not confirm:
            note(NOT_DONE)
            return
        own = options.secret(database)
        calls.exclude(db, stored, participants, secret=own, actor=actor(), reason=reason)
        note("excluded from now on")


def pause(
    slug: Slug,
    study: options.StudyKey = "",
    confirm: options.Confirm = False,
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Stop new participants from starting. People who have started can finish.

    Example: captious crowd pause dogs --confirm
    """
    _turn(slug, study, "pause", confirm, database)


def resume(
    slug: Slug,
    study: options.StudyKey = "",
    confirm: options.Confirm = False,
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Let new participants start again.

    Example: captious crowd resume dogs --confirm
    """
    _turn(slug, study, "resume", confirm, database)


def close(
    slug: Slug,
    study: options.StudyKey = "",
    confirm: options.Confirm = False,
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Close a study permanently. People who have started can finish.

    Example: captious crowd close dogs --confirm
    """
    _turn(slug, study, "close", confirm, database)


def _turn(slug: str, study: str, action: str, confirm: bool, database: str) -> None:
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import note
    from captious.crowd import calls

    steps = {"pause": calls.pause, "resume": calls.resume, "close": calls.close}
    with opened(database) as db:
        stored = options.study_of(db, lifecycle.find(db, slug), study)
        if not confirm:
            note(f"the study is {stored.state}")
            note(NOT_DONE)
            return
        note(f"the study is {steps[action](db, stored, actor=actor()).state}")
