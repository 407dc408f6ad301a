"""Raters with known habits lead to the verdicts and flags that they should."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from captious.campaigns.quality import control
from captious.campaigns.results import analysis
from captious.campaigns.results import verdict as verdicts
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.simulate.demo import LIKERT
from captious.campaigns.simulate.habits import simulate_habits
from captious.campaigns.store.database import Database
from captious.campaigns.work.assignment import next_tasks
from captious.campaigns.work.responses import respond
from captious.corpus import Corpus
from captious.corpus.load import load_corpus
from captious.data import demo_files
from captious.errors import InputError
from captious.protocols import known_protocols

SYSTEMS = ("m1", "m2")


def rehearsed(db: Database, protocol: str, images: int, counts: dict[str, int], **options: Any) -> Any:
    rows = [(image, system) for image in range(images) for system in SYSTEMS]
    corpus = Corpus.from_lists(
        [f"A dog of {system} at place {image}." for image, system in rows],
        [[f"Dog {image} runs.", f"The dog at {image}."] for image, _ in rows],
        image_ids=[f"i{image}" for image, _ in rows],
        systems=[system for _, system in rows],
    )
    draft = create.draft(protocol, corpus, title="Rehearsal", options=options)
    campaign = lifecycle.open_campaign(db, create.create(db, draft, actor="lea"), actor="lea")
    simulate_habits(db, campaign, counts, seed=4)
    found = verdicts.verdict(db, campaign, verdicts.worked_out(db, campaign))
    names = {person.pseudonym: person.name for person in control.raters.listed(db, campaign)}
    flags = {(names[flag.rater], flag.rule) for flag in control.flags(db, campaign)}
    lines: dict[str, list[str]] = {}
    for line in found.lines:
        lines.setdefault(line.kind, []).append(f"{line.tone}: {line.text}")
    return campaign, found, lines, flags


def test_careful_raters_finish_agree_and_are_not_pointed_at(db: Database) -> None:
    _, found, lines, flags = rehearsed(db, "tagging", 24, {"careful": 3}, raters=3, two_rounds=False)
    assert lines["finish"] == ["good: Finished: all 144 responses are in."]
    assert lines["flags"] == ["good: No open flags."]
    assert flags == set()
    assert "stuck" not in lines
    assert found.agreement[0].low > 0.5
    # The better of two systems, a third of the scale above the other, is told from it.
    (said,) = lines["found"]
    assert said.startswith("good: m2 is ahead of m1 in verdict by ")


def test_where_all_is_in_and_systems_are_not_told_apart_it_says_that_more_images_may(db: Database) -> None:
    _, _, lines, _ = rehearsed(db, "tagging", 12, {"hasty": 2}, raters=2, two_rounds=False)
    assert lines["finish"] == ["good: Finished: all 48 responses are in."]
    (said,) = lines["found"]
    assert said.startswith("good: Not told apart: m1 and m2 in verdict (")
    assert said.endswith("More images may.")


def test_a_finished_campaign_takes_no_more_simulated_raters(db: Database) -> None:
    campaign, *_ = rehearsed(db, "tagging", 4, {"careful": 2}, raters=2, two_rounds=False)
    with pytest.raises(InputError, match="all responses asked for are in, so nothing was added"):
        simulate_habits(db, campaign, {"careful": 5, "hasty": 1})
    assert [one.name for one in control.raters.listed(db, campaign)] == ["careful 1", "careful 2"]


def test_one_who_answers_in_less_than_a_second_is_flagged_for_it(db: Database) -> None:
    _, _, lines, flags = rehearsed(db, "tagging", 15, {"careful": 2, "hasty": 1}, raters=3, two_rounds=False)
    assert ("hasty 1", "minimum-time") in flags
    assert {name for name, _ in flags} == {"hasty 1"}
    assert lines["flags"][0].startswith("look: ")


def test_one_who_says_the_opposite_is_flagged_for_going_against_the_others(db: Database) -> None:
    _, _, _, flags = rehearsed(db, "tagging", 20, {"careful": 3, "contrary": 1}, raters=4, two_rounds=False)
    assert flags == {("contrary 1", "consensus")}


def test_two_of_opposite_minds_agree_less_than_by_chance_and_the_verdict_says_so(db: Database) -> None:
    _, found, lines, _ = rehearsed(
        db, "tagging", 15, {"careful": 1, "contrary": 1}, raters=2, two_rounds=False
    )
    assert found.agreement[0].value < 0
    assert lines["agreement"][0].startswith("look: ")
    assert "Below 0 is less agreement than by chance" in lines["agreement"][0]


def test_one_who_leaves_is_named_and_makes_the_rest_impossible(db: Database) -> None:
    campaign, found, lines, flags = rehearsed(
        db, "tagging", 6, {"careful": 2, "leaving": 1}, raters=3, two_rounds=False
    )
    # Of 36 answers two give 24, and the one who left gave 5 of their 12.
    assert (analysis.overview(db, campaign).done, found.outlook.reach.missing) == (29, 7)
    assert flags == set()
    assert any("not seen for more than a day, with work left" in line for line in lines["stuck"])
    # They could still come back; once they are taken out, another is needed.
    assert found.outlook.reach.can_finish
    (gone,) = [one for one in control.raters.listed(db, campaign) if one.name == "leaving 1"]
    control.raters.remove(db, gone, reason="left", actor="lea")
    after = verdicts.verdict(db, campaign, verdicts.worked_out(db, campaign))
    assert "needs at least 1 more rater" in after.lines[0].text
    assert after.outlook.hours_left is None


def test_a_hasty_rater_of_humanr_falls_for_a_check_and_is_removed(db: Database) -> None:
    campaign, _, _, flags = rehearsed(db, "humanr", 12, {"careful": 3, "hasty": 1})
    assert ("hasty 1", "attention") in flags
    assert analysis.overview(db, campaign).raters_removed == 1
    assert {name for name, _ in flags} == {"hasty 1"}


def test_people_and_made_up_answers_do_not_mix(db: Database, make_campaign: Any, answers: Any) -> None:
    campaign, (ada, _) = make_campaign("tagging")
    (task,) = next_tasks(db, campaign, ada)
    respond(db, ada, task.token, answers(task.item), key="k", seconds=5.0)
    with pytest.raises(InputError, match="it has answers by people"):
        simulate_habits(db, campaign, {"careful": 1})
    with pytest.raises(InputError, match="unknown habit"):
        other, _ = make_campaign("tagging", title="Other")
        simulate_habits(db, other, {"sleepy": 1})


FILES = {"generic": LIKERT, "game": demo_files().game.read_text(encoding="utf-8")}


@pytest.mark.parametrize("name", known_protocols())
def test_every_protocol_can_be_rehearsed_to_its_end(db: Database, name: str) -> None:
    sample = demo_files()
    corpus = load_corpus(sample.systems, [sample.references], images=sample.images)
    few = corpus.select(np.flatnonzero(corpus.image_of < 3))
    draft = create.draft(name, few, title="Rehearsal", protocol_file=FILES.get(name))
    campaign = lifecycle.open_campaign(db, create.create(db, draft, actor="lea"), actor="lea")
    done = simulate_habits(db, campaign, {"careful": 8, "hasty": 1, "leaving": 1}, seed=4)
    view = analysis.overview(db, campaign)
    # Tagging's second round, half of the work, may begin weeks later.
    assert done >= view.done >= view.target / (2 if name == "tagging" else 1) > 0
    assert analysis.result_tables(db, campaign)


def test_a_simulated_speaker_leaves_a_tone_and_another_corrects_its_transcript(
    db: Database, make_campaign: Any
) -> None:
    campaign, _ = make_campaign("spoken", images=4, people=0, per_image=2)
    # 2 trial recordings each, 4 images spoken about twice, each of the 8 recordings corrected once.
    assert simulate_habits(db, campaign, {"careful": 3}, seed=1) == 3 * 2 + 8 + 8
    tables = {table.title: table for table in analysis.result_tables(db, campaign)}
    assert dict(tables["Spoken captions"].rows[:2]) == {"images": 4, "captions": 8}
