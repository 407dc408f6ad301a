"""What an import stores: the times and states of the file, and slots and counters as if given here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from captious.campaigns.exchange.import_store import Imported, ImportedRater, ImportedResponse, store
from captious.campaigns.people import raters
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store import log
from captious.campaigns.store.database import Database
from captious.campaigns.work import responses
from captious.corpus import Corpus
from captious.errors import InputError, UnknownNameError


@pytest.fixture
def given() -> Imported:
    """Two captions, two raters; Ada has changed her first answer."""
    corpus = Corpus.from_lists(["A dog.", "A cat."], image_ids=["7", "9"], systems=["m", "m"])
    draft = create.draft("tagging", corpus, title="Old", options={"raters": 2, "two_rounds": False})
    first, second = (item.key for item in draft.items)

    def said(id_: int, item: str, rater: str, time: float, **more: Any) -> ImportedResponse:
        return ImportedResponse(id_, f"k{id_}", item, rater, {"verdict": "complete"}, time, **more)

    return Imported(
        draft,
        [ImportedRater("r1", "Ada", created=50.0), ImportedRater("r2", state="removed", reason="left")],
        [
            said(11, first, "r1", 100.0, seconds=4.0),
            said(12, second, "r1", 130.0, seconds=5.0),
            said(13, first, "r1", 120.0, kind="correction", replaces=11),
            said(14, first, "r2", 140.0),
        ],
    )


@pytest.mark.parametrize(
    ("state", "opened", "closed"),
    [("draft", None, None), ("open", 20.0, None), ("paused", 20.0, None), ("closed", 20.0, 30.0)],
)
def test_times_of_the_file_are_kept_where_the_state_has_them(
    db: Database, given: Imported, state: str, opened: float | None, closed: float | None
) -> None:
    made = store(db, replace(given, state=state, created=10.0, opened=20.0, closed_at=30.0), actor="ben")
    assert (made.state, made.created, made.opened, made.closed) == (state, 10.0, opened, closed)


def test_times_that_the_file_lacks_are_now(db: Database, given: Imported) -> None:
    made = store(db, given, actor="ben")
    assert (made.created, made.opened, made.closed) == (db.now(), db.now(), db.now())
    # Zero is a time too.
    other = replace(given.draft, slug="older")
    early = store(db, replace(given, draft=other, created=0.0, opened=0.0, closed_at=0.0), actor="ben")
    assert (early.created, early.opened, early.closed) == (0.0, 0.0, 0.0)


def test_raters_keep_who_they_are_and_what_they_have_done(db: Database, given: Imported) -> None:
    made = store(db, given, actor="ben")
    ada, other = sorted(raters.listed(db, made), key=lambda one: one.pseudonym)
    assert (ada.name, ada.state, ada.created) == ("Ada", "active", 50.0)
    # Two answers of 4 and 5 seconds; what was corrected later is no third one.
    assert (ada.answered, ada.seconds, ada.last_seen) == (2, 9.0, 130.0)
    assert (other.name, other.state, other.reason, other.created) == ("r2", "removed", "left", made.created)


def test_corrections_point_to_what_they_replace_and_counters_follow(db: Database, given: Imported) -> None:
    made = store(db, given, actor="ben")
    found = list(responses.stored(db, made))
    ids = {one.key: one.id for one in found}
    assert [(one.key, one.replaces, one.time, one.seconds) for one in found] == [
        ("k11", None, 100.0, 4.0),
        ("k12", None, 130.0, 5.0),
        ("k13", ids["k11"], 120.0, None),
        ("k14", None, 140.0, None),
    ]
    (entry,) = [one for one in log.entries(db, made, limit=10) if "import" in one]
    assert {"responses": 4, "raters": 2} in tuple(entry)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"item": "nowhere"}, "nowhere"),
        ({"rater": "nobody"}, "nobody"),
        ({"replaces": 99}, "response 12: it replaces 99, which does not come before it."),
        ({"id": 11}, "is there twice"),
        ({"key": "k11"}, 'its key "k11", is there twice'),
    ],
)
def test_what_does_not_fit_together_is_refused_and_nothing_is_stored(
    db: Database, given: Imported, change: dict[str, Any], says: str
) -> None:
    first, second, *_ = given.responses
    with pytest.raises((InputError, UnknownNameError), match=says):
        store(db, replace(given, responses=[first, second._replace(**change)]), actor="ben")
    assert lifecycle.listed(db) == []


def test_a_pseudonym_twice_is_refused(db: Database, given: Imported) -> None:
    with pytest.raises(InputError, match="a pseudonym occurs twice"):
        store(db, replace(given, raters=[*given.raters, ImportedRater("r1")]), actor="ben")
