"""`captious crowd estimate`, `publish`, `extend`, `status` and `providers`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from captious.cli import options as shared
from captious.cli.campaign.options import DEFAULT_DATABASE, Database, Slug, actor, opened
from captious.cli.crowd import options
from captious.cli.output import Format
from captious.errors import InputError
from captious.tables import Cell, Table

if TYPE_CHECKING:
    from captious.campaigns.records import Campaign
    from captious.campaigns.store.database import Database as OpenDatabase
    from captious.crowd.studies import Stored
    from captious.crowd.values import Study

NOTHING_DONE = "nothing was published and nothing was charged. Add --confirm to publish."


def providers(form: shared.OutputFormat = Format.table) -> None:
    """List the providers of participants and their options.

    Example: captious crowd providers
    """
    from captious.cli.output import emit_guarded, note
    from captious.crowd import base
    from captious.protocols.options import options_of

    known = base.known_providers()
    rows: list[list[Cell]] = [[name, kind.title, kind.summary] for name, kind in known.items()]
    settings: list[list[Cell]] = [
        [name, one.name, one.label, one.typed(one.default) or "-"]
        for name, kind in known.items()
        for one in options_of(kind)
    ]
    payload = {
        name: {"title": kind.title, "options": {one.name: one.default for one in options_of(kind)}}
        for name, kind in known.items()
    }
    tables = [
        Table("", ["provider", "", "what it is"], rows),
        Table("Options: --option name=value", ["provider", "option", "what it is", "default"], settings),
    ]
    emit_guarded(tables, {"providers": payload}, form)
    for line in base.PROVIDERS.left_out:
        note(line)


# The options of a plan, with what a command that does not have one takes.
_PLAN = {
    **dict.fromkeys(("places", "answers", "reward", "minutes", "budget"), None),
    **dict.fromkeys(("screening", "comprehension"), None),
    **dict.fromkeys(("title", "description"), ""),
    "currency": "USD",
    "minimum_wage": 15.0,
    "repeat": "campaign",
    "base_url": options.LOCAL,
}


def planned(db: OpenDatabase, campaign: Campaign, typed: Mapping[str, Any]) -> tuple[Study, dict[str, Any]]:
    """A plan, and the provider's options, from the options of a command by their names."""
    from captious.crowd.planning import REPEATS, plan, work_of
    from captious.errors import UnknownNameError
    from captious.web.settings import checked_base_url

    given = {name: typed.get(name, usual) for name, usual in _PLAN.items()}
    if given["repeat"] not in REPEATS:
        raise UnknownNameError("value of --repeat", given["repeat"], REPEATS)
    chosen = options.provider_options(typed["option"])
    if typed["provider"] == "simulated":
        chosen.setdefault("market", options.market_beside(typed["database"]))
    for name in ("screening", "comprehension"):
        given[name] = options.questions(given[name])
    base_url = checked_base_url(given.pop("base_url"))
    if not given["title"]:
        del given["title"]
    return plan(campaign, work_of(db, campaign), base_url, **given), chosen


def estimate(
    slug: Slug,
    provider: options.Provider = "panel",
    option: options.Option = None,
    places: options.Places = None,
    answers: options.Answers = None,
    reward: options.Reward = None,
    minutes: options.Minutes = None,
    currency: options.Currency = "USD",
    budget: options.Budget = None,
    minimum_wage: options.MinimumWage = 15.0,
    database: Database = DEFAULT_DATABASE,
    form: shared.OutputFormat = Format.table,
) -> None:
    """Estimate what a campaign costs at a provider, fees included. Changes nothing and calls nobody.

    Example: captious crowd estimate dogs --provider prolific --reward 1.50
    """
    typed = locals()
    from captious.campaigns.setup import lifecycle
    from captious.cli.crowd.tables import quote_payload, quote_table
    from captious.cli.output import emit_guarded
    from captious.crowd.base import provider as known

    with opened(database) as db:
        study, chosen = planned(db, lifecycle.find(db, slug), typed)
        found = known(provider, chosen)
        found.check(study)
        quote = found.quote(study)
        title = f"{slug}: {found.title}"
        emit_guarded(quote_table(study, quote, title), quote_payload(study, quote, provider), form)


