"""Deleting a campaign: its rows on every table, and the files that no other campaign has."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import ColumnElement, Connection, Table, delete, exists, func, select, update

from captious.campaigns.records import Campaign
from captious.campaigns.store import log, recordings, schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.erasing import erasing, finish, let_go
from captious.campaigns.store.images import WIDTHS, path_of
from captious.errors import FieldError, InputError, one_line


def delete_campaign(db: Database, campaign: Campaign, *, typed: str, actor: str) -> None:
    """Delete a campaign with all that it holds, once its name was `typed`; the log keeps the counts."""
    if typed.strip() != campaign.slug:
        raise FieldError("name", f'name: type "{campaign.slug}" to delete it; found "{one_line(typed, 60)}".')

    def work(connection: Connection) -> None:
        _refuse_published(connection, campaign)
        let_go(_files(db, connection, campaign))
        detail = {
            str(table.name): _count(connection, table, campaign)
            for table in (schema.item, schema.rater, schema.response)
        }
        for table in reversed(schema.metadata.sorted_tables):
            own = _own(table, campaign)
            if own is not None and table not in (schema.campaign, schema.erasing):
                connection.execute(delete(table).where(own))
        connection.execute(delete(schema.erasing))
        connection.execute(delete(schema.campaign).where(schema.campaign.c.id == campaign.id))
        _blank_forms(connection)
        log.record(connection, actor, "delete campaign", time=db.now(), detail=detail)

    erasing(db, work, campaign.id)
    finish(db)


def _own(table: Table, campaign: Campaign) -> ColumnElement[bool] | None:
    """Which rows of a table belong to the campaign; None where none does."""
    if "campaign_id" in table.c:
        return table.c.campaign_id == campaign.id
    for column, parent in (("item_id", "item"), ("study_id", "crowd_study"), ("rater_id", "rater")):
        if column in table.c:
            owner = schema.metadata.tables[parent]
            return table.c[column].in_(select(owner.c.id).where(owner.c.campaign_id == campaign.id))
    return None


def _refuse_published(connection: Connection, campaign: Campaign) -> None:
    """People are at work or to be paid."""
    study = schema.crowd_study
    wanted = select(study.c.key).where(
        study.c.campaign_id == campaign.id, study.c.state.in_(("open", "paused"))
    )
    found = connection.execute(wanted.limit(1)).scalar()
    if found is not None:
        raise InputError(f"{campaign.slug}: its study {found} is still published. Close the study first.")


def _count(connection: Connection, table: Table, campaign: Campaign) -> int:
    wanted = select(func.count()).select_from(table).where(table.c.campaign_id == campaign.id)
    return int(connection.execute(wanted).scalar_one())


def _files(db: Database, connection: Connection, campaign: Campaign) -> list[Path]:
    """The campaign's files that no other campaign has."""
    if db.folder is None:
        return []
    images = _only(connection, schema.image, "digest", campaign)
    sounds = _only(connection, schema.recording, "name", campaign)
    pictures = (path_of(db, digest, width) for digest in images for width in (0, *WIDTHS))
    return [*pictures, *(recordings.path_of(db, name) for name in sounds)]


def _only(connection: Connection, table: Table, column: str, campaign: Campaign) -> list[str]:
    other = table.alias()
    elsewhere = exists().where(other.c[column] == table.c[column], other.c.campaign_id != campaign.id)
    wanted = select(table.c[column]).where(table.c.campaign_id == campaign.id, ~elsewhere)
    return [str(found) for found in connection.execute(wanted).scalars()]


def _blank_forms(connection: Connection) -> None:
    """Forms that no item has lose what they ask; their numbers stay, for processes remember forms by them."""
    form, item = schema.form, schema.item
    unused = ~exists().where(item.c.form_id == form.c.id)
    for found in connection.execute(select(form.c.id).where(unused)).scalars().all():
        blank = {"digest": f"deleted-{found}", "fields": []}
        connection.execute(update(form).where(form.c.id == found).values(**blank))
