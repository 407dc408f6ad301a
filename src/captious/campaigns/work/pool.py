"""The few items among which a protocol chooses for a rater, found through indexes.

No campaign is read whole: for each balance label a few open items, nearest to their target first,
then in the campaign's random order from where the rater last was, round and round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import Connection

from captious.campaigns.records import Campaign
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import AnyRow, item_of
from captious.campaigns.work import pool_queries as queries
from captious.campaigns.work import runs
from captious.campaigns.work.pool_queries import COUNTED
from captious.protocols import Form, Item, Progress

SPREAD = 3  # times the group's size: enough to choose from, and more checks than images
FEWEST = 8  # so that raters who come at the same moment need not all wait for the same item


class Seeker(NamedTuple):
    """A rater who looks for work: where in the random order, when, after how many answers."""

    id: int
    pseudonym: str
    cursor: float
    now: float
    answered: int
    record: Mapping[str, Any] = MappingProxyType({})
    quota: int | None = None

    def wanted(self) -> int:
        """How many more answers the rater is asked for; work is handed out by the group all the same."""
        return COUNTED if self.quota is None else max(0, self.quota - self.answered)

    def has_many(self) -> bool:
        """Whether the rater has answered so much that a search should not pass over all of it."""
        return self.answered >= runs.MANY_ANSWERS


class MayBe(NamedTuple):
    """What a search has to look for; what is known not to be there it leaves out."""

    late: bool = True
    labels: bool = True
    checks: bool = True
    own: bool = True


EVERYTHING = MayBe()


class Candidate(NamedTuple):
    """An open item that the rater may be given."""

    id: int
    item: Item
    taken: int
    place: float
    room: int


def look(
    db: Database, connection: Connection, campaign: Campaign, seeker: Seeker, may_be: MayBe = EVERYTHING
) -> tuple[dict[str, int], list[Candidate]]:
    """What has been handed out of each label, and the few items to choose from."""
    labels = label_counts(connection, campaign) if may_be.labels else {}
    return labels, _candidates(db, connection, campaign, seeker, labels, may_be)


def choose(db: Database, connection: Connection, campaign: Campaign, seeker: Seeker) -> list[Candidate]:
    """What the protocol hands the rater next; empty when there is nothing."""
    return choose_from(connection, campaign, seeker, *look(db, connection, campaign, seeker))


def choose_from(
    connection: Connection,
    campaign: Campaign,
    seeker: Seeker,
    labels: Mapping[str, int],
    found: list[Candidate],
) -> list[Candidate]:
    """What the protocol chooses; where others are at the item right now, the next."""
    chosen = pick(campaign, seeker, labels, found)
    # Everyone is led to the items that lack least: who finds one in another's hands takes the next.
    waiting = chosen
    while len(chosen) == 1 and not _free_now(connection, chosen[0]):
        found = [one for one in found if one.id != chosen[0].id]
        chosen = pick(campaign, seeker, labels, found)
    return chosen or waiting


def _free_now(connection: Connection, candidate: Candidate) -> bool:
    """Whether nobody else is taking the item right now; if so it is locked. SQLite has no locks."""
    if connection.dialect.name == "sqlite":
        return True
    return queries.LOCK_FREE.first(connection, {"item": candidate.id}) is not None


def pick(
    campaign: Campaign, seeker: Seeker, labels: Mapping[str, int], found: Sequence[Candidate]
) -> list[Candidate]:
    """The protocol's choice among candidates."""
    rules = campaign.rules()
    known = {one.item.key: one for one in found if rules.may_take(one.item, seeker.record)}
    taken = {key: candidate.taken for key, candidate in known.items()}
    items = [candidate.item for candidate in known.values()]
    for name, total in labels.items():
        stand_in = _stand_in(name)
        here = sum(one.taken for one in found if one.item.balance == name)
        taken[stand_in.key] = max(0, total - here)
        items.append(stand_in)
    chosen = rules.next_items(items, Progress(taken), seeker.pseudonym, now=seeker.now, seed=campaign.seed)
    return [known[item.key] for item in chosen]


def label_counts(connection: Connection, campaign: Campaign) -> dict[str, int]:
    """How many slots of each balance label are taken in the whole campaign."""
    return dict(queries.LABELS.all(connection, {"campaign": campaign.id}))


def _stand_in(label: str) -> Item:
    """An item that nobody can be given: it tells the protocol what the rest of a label has got."""
    return Item(f"\x00{label}", "", (), Form(()), {}, target=0, balance=label)


