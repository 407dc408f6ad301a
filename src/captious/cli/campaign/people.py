"""`captious campaign raters` and `account`: who rates and who runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options
from captious.cli.campaign.options import DEFAULT_DATABASE, Database, Files, Slug, actor, opened, rater_of
from captious.cli.output import Format
from captious.errors import InputError, one_line
from captious.tables import Cell, Table

PASSWORD = "CAPTIOUS_PASSWORD"
DEFAULT_BASE_URL = "http://127.0.0.1:8000"

raters_app = typer.Typer(help="Manage the raters of a campaign.", no_args_is_help=True)
account_app = typer.Typer(help="Manage the accounts of people who run campaigns.", no_args_is_help=True)

RaterName = Annotated[
    str, typer.Argument(metavar="RATER", help="Pseudonym (r001) or name.", show_default=False)
]


@raters_app.command("add")
def add(
    slug: Slug,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help='Names, or "Name <address>".', show_default=False),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="File with one rater per line, or a table of name, address and language.",
        ),
    ] = None,
    native: Annotated[
        bool, typer.Option("--native", help="These raters are native speakers of the captions' language.")
    ] = False,
    database: Database = DEFAULT_DATABASE,
    form: options.OutputFormat = Format.table,
) -> None:
    """Add raters. They get pseudonyms, which exports use instead of names.

    Example: captious campaign raters add alt-text "Ada Ahmed <ada@example.org>" Boris
    """
    from captious.campaigns.people import raters
    from captious.campaigns.people.pasted import read_pasted
    from captious.campaigns.setup import lifecycle
    from captious.cli.campaign import tables as campaign_tables
    from captious.cli.output import emit_guarded, note

    if not names and file is None:
        raise InputError("raters: give names, or a file of names with --file.")
    new = [one for name in names or [] for one in read_pasted(name, all_native=native)]
    if file is not None:
        new += read_pasted(_pasted(file), all_native=native)
    with opened(database) as db:
        campaign = lifecycle.find(db, slug)
        known = {one.name.casefold(): one.pseudonym for one in raters.listed(db, campaign)}
        added = raters.add(db, campaign, new, actor=actor())
    for one in added:
        if one.name.casefold() in known:
            same = f'{known[one.name.casefold()]}, "{one_line(one.name, 60)}"'
            note(f"{one.pseudonym} has the same name as {same}. If they are one person, remove one of them.")
    payload = {"raters": [{"rater": one.pseudonym, "name": one.name} for one in added]}
    emit_guarded(campaign_tables.raters(added), payload, form)


def _pasted(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{file}: not UTF-8 text. Save it as UTF-8.") from None


@raters_app.command("list")
def list_(
    slug: Slug, database: Database = DEFAULT_DATABASE, form: options.OutputFormat = Format.table
) -> None:
    """List all raters, with the names that exports leave out.

    Example: captious campaign raters list alt-text
    """
    from dataclasses import asdict

    from captious.campaigns.people import raters
    from captious.campaigns.setup import lifecycle
    from captious.cli.campaign import tables as campaign_tables
    from captious.cli.output import emit_guarded

    with opened(database) as db:
        found = raters.listed(db, lifecycle.find(db, slug))
    emit_guarded(campaign_tables.raters(found), {"raters": [asdict(one) for one in found]}, form)


@raters_app.command("remove")
def remove(
    slug: Slug,
    rater: RaterName,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Reason, stored in the audit log.")],
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Remove a rater. Others get their items; their responses are kept but no longer count.

    Example: captious campaign raters remove alt-text r003 --reason "asked to"
    """
    from captious.campaigns.people import raters
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import note

    with opened(database) as db:
        one = rater_of(db, lifecycle.find(db, slug), rater)
        raters.remove(db, one, reason=reason, actor=actor())
    note(f"{one.pseudonym} is removed")


@raters_app.command("reinstate")
def reinstate(slug: Slug, rater: RaterName, database: Database = DEFAULT_DATABASE) -> None:
    """Reinstate a removed rater. Their responses count again.

    Example: captious campaign raters reinstate alt-text r003
    """
    from captious.campaigns.people import raters
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import note

    with opened(database) as db:
        one = rater_of(db, lifecycle.find(db, slug), rater)
        raters.reinstate(db, one, actor=actor())
    note(f"{one.pseudonym} is reinstated")


