"""What the client does when Prolific is slow, busy, broken or half there."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from captious.crowd.base import CallRefused, CallUnsure
from captious.crowd.providers.prolific.client import Client
from captious.crowd.providers.prolific.wire import NoAnswer, NotNow, SaidNo, Token, Wire, find_token
from captious.errors import InputError, NotSetUpError

STUDIES = "/api/v1/studies/"


@pytest.mark.parametrize("kind", ["silent", "lost", "busy", "broken", "broken after", "cut"])
def test_a_look_is_repeated_until_it_succeeds(kind: str, client: Client, prolific: Any) -> None:
    prolific.fail(kind, "GET", "/api/v1/users/me/", times=2)
    assert client.account()["email"] == "lea@example.org"


def test_waits_grow_and_end(client: Client, prolific: Any, naps: list[float]) -> None:
    prolific.fail("broken", times=99)
    with pytest.raises(NoAnswer, match=r"HTTP 500.*Try again later"):
        client.account()
    assert naps == [0.5, 1.0, 2.0, 4.0]


def test_prolific_says_how_long_to_wait(client: Client, prolific: Any, naps: list[float]) -> None:
    prolific.fail("busy", wait="7")
    client.account()
    # By a date: 2 seconds on Prolific's clock, which is a day ahead of ours.
    prolific.world.skew = 86400.0
    prolific.fail("busy", wait="date")
    client.account()
    assert naps == [7.0, 2.0]


def test_nobody_waits_for_an_hour(client: Client, prolific: Any, naps: list[float]) -> None:
    prolific.fail("busy", wait="3600", times=99)
    with pytest.raises(NoAnswer, match="it asks to wait 3600 s"):
        client.account()
    assert naps == []


@pytest.mark.parametrize(
    ("kind", "error", "done"),
    [
        ("busy", NotNow, 0),
        ("broken", CallUnsure, 0),
        ("broken after", CallUnsure, 1),
        ("lost", CallUnsure, 1),
        ("silent", CallUnsure, 0),
        ("cut", CallUnsure, 1),
    ],
)
def test_a_change_is_sent_once(
    kind: str, error: type[Exception], done: int, client: Client, prolific: Any, fields: dict[str, Any]
) -> None:
    prolific.fail(kind, "POST", STUDIES)
    with pytest.raises(error):
        client.create_study(fields)
    assert len(prolific.world.studies) == done
    # "Refused" means that nothing has changed; all else must be looked up before it is sent again.
    assert done == 0 or not issubclass(error, CallRefused)


def test_nobody_there() -> None:
    wire = Wire(Token("abc"), "http://127.0.0.1:9", sleep=lambda _: None)
    with pytest.raises(NotNow, match=r"cannot be reached .*Nothing was changed"):
        wire.send("POST", "studies/", {})


@pytest.mark.parametrize("bare", [False, True])
def test_every_entry_of_a_list_comes_once(
    bare: bool, client: Client, prolific: Any, fields: dict[str, Any]
) -> None:
    prolific.bare = bare
    for number in range(205):
        prolific.world.create(fields | {"internal_name": f"key-{number % 2}"})
    assert len(client.studies_named("key-0")) == 103  # 0, 2, …, 204
    assert len(client.studies_named("key-1", prolific.world.project)) == 102
    for number in range(101):
        client.create_group(prolific.world.workspace, f"group {number}", "")
    assert len(client.groups(prolific.world.workspace)) == 101


def test_a_page_that_was_cut_short_is_read_again(
    client: Client, prolific: Any, fields: dict[str, Any]
) -> None:
    for _ in range(3):
        prolific.world.create(fields)
    prolific.fail("short", "GET", STUDIES)
    assert len(client.studies_named("key-1")) == 3
    prolific.fail("short", "GET", STUDIES, times=99)
    with pytest.raises(NoAnswer, match=r"incomplete list .*2 of 3 entries"):
        client.studies_named("key-1")


def test_submissions_are_counted_where_lists_do_not_say_how_long_they_are(
    client: Client, prolific: Any, fields: dict[str, Any]
) -> None:
    prolific.bare = True
    study = client.create_study(fields | {"total_available_places": 130}).id
    client.transition(study, "PUBLISH")
    for _ in range(120):
        prolific.world.arrive(study, prolific.world.new())
    prolific.fail("short", "GET", "/api/v1/submissions/")
    assert len(client.submissions(study)) == 120


def test_what_prolific_says_is_passed_on_in_one_line(client: Client, fields: dict[str, Any]) -> None:
    with pytest.raises(SaidNo, match=r"HTTP 400\): estimated_completion_time: .*valid integer") as caught:
        client.create_study(fields | {"estimated_completion_time": "ten"})
    assert "\n" not in str(caught.value)


def test_a_wrong_token_is_named_as_the_cause_and_not_shown(prolific: Any) -> None:
    wrong = Wire(Token("wrong-token"), prolific.address)
    with pytest.raises(SaidNo, match=r"HTTP 401.*Check the token") as caught:
        wire_account(wrong)
    assert "wrong-token" not in str(caught.value) + repr(wrong) + repr(Token("wrong-token"))
    wrong.close()


def wire_account(wire: Wire) -> Any:
    return Client(wire).account()


def test_the_token_comes_from_the_environment_or_a_file(tmp_path: Any) -> None:
    path = tmp_path / "token"
    path.write_text("from-file\n")
    assert find_token({"PROLIFIC_TOKEN": "from-env"}).header() == {"Authorization": "Token from-env"}
    assert find_token({"PROLIFIC_TOKEN_FILE": str(path)}).header() == {"Authorization": "Token from-file"}
    with pytest.raises(NotSetUpError, match="PROLIFIC_TOKEN is not set"):
        find_token({})
    with pytest.raises(InputError, match=r"PROLIFIC_TOKEN_FILE: .*cannot be read: FileNotFoundError"):
        find_token({"PROLIFIC_TOKEN_FILE": str(tmp_path / "none")})
    with pytest.raises(InputError, match="not a Prolific token") as caught:
        find_token({"PROLIFIC_TOKEN": "two words"})
    assert "two words" not in str(caught.value)


def test_a_token_cannot_be_stored() -> None:
    with pytest.raises(TypeError):
        pickle.dumps(Token("abc"))
