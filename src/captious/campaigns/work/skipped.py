"""What a rater skipped and would meet again if they asked for it."""

from __future__ import annotations

from functools import lru_cache

from sqlalchemy import Connection, and_, bindparam, exists, false, func, select

from captious.campaigns.store import schema
from captious.campaigns.store.prepared import Prepared
from captious.campaigns.work.pool_queries import HOLDING

# In the place of a time: forbidden until the rater asks for it.
SKIPPED = -1.0
_ITEM, _LIMIT, _SLOT = schema.item.c, schema.item_rater.c, schema.assignment.c
_RATER = bindparam("rater", type_=_LIMIT.rater_id.type)
_ids = (
    select(_ITEM.id)
    .join(schema.item_rater, _LIMIT.item_id == _ITEM.id)
    .where(_LIMIT.rater_id == _RATER, _LIMIT.allowed == false(), _LIMIT.not_before == SKIPPED, _ITEM.room > 0)
)
_IDS = Prepared(_ids)


def skipped_ids(connection: Connection, rater_id: int) -> list[int]:
    """The items that the rater skipped and that still lack answers."""
    return [id_ for (id_,) in _IDS.all(connection, {"rater": rater_id})]


def count_skipped(connection: Connection, rater_id: int, *, once_per_image: bool) -> int:
    """How many tasks the skipped items are, beside those that are left without them.

    Where a rater meets an image once, another item of the image may have taken the skipped one's
    place: then nothing is missing from what is left.
    """
    return int(_count(once_per_image).value(connection, {"rater": rater_id}))


@lru_cache(maxsize=2)
def _count(once_per_image: bool) -> Prepared:
    if not once_per_image:
        return Prepared(select(func.count()).select_from(_ids.subquery()))
    other, limit = schema.item.alias(), schema.item_rater.alias()
    own = and_(limit.c.item_id == other.c.id, limit.c.rater_id == _RATER, limit.c.allowed == false())
    open_beside = exists().where(
        other.c.campaign_id == _ITEM.campaign_id,
        other.c.image == _ITEM.image,
        other.c.is_check == false(),
        other.c.restricted == false(),
        other.c.room > 0,
        ~exists().where(own).correlate(other),
    )
    met = exists().where(_SLOT.rater_id == _RATER, _SLOT.image == _ITEM.image, _SLOT.state.in_(HOLDING))
    images = _ids.with_only_columns(_ITEM.image).where(~open_beside, ~met).distinct()
    return Prepared(select(func.count()).select_from(images.subquery()))