def _candidates(
    db: Database,
    connection: Connection,
    campaign: Campaign,
    seeker: Seeker,
    labels: Mapping[str, int],
    may_be: MayBe,
) -> list[Candidate]:
    rules = campaign.rules()
    count = max(FEWEST, SPREAD * rules.group_size)
    search = queries.search(rules.once_per_image)
    given = _given(campaign, seeker)
    rows: list[AnyRow] = []
    of_label = runs.open_rows if seeker.has_many() else _label_rows
    for name in (*labels, ""):
        rows += of_label(connection, search, given | {"label": name}, count)
    if may_be.own:
        rows += search.own.all(connection, given | {"count": count})
    if may_be.checks:
        practice = rules.practice_labels(seeker.record)
        for name in _check_labels(connection, given) if practice is None else practice:
            planted = given | {"checks": True, "label": name}
            # The room of a check is always 1.
            rows += (
                runs.next_level(connection, search, planted | {"room": 0}, count)[0]
                if seeker.has_many()
                else _round(connection, search, planted | {"room": 1}, count)
            )
    return [
        Candidate(row.item_id, item_of(db, connection, row), row.item_taken, row.item_place, row.item_room)
        for row in rows
    ]


def _given(campaign: Campaign, seeker: Seeker) -> dict[str, Any]:
    return {
        "campaign": campaign.id,
        "rater": seeker.id,
        "now": seeker.now,
        "cursor": seeker.cursor,
        "checks": False,
    }


def _label_rows(
    connection: Connection, search: queries.Search, given: dict[str, Any], count: int
) -> list[AnyRow]:
    """Open items of one label: those that lack one response, then those that lack two, …"""
    rows: list[AnyRow] = []
    room: int | None = 0
    while room is not None and len(rows) < count:
        found = search.nearest.all(connection, given | {"room": room, "count": count - len(rows)})
        rows += found[: count - len(rows)]
        # Where all of a room is taken or seen, which room that was is asked for.
        room = found[0].item_room if found else queries.NEXT_ROOM.value(connection, given | {"room": room})
    if rows or connection.dialect.name == "sqlite":
        return rows
    # An item that lost a slot between two of these queries was in neither; one query misses none.
    return search.open.all(connection, given | {"count": count})


def _round(connection: Connection, search: queries.Search, given: dict[str, Any], count: int) -> list[AnyRow]:
    """Items in random order from a place on, then from the start up to it."""
    rows: list[AnyRow] = []
    for part in (search.ahead, search.behind):
        if len(rows) < count:
            rows += part.all(connection, given | {"count": count - len(rows)})
    return rows


def _check_labels(connection: Connection, given: dict[str, Any]) -> Iterator[str]:
    name = queries.CHECK_LABEL.value(connection, given)
    while name is not None:
        yield name
        name = queries.NEXT_CHECK_LABEL.value(connection, given | {"after": name})


def count_left(connection: Connection, campaign: Campaign, seeker: Seeker, held: int) -> int:
    """How many items, or images, the rater may be given beside those held; at most `COUNTED`."""
    wanted = max(0, seeker.wanted() - held)
    if not wanted:
        return 0
    search = queries.search(campaign.rules().once_per_image)
    given = _given(campaign, seeker)
    labels = [*label_counts(connection, campaign), ""]
    if seeker.has_many():
        common = _counted_left(connection, campaign, search, given, labels)
    else:
        common = int(connection.execute(search.left, given | {"labels": labels}).scalar_one())
    own = search.own_left.value(connection, given)
    return int(min(common + own, wanted, COUNTED))


def _counted_left(
    connection: Connection,
    campaign: Campaign,
    search: queries.Search,
    given: Mapping[str, Any],
    labels: Sequence[str],
) -> int:
    """As the query `left`: by a glance where it tells, else with what is known of the rater's searches."""
    seen = {**given, "labels": labels}
    left, items = connection.execute(search.left_glance, seen).one()
    if items >= COUNTED or connection.execute(search.left_extent, seen).scalar_one() < queries.GLANCE_LEFT:
        return int(left)
    rows: list[AnyRow] = []
    for name in labels:
        rows += runs.open_rows(connection, search, {**given, "label": name}, COUNTED - len(rows))
    return len({row.item_image for row in rows}) if campaign.rules().once_per_image else len(rows)


def next_time(connection: Connection, seeker: Seeker) -> float | None:
    """When the next item that waits for this rater may be given; None where none waits."""
    given = {"rater": seeker.id, "now": seeker.now}
    found: float | None = queries.NEXT_TIME.value(connection, given)
    return found
