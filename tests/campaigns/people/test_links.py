from __future__ import annotations

import base64

import pytest

from captious.campaigns.people import accounts, links, raters
from captious.campaigns.people.links import LinkRefused, make_link, open_link, peek_link
from captious.campaigns.records import Settings
from captious.campaigns.setup import lifecycle
from captious.campaigns.store.database import Database
from captious.errors import InputError

SECRET = b"s" * 32
DAY = 24 * 3600


def refused(db: Database, token: str, secret: bytes = SECRET) -> str:
    reasons = []
    for look in (peek_link, open_link):
        with pytest.raises(LinkRefused) as error:
            look(db, token, secret=secret)
        assert "\n" not in str(error.value)
        reasons.append(error.value.reason)
    assert len(set(reasons)) == 1
    return reasons[0]


def test_a_link_lets_its_rater_in_once(db: Database, make_campaign) -> None:
    _, (one, two) = make_campaign()
    token = make_link(db, one, secret=SECRET)
    assert one.name not in token
    assert set(token) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    # Looking does not use it up: mail scanners look.
    assert peek_link(db, token, secret=SECRET).id == one.id
    assert peek_link(db, token, secret=SECRET).id == one.id
    assert open_link(db, token, secret=SECRET).id == one.id
    assert refused(db, token) == "used"
    assert open_link(db, make_link(db, one, secret=SECRET), secret=SECRET).id == one.id
    assert open_link(db, make_link(db, two, secret=SECRET), secret=SECRET).id == two.id


def test_a_used_link_in_another_spelling_is_forged(db: Database, make_campaign) -> None:
    _, (one, _) = make_campaign()
    token = make_link(db, one, secret=SECRET)
    open_link(db, token, secret=SECRET)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    others = [token[:-1] + letter for letter in letters if letter != token[-1]]
    assert {refused(db, other) for other in others} == {"forged"}


def test_reusable_links(db: Database, make_campaign) -> None:
    campaign, (one, _) = make_campaign(settings=Settings(reusable_links=True))
    token = make_link(db, one, secret=SECRET)
    for _ in range(2):
        assert open_link(db, token, secret=SECRET).id == one.id
    # A campaign may change its mind: what has not been used up then can be used once.
    lifecycle.change_settings(db, campaign, Settings(reusable_links=False), actor="lea")
    open_link(db, token, secret=SECRET)
    assert refused(db, token) == "used"


def test_a_link_expires(db: Database, make_campaign, clock) -> None:
    _, (one, _) = make_campaign(settings=Settings(link_days=3))
    token, short = make_link(db, one, secret=SECRET), make_link(db, one, secret=SECRET, days=1)
    clock.move(DAY + 1)
    assert refused(db, short) == "expired"
    assert peek_link(db, token, secret=SECRET).id == one.id
    clock.move(2 * DAY)
    assert refused(db, token) == "expired"


def test_forged_links_are_refused(db: Database, make_campaign) -> None:
    _, (one, two) = make_campaign()
    token = make_link(db, one, secret=SECRET)
    raw = bytearray(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    for at in range(len(raw)):
        changed = bytes([*raw[:at], raw[at] ^ 1, *raw[at + 1 :]])
        with pytest.raises(LinkRefused) as error:
            peek_link(db, base64.urlsafe_b64encode(changed).rstrip(b"=").decode(), secret=SECRET)
        assert error.value.reason == "forged"
    raw[1:9] = two.id.to_bytes(8, "big")  # another rater's number under the same signature
    assert refused(db, base64.urlsafe_b64encode(bytes(raw)).decode()) == "forged"
    for text in ("", "a", token[:-1], token + "A", "é", "\ud800", "' OR 1=1", "../../etc/passwd"):
        assert refused(db, text) == "forged"
    assert refused(db, token, b"another secret, also long") == "forged"


def test_revoked_links_and_sessions_end(db: Database, make_campaign) -> None:
    _, (one, _) = make_campaign()
    token = make_link(db, one, secret=SECRET)
    cookie, _ = accounts.start_session(db, one, hours=8)
    links.revoke(db, one, actor="lea")
    assert refused(db, token) == "revoked"
    assert accounts.session(db, cookie) is None
    assert open_link(db, make_link(db, one, secret=SECRET), secret=SECRET).id == one.id


def test_who_is_out_has_no_link(db: Database, make_campaign) -> None:
    campaign, (one, two) = make_campaign()
    tokens = [make_link(db, rater, secret=SECRET) for rater in (one, two)]
    raters.remove(db, one, reason="a test", actor="lea")
    assert refused(db, tokens[0]) == "revoked"
    lifecycle.close(db, campaign, actor="lea")
    assert refused(db, tokens[1]) == "closed"


def test_a_short_secret_is_refused(db: Database, make_campaign) -> None:
    _, (one, _) = make_campaign()
    with pytest.raises(InputError, match="16 random bytes"):
        make_link(db, one, secret=b"short")


@pytest.mark.parametrize("days", [0.0, -1.0, 3651.0, 1e300, float("nan"), float("inf")])
def test_a_link_opens_for_ten_years_at_most(db: Database, make_campaign, days: float) -> None:
    _, (one, _) = make_campaign()
    with pytest.raises(InputError, match="is not above 0 and at most 3650"):
        make_link(db, one, secret=SECRET, days=days)
    assert peek_link(db, make_link(db, one, secret=SECRET, days=3650), secret=SECRET).id == one.id
