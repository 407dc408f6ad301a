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
from captious.protocols.capabilities import KnownPast

SPREAD = 3  # times the group's size: enough to choose from, and more checks than images
FEWEST = 8  # so that raters who come at the same moment need not all wait for the same item


class WorkingRater(NamedTuple):
    """A rater who is given work: where in the random order, when, after how many answers."""

    id: int
    pseudonym: str
    cursor: float
    now: float
    answered: int
    record: Mapping[str, Any] = MappingProxyType({})
    quota: int | None = None
    state: str = "active"

    def wanted(self) -> int:
        """How many more answers the rater is asked for; work is handed out by the group all the same."""
        return COUNTED if self.quota is None else max(0, self.quota - self.answered)

    def has_many(self) -> bool:
        """Whether the rater has answered so much that a search should not pass over all of it."""
        return self.answered >= runs.MANY_ANSWERS


class SearchScope(NamedTuple):
    """Where a search has to look: at holds that are over, balance labels, checks, items for the rater alone.

    What is known not to be there it leaves out.
    """

    late: bool = True
    labels: bool = True
    checks: bool = True
    own: bool = True


EVERYTHING = SearchScope()


class Candidate(NamedTuple):
    """An open item that the rater may be given."""

    id: int
    item: Item
    taken: int
    place: float
    room: int


def search(
    db: Database,
    connection: Connection,
    campaign: Campaign,
    rater: WorkingRater,
    scope: SearchScope = EVERYTHING,
) -> tuple[dict[str, int], list[Candidate]]:
    """What has been handed out of each label, and the few items to choose from."""
    labels = label_counts(connection, campaign) if scope.labels else {}
    return labels, _candidates(db, connection, campaign, rater, labels, scope)


def choose_unlocked(
    connection: Connection,
    campaign: Campaign,
    rater: WorkingRater,
    labels: Mapping[str, int],
    found: list[Candidate],
) -> list[Candidate]:
    """What the protocol chooses; where others are at the item right now, the next."""
    chosen = choose(campaign, rater, labels, found)
    # Everyone is led to the items that lack least: who finds one in another's hands takes the next.
    waiting = chosen
    while len(chosen) == 1 and not _free_now(connection, chosen[0]):
        found = [one for one in found if one.id != chosen[0].id]
        chosen = choose(campaign, rater, labels, found)
    return chosen or waiting


def _free_now(connection: Connection, candidate: Candidate) -> bool:
    """Whether nobody else is taking the item right now; if so it is locked. SQLite has no locks."""
    if connection.dialect.name == "sqlite":
        return True
    return queries.LOCK_FREE.first(connection, {"item": candidate.id}) is not None


def choose(
    campaign: Campaign, rater: WorkingRater, labels: Mapping[str, int], found: Sequence[Candidate]
) -> list[Candidate]:
    """The protocol's choice among candidates."""
    rules = campaign.rules()
    known = {one.item.key: one for one in found if KnownPast.of(rules).may_take(one.item, rater.record)}
    taken = {key: candidate.taken for key, candidate in known.items()}
    items = [candidate.item for candidate in known.values()]
    for name, total in labels.items():
        stand_in = _stand_in(name)
        here = sum(one.taken for one in found if one.item.balance == name)
        taken[stand_in.key] = max(0, total - here)
        items.append(stand_in)
    chosen = rules.next_items(items, Progress(taken), rater.pseudonym, now=rater.now, seed=campaign.seed)
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
    rater: WorkingRater,
    labels: Mapping[str, int],
    scope: SearchScope,
) -> list[Candidate]:
    rules = campaign.rules()
    count = max(FEWEST, SPREAD * rules.group_size)
    search = queries.SEARCH[rules.once_per_image]
    given = _given(campaign, rater)
    rows: list[AnyRow] = []
    of_label = runs.open_rows if rater.has_many() else _label_rows
    for name in (*labels, ""):
        rows += of_label(connection, search, given | {"label": name}, count)
    if scope.own:
        rows += search.own.all(connection, given | {"count": count})
    if scope.checks:
        practice = KnownPast.of(rules).practice_labels(rater.record)
        for name in _check_labels(connection, given) if practice is None else practice:
            planted = given | {"checks": True, "label": name}
            # The room of a check is always 1.
            rows += (
                runs.next_level(connection, search, planted | {"room": 0}, count)[0]
                if rater.has_many()
                else _round(connection, search, planted | {"room": 1}, count)
            )
    return [
        Candidate(row.item_id, item_of(db, connection, row), row.item_taken, row.item_place, row.item_room)
        for row in rows
    ]


def _given(campaign: Campaign, rater: WorkingRater) -> dict[str, Any]:
    return {
        "campaign": campaign.id,
        "rater": rater.id,
        "now": rater.now,
        "cursor": rater.cursor,
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


def count_left(connection: Connection, campaign: Campaign, rater: WorkingRater, held: int) -> int:
    """How many items, or images, the rater may be given beside those held; at most `COUNTED`."""
    wanted = max(0, rater.wanted() - held)
    if not wanted:
        return 0
    search = queries.SEARCH[campaign.rules().once_per_image]
    given = _given(campaign, rater)
    labels = [*label_counts(connection, campaign), ""]
    if rater.has_many():
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
    """As the query `left`: from a sample where it tells, else with what is known of the rater's searches."""
    seen = {**given, "labels": labels}
    left, items = connection.execute(search.left_sample, seen).one()
    if items >= COUNTED or connection.execute(search.left_extent, seen).scalar_one() < queries.SAMPLE_LEFT:
        return int(left)
    rows: list[AnyRow] = []
    for name in labels:
        rows += runs.open_rows(connection, search, {**given, "label": name}, COUNTED - len(rows))
    return len({row.item_image for row in rows}) if campaign.rules().once_per_image else len(rows)


def next_time(connection: Connection, rater: WorkingRater) -> float | None:
    """When the next item that waits for this rater may be given; None where none waits."""
    given = {"rater": rater.id, "now": rater.now}
    found: float | None = queries.NEXT_TIME.value(connection, given)
    return found


def skipped_ids(connection: Connection, rater_id: int) -> list[int]:
    """The items that the rater skipped and that still lack answers."""
    return [id_ for (id_,) in queries.SKIPPED_IDS.all(connection, {"rater": rater_id})]


def count_skipped(connection: Connection, campaign: Campaign, rater_id: int) -> int:
    """Number of skipped tasks that are not counted by `count_left`.

    Where a rater meets an image once, another item of the image may have taken the skipped one's
    place: then nothing is missing from what is left.
    """
    count = queries.COUNT_SKIPPED[campaign.rules().once_per_image]
    return int(count.value(connection, {"rater": rater_id}))


def change_label(connection: Connection, campaign_id: int, name: str, by: int) -> None:
    """Count what is handed out of one balance label; items without a label are not counted."""
    if name and by:
        queries.COUNT_LABEL.change(connection, {"campaign": campaign_id, "label": name, "by": by})
