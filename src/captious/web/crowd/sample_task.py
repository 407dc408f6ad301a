"""One task of a campaign to look at before taking part: real, and with nothing that can be sent."""

from __future__ import annotations

import base64
from typing import NamedTuple

from fastapi import Request

from captious.campaigns.records import Campaign
from captious.campaigns.store import images
from captious.campaigns.work import reading
from captious.web.forms import form_view
from captious.web.guard import security
from captious.web.texts import texts


class SampleTask(NamedTuple):
    """A task's form, and its image within the page: who only looks has no session to fetch it with."""

    form: form_view.FormView
    image: str


def sample_task(request: Request, campaign: Campaign) -> SampleTask | None:
    """The first task that is no attention check; None where a campaign has none yet."""
    db = security.db_of(request)
    item = reading.first_item(db, campaign)
    if item is None:
        return None
    digest = images.digest_of(db, campaign, item.image)
    image = ""
    if digest:
        path, kind = images.image_file(db, campaign, digest)
        image = f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"
    return SampleTask(form_view.view(item, texts(campaign.settings.language)), image)