def publish(
    slug: Slug,
    provider: options.Provider = "panel",
    option: options.Option = None,
    places: options.Places = None,
    answers: options.Answers = None,
    reward: options.Reward = None,
    minutes: options.Minutes = None,
    currency: options.Currency = "USD",
    budget: options.Budget = None,
    minimum_wage: options.MinimumWage = 15.0,
    title: options.Title = "",
    description: options.Description = "",
    screening: options.Screening = None,
    comprehension: options.Comprehension = None,
    repeat: options.Repeat = "campaign",
    base_url: options.BaseUrl = options.LOCAL,
    confirm: options.Confirm = False,
    database: Database = DEFAULT_DATABASE,
    form: shared.OutputFormat = Format.table,
) -> None:
    """Offer a campaign to participants. Prints the estimate and publishes only with --confirm.

    Example: captious crowd publish dogs --provider panel --places 20 --reward 1.50 --confirm
    """
    typed = locals()
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import note
    from captious.crowd import studies
    from captious.crowd.base import provider as known

    with opened(database) as db:
        campaign = lifecycle.find(db, slug)
        begun = studies.cut_off(db, campaign)
        if begun is None:
            study, chosen = planned(db, campaign, typed)
            known(provider, chosen).check(study)
        else:
            study, provider, chosen = begun.study, begun.provider_name, dict(begun.options)
            note("an earlier publish was interrupted: resuming it with its original plan.")
        if not confirm:
            show_quote(study, provider, chosen, form)
            note(NOTHING_DONE)
            return
        # Without credentials nothing is begun that would have to be taken up.
        known(provider, chosen).ready()
        stored = begun or studies.create(db, campaign, study, provider, chosen, actor=actor())
        if form is not Format.json:
            show_quote(study, provider, chosen, form)
        carry_out(db, stored, form)


def carry_out(db: OpenDatabase, stored: Stored, form: Format) -> None:
    """Publish a stored study and say where participants go."""
    from captious.cli.crowd.tables import look_payload
    from captious.cli.output import emit_guarded, note
    from captious.crowd import calls
    from captious.crowd.run import Plan, look

    done = calls.publish(db, stored, actor=actor())
    if form is Format.json:
        emit_guarded([], look_payload(look(db, done, Plan())), form)
    there = done.published_at().address
    if done.provider().has_service and there:
        note(f"published as {done.study.key[:8]}: {there}")
    else:
        note(f"published as {done.study.key[:8]}. Participants go to {there or done.study.address}")


def show_quote(study: Study, provider: str, chosen: dict[str, Any], form: Format) -> None:
    """Print what a study costs."""
    from captious.cli.crowd.tables import quote_payload, quote_table
    from captious.cli.output import emit_guarded
    from captious.crowd.base import provider as known
    from captious.crowd.studies import affordable

    found = known(provider, chosen)
    quote = affordable(found, study)
    emit_guarded(
        quote_table(study, quote, f"{study.campaign}: {found.title}"),
        quote_payload(study, quote, provider),
        form,
    )


def status(
    slug: Slug,
    study: options.StudyKey = "",
    database: Database = DEFAULT_DATABASE,
    form: shared.OutputFormat = Format.table,
) -> None:
    """Show the places, answers, money and wage of a study.

    Checks with the provider first.

    Example: captious crowd status dogs
    """
    from captious.campaigns.setup import lifecycle
    from captious.cli.crowd.tables import look_payload, places_table, status_tables, studies_table
    from captious.cli.output import emit_guarded
    from captious.crowd import studies, visits
    from captious.crowd.run import Plan, look

    with opened(database) as db:
        campaign = lifecycle.find(db, slug)
        stored = options.study_of(db, campaign, study)
        everyone = studies.listed(db, campaign)
        if stored.remote is None:
            emit_guarded(studies_table(everyone), {"study": stored.study.key, "state": stored.state}, form)
            return
        seen = look(db, stored, Plan())
        tables = status_tables(seen)
        came = visits.of_study(db, stored.id)
        if came:
            tables.append(places_table(came))
        if len(everyone) > 1:
            tables.append(studies_table(everyone))
        emit_guarded(tables, look_payload(seen), form)


def extend(
    slug: Slug,
    places: options.TotalPlaces = None,
    study: options.StudyKey = "",
    confirm: options.Confirm = False,
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Raise the number of places of a study. Prints the cost and extends only with --confirm.

    Example: captious crowd extend dogs --places 30 --confirm
    """
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import note
    from captious.crowd import calls
    from captious.crowd.money import shown

    if places is None:
        raise InputError("--places: give the new total number of places.")
    with opened(database) as db:
        stored = options.study_of(db, lifecycle.find(db, slug), study)
        quote = calls.extension_quote(stored, places)
        note(f"{quote.places:,} more places cost {shown(quote.total, quote.currency)}, fees included")
        if not confirm:
            note("nothing was changed. Add --confirm to carry it out.")
            return
        done = calls.extend(db, stored, places, actor=actor())
        note(f"the study has {done.study.places:,} places")