@raters_app.command("erase")
def erase(
    slug: Slug,
    rater: RaterName,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    database: Database = DEFAULT_DATABASE,
    files: Files = None,
) -> None:
    """Erase who a rater was. Their answers stay, count as before and are named erased-1, erased-2, …

    Name, address, links, surveys, training, recordings, notes and all mentions go for good. Asks first.

    Example: captious campaign raters erase alt-text r003
    """
    import sys

    from captious.campaigns.people import erasure
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import note
    from captious.errors import InputError

    with opened(database, files) as db:
        one = rater_of(db, lifecycle.find(db, slug), rater)
        if not yes and not sys.stdin.isatty():
            raise InputError("erase: there is no terminal to answer in. Give --yes.")
        if not yes:
            typer.confirm(f"Erase who {one.pseudonym} was? There is no way back", abort=True)
        gone = erasure.erase(db, one, actor=actor())
    note(f"{one.pseudonym} is erased; their answers are now those of {gone.pseudonym}")


@raters_app.command("link")
def link(
    slug: Slug,
    who: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RATER", help="Pseudonyms or names. Default: every active rater.", show_default=False
        ),
    ] = None,
    days: Annotated[
        float | None,
        typer.Option("--days", metavar="N", help="Days for which the link is valid, at most 3650."),
    ] = None,
    base_url: Annotated[
        str,
        typer.Option(
            "--base-url",
            metavar="URL",
            envvar="CAPTIOUS_BASE_URL",
            help="Public address of `captious serve`.",
        ),
    ] = DEFAULT_BASE_URL,
    database: Database = DEFAULT_DATABASE,
    form: options.OutputFormat = Format.table,
) -> None:
    """Make a link for each rater. Anyone with the link can rate as that person: send it privately.

    Example: captious campaign raters link alt-text r001 --base-url https://rate.example.org
    """
    from captious.campaigns.people import raters
    from captious.campaigns.people.links import make_link
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import emit_guarded
    from captious.web.settings import checked_base_url, find_secret

    base = checked_base_url(base_url)
    secret = find_secret(database)
    with opened(database) as db:
        campaign = lifecycle.find(db, slug)
        everyone = [one for one in raters.listed(db, campaign) if one.state == "active"]
        chosen = [rater_of(db, campaign, name) for name in who] if who else everyone
        links = [(one, f"{base}/join/{make_link(db, one, secret=secret, days=days)}") for one in chosen]
    rows: list[list[Cell]] = [[one.pseudonym, one.name, address] for one, address in links]
    payload = {"links": [{"rater": one.pseudonym, "link": address} for one, address in links]}
    emit_guarded(Table("", ["rater", "name", "link"], rows), payload, form)


@account_app.command("create")
def account_create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name to sign in with.", show_default=False)],
    role: Annotated[
        str,
        typer.Option(
            "--role", metavar="ROLE", help="owner (of everything), manager (can create campaigns) or viewer."
        ),
    ] = "manager",
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Create an account for the admin pages. Prompts for the password.

    Without a terminal, the password is read from $CAPTIOUS_PASSWORD.

    Example: captious campaign account create lea --role owner
    """
    from typing import cast

    with opened(database, new=True) as db:
        from captious.campaigns.people.accounts import create_account
        from captious.campaigns.records import Role
        from captious.cli.output import note

        made = create_account(db, name, _password(), cast("Role", role), actor=actor())
    note(f"{made.name} can sign in as {made.role}")


def _password() -> str:
    given = os.environ.get(PASSWORD, "")
    if given:
        return given
    if not sys.stdin.isatty():
        raise InputError(f"password: none given. Set ${PASSWORD}, or type it at a terminal.")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))


@account_app.command("role")
def account_role(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the account.", show_default=False)],
    slug: Slug,
    role: Annotated[
        str, typer.Argument(metavar="ROLE", help="viewer, manager, owner or none.", show_default=False)
    ],
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Give an account a role in one campaign. An account whose own role is owner needs none.

    Example: captious campaign account role lea alt-text manager
    """
    from captious.campaigns.people import members
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import note

    with opened(database) as db:
        campaign = lifecycle.find(db, slug)
        members.set_role(db, campaign, name, "" if role == "none" else role, actor=actor())
    note(f"{name} has no role in {slug}" if role == "none" else f"{name} is {role} of {slug}")


@account_app.command("list")
def account_list(database: Database = DEFAULT_DATABASE, form: options.OutputFormat = Format.table) -> None:
    """List all accounts with their roles.

    Example: captious campaign account list
    """
    from dataclasses import asdict

    from captious.cli.output import emit_guarded

    with opened(database) as db:
        from captious.campaigns.people.accounts import accounts

        found = accounts(db)
    rows: list[list[Cell]] = [[one.name, one.role, "disabled" if one.disabled else ""] for one in found]
    payload = {"accounts": [asdict(one) for one in found]}
    emit_guarded(Table("", ["account", "role", ""], rows), payload, form)
