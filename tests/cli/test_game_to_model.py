"""From a rating game to a model: a simulated campaign, its export, training, meta-evaluation, Table 4."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from captious.campaigns.exchange.export import export
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.simulate.habits import simulate_habits
from captious.campaigns.store.database import Database
from captious.corpus.load import load_corpus
from captious.corpus.splits import hashed_split, read_split
from captious.data import demo_files

SAMPLE = demo_files()
REFERENCES = ["--references", str(SAMPLE.references)]
FAST = ["--features", "words.interaction", "--epochs", "3", "--seeds", "2", "--resamples", "0"]


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exports of two games with simulated players, `cocog` and `flickrg`."""
    home = tmp_path_factory.mktemp("games")
    rules = SAMPLE.game.read_text("utf-8")
    with Database.open(home / "games.db") as db:
        for name, systems in (("cocog", SAMPLE.systems[:2]), ("flickrg", SAMPLE.systems[2:])):
            corpus = load_corpus(systems, [SAMPLE.references], images=SAMPLE.images)
            made = create.draft("game", corpus, title=name, protocol_file=rules)
            campaign = lifecycle.open_campaign(db, create.create(db, made, actor="lea"), actor="lea")
            simulate_habits(db, campaign, {"careful": 6}, seed=3)
            export(db, campaign, home / name)
    return home


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands write into an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))


def test_a_game_trains_a_model_that_is_tested_on_images_it_has_not_seen(games: Path, run: Any) -> None:
    pairs = games / "cocog" / "pairs.jsonl"
    rows = [json.loads(line) for line in pairs.read_text().splitlines()]
    found = run("train", "rating", "-J", pairs, *REFERENCES, *FAST, "--scale", "1-5", "--format", "json").json
    (told,) = found["data"]
    assert told["ratings"] == sum(len(row["ratings"]) for row in rows)
    assert told["split"] == 'column "split" of pairs.jsonl'
    tested = {row["image"] for row in rows if row["split"] == "test"}
    assert read_split(Path("rating/split.csv")).images("test") == tested
    assert told["test_images"] == len(tested)
    # The model's figures in its card are those that meta finds on the images it has not seen.
    meta = ("meta", pairs, "--metrics", "rating", "--resamples", "0", "--format", "json")
    with_references = Path("with.jsonl")
    references = load_corpus(SAMPLE.systems[:1], [SAMPLE.references])
    texts = {
        references.example(at).image_id: list(references.example(at).references)
        for at in range(len(references))
    }
    with_references.write_text(
        "\n".join(json.dumps(row | {"references": texts[row["image"]]}) for row in rows)
    )
    meta = ("meta", with_references, *meta[2:])
    refused = run(*meta)
    assert refused.code == 2 and "rating was trained on" in refused.err
    judged = run(*meta, "--unseen").json
    (own,) = [row for row in found["test"] if row["metric"] == "rating"]
    assert judged["n"] == own["n"] == sum(row["split"] == "test" for row in rows)
    assert judged["results"]["rating"]["pearson"]["value"] == pytest.approx(own["pearson"]["value"])


def test_table_3_and_the_four_by_four_of_table_4(games: Path, run: Any) -> None:
    table_3 = run(
        "judgments", "agreement", games / "cocog" / "pairs.jsonl", "--virtual-raters", "--merge", "4=5"
    ).out
    assert "virtual raters, 20 runs" in table_3
    assert "Fleiss' kappa, merged" in table_3
    third = Path("expert.jsonl")
    corpus = load_corpus(SAMPLE.systems, [SAMPLE.references])
    rng = np.random.default_rng(0)
    rows = [corpus.example(at) for at in range(len(corpus))]
    third.write_text(
        "\n".join(
            json.dumps(
                {"image": one.image_id, "caption": one.caption, "system": one.system}
                | {"rating": int(rng.integers(1, 5)), "rater": "a"}
            )
            for one in rows
        )
    )
    sets = [f"{name}={games / name / 'pairs.jsonl'}" for name in ("flickrg", "cocog")]
    given = [argument for one in (f"expert={third}", *sets) for argument in ("--judgments", one)]
    found = run(
        "train", "rating", *given, *REFERENCES, *FAST, "--pool", "iicr=flickrg+cocog", "--each",
        "--beside", "bleu1", "--out", "models", "--format", "json",
    )  # fmt: skip
    grid = found.json
    names = {"expert", "flickrg", "cocog", "iicr"}
    assert grid["models"].keys() == names
    assert all(
        own.keys() == names and all(len(v) == 2 for v in own.values()) for own in grid["models"].values()
    )
    assert grid["metrics"]["bleu1"].keys() == names
    assert grid["test_captions"]["iicr"] == grid["test_captions"]["flickrg"] + grid["test_captions"]["cocog"]
    # A pool is the same as training on its sets: and no model has seen an image that is tested anywhere.
    tested = frozenset().union(
        *(read_split(Path("models") / name / "split.csv").images("test") for name in names)
    )
    assert tested == hashed_split(corpus.image_ids).images("test")
    for name in names:
        assert not tested & read_split(Path("models") / name / "split.csv").images("train", "validation")


def test_a_pool_of_an_unknown_set_is_refused_before_anything_is_trained(games: Path, run: Any) -> None:
    given = ("--judgments", games / "cocog" / "pairs.jsonl", *REFERENCES, *FAST, "--each")
    refused = run("train", "rating", *given, "--pool", "all=pairs+other")
    assert refused.code == 2 and '"other" is no data set. Known: pairs' in refused.err
    assert not Path("rating").exists()
