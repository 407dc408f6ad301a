"""The list of campaigns."""

from __future__ import annotations

from typing import Any


def test_an_empty_site_offers_to_make_the_first_campaign(manager: Any, viewer: Any) -> None:
    assert "Create the first campaign" in manager.text("/admin")
    assert "Create the first campaign" not in viewer.text("/admin")


def test_the_list_counts_what_is_done(viewer: Any, tagged: Any) -> None:
    (row,) = viewer.twin("/admin/campaigns")["campaigns"]
    # 3 images x 2 systems x 2 raters
    assert row["campaign"]["slug"] == tagged.slug
    assert [row["counts"][name] for name in ("done", "target", "raters")] == [12, 12, 2]
    assert "12 of 12" in viewer.text("/admin")


def test_a_campaign_whose_package_is_gone_is_listed_and_says_so(site: Any, manager: Any, tagged: Any) -> None:
    from sqlalchemy import update

    from captious.campaigns.store import schema

    with site.db.write() as connection:
        table = schema.campaign
        own = table.c.id == tagged.id
        connection.execute(update(table).where(own).values(protocol="no-longer-installed"))
    assert "no-longer-installed" in manager.text("/admin")
    answer = manager.get(f"/admin/c/{tagged.slug}")
    assert answer.status_code == 404
    assert "unknown protocol &#34;no-longer-installed&#34;" in answer.text
