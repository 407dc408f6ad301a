"""The prior of `invented`: what it learns, what its file may hold, and what the command prints."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import captious
from captious.benchmarks.datasets.mhal import load_mhal
from captious.cli.train.commands import app
from captious.corpus import Corpus
from captious.corpus.findings import Finding, Findings
from captious.corpus.splits import Split
from captious.errors import CaptiousWarning, InputError
from captious.learn.invented import train_prior
from captious.metrics import Batch, resolve
from captious.metrics.invented.prior import Prior, read_prior, save_prior

THINGS = ("dog", "cat", "horse", "bus", "boat")


def made(images: int) -> tuple[Corpus, Findings]:
    """Captions whose last sentence, "Additionally, …", is marked where its image has an even number."""
    captions, rows = [], []
    for number in range(images):
        thing = THINGS[number % len(THINGS)]
        first = f"A {thing} is seen in the picture."
        last = "Additionally, several people watch it." if number % 2 == 0 else "It looks at the camera."
        caption = f"{first} {last}"
        captions.append(caption)
        start, end = len(first) + 1, len(caption) - 1
        place = (start, end, "object") if number % 2 == 0 else (None, None, "")
        rows.append(Finding(str(number), "m", caption, *place, source="ann"))
    objects = {str(number): [THINGS[number % len(THINGS)], "person"] for number in range(images)}
    corpus = Corpus.from_lists(captions, image_ids=list(objects), systems=["m"] * images, objects=objects)
    return corpus, Findings.from_rows(rows)


@pytest.fixture(scope="module")
def prior() -> Prior:
    corpus, findings = made(60)
    return train_prior(corpus, findings).prior


def test_it_learns_the_wording_that_precedes_what_is_marked(prior: Prior, tmp_path: Path) -> None:
    save_prior(tmp_path / "own.npz", prior)
    metric = resolve(f"invented[prior={tmp_path / 'own.npz'}]")
    caption = "A zebra stands. Additionally, several people watch it."
    corpus = Corpus.from_lists([caption], image_ids=["new"], objects={"new": ["zebra", "person"]})
    ((place,),) = metric.findings(Batch(corpus), None)
    assert caption[place.start : place.end] == "Additionally, several people watch it"
    assert place.confidence > 0.8
    assert resolve("invented").findings(Batch(corpus), None) == [[]]  # the evidence has nothing against it
    facts = metric.facts(corpus, None)
    assert facts["mode"] == f"prior:{read_prior(tmp_path / 'own.npz').digest}"
    assert metric.seen_images() == {str(number) for number in range(60)}


def test_a_stored_prior_is_the_same(prior: Prior, tmp_path: Path) -> None:
    save_prior(tmp_path / "own.npz", prior)
    again = read_prior(tmp_path / "own.npz")
    assert (again.grams, again.names, again.card, again.images) == (
        prior.grams,
        prior.names,
        prior.card,
        prior.images,
    )
    assert (again.threshold, again.slope, again.offset) == (prior.threshold, prior.slope, prior.offset)
    np.testing.assert_array_equal(again.weights, prior.weights)


def test_its_card_says_on_whose_captions_it_learnt(prior: Prior) -> None:
    assert prior.card["captions of"] == "m"
    assert (prior.card["captions"], prior.card["images"], prior.card["raters"]) == (60, 60, ["ann"])
    assert prior.card["figures"][5]["part"] == "all folds"


def test_figures_are_those_of_images_that_were_left_out() -> None:
    corpus, findings = made(60)
    trained = train_prior(corpus, findings, folds=4)
    folds = [one for one in trained.figures if one.part.startswith("fold")]
    assert [one.captions for one in folds] == [15] * 4
    together = trained.figures[4]
    # "Additionally" is marked always and nothing else is, so that 30 places are found and no other.
    assert (together.findings, together.precision, together.recall) == (30, 1.0, 1.0)
    # Marks that tell nothing of the captions cannot be learnt: what is found in them touches them by chance.
    rows = list(findings.rows())
    order = np.random.default_rng(1).permutation(60)
    moved = [
        one._replace(start=0, end=5, kind="object")
        if order[row] < 30
        else one._replace(start=None, end=None, kind="")
        for row, one in enumerate(rows)
    ]
    by_chance = train_prior(corpus, Findings.from_rows(moved), folds=4).figures[4]
    assert by_chance.findings == 0 or by_chance.precision < 0.8
    assert by_chance.recall < 0.6


def test_the_test_part_of_a_split_is_learnt_from_by_nothing() -> None:
    corpus, findings = made(80)
    split = Split({str(number): "test" if number < 20 else "train" for number in range(80)}, "mine")
    trained = train_prior(corpus, findings, split=split)
    assert trained.prior.images == {str(number) for number in range(20, 80)}
    tested = [one for one in trained.figures if one.part == "test"]
    assert [(one.mode, one.captions) for one in tested] == [("prior", 20), ("evidence", 20)]
    assert tested[0].recall == 1.0


def test_too_few_images_are_refused() -> None:
    corpus, findings = made(10)
    with pytest.raises(InputError, match="fewer than 20 images"):
        train_prior(corpus, findings)


def test_the_command_trains_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    corpus, findings = made(40)
    findings.write("mine.jsonl")
    labels = (
        {image: corpus.objects[row] for row, image in enumerate(corpus.image_ids)} if corpus.objects else {}
    )
    Path("objects.json").write_text(json.dumps(labels), "utf-8")
    asked = ["invented", "--findings", "mine.jsonl", "--objects", "objects.json", "--of", "my model"]
    done = CliRunner().invoke(app, [*asked, "--out", "own.npz", "--format", "json"])
    assert done.exception is None, done.output
    card = json.loads(done.stdout)
    assert card["captions of"] == "my model"
    assert card == read_prior(Path("own.npz")).card
    with pytest.warns(CaptiousWarning, match="was trained on 40 of the 40 images"):
        scored = captious.score(corpus, ["invented[prior=own.npz]"], findings=True)
    assert len([row for row in scored.findings.rows() if row.kind]) == 20
    wrong = CliRunner().invoke(app, [*asked, "--out", "own.pkl"])
    assert "must end in .npz" in str(wrong.exception)


def test_references_in_place_of_objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    corpus, findings = made(40)
    findings.write("mine.jsonl")
    told = {image: [f"A {THINGS[row % len(THINGS)]}."] for row, image in enumerate(corpus.image_ids)}
    Path("refs.json").write_text(json.dumps(told), "utf-8")
    asked = ["invented", "--findings", "mine.jsonl", "--references", "refs.json", "--out", "own.npz"]
    done = CliRunner().invoke(app, asked)
    assert done.exception is None, done.output
    Path("refs.json").write_text(json.dumps({"0": ["A dog."]}), "utf-8")
    done = CliRunner().invoke(app, asked)
    assert 'references: image "1" has none' in str(done.exception)


@pytest.mark.parametrize("content", [b"", b"not an archive", pickle.dumps({"kind": "invented-prior"})])
def test_a_file_of_something_else_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "own.npz").write_bytes(content)
    with pytest.raises(InputError, match="contains no prior"):
        read_prior(tmp_path / "own.npz")
    with pytest.raises(InputError, match="no such file"):
        resolve(f"invented[prior={tmp_path / 'gone.npz'}]").ready()


def test_code_in_a_file_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / "own.npz"
    np.savez(path, notes=np.array([Trap(tmp_path / "ran")], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="contains no prior"):
        read_prior(path)
    assert not (tmp_path / "ran").exists()


class Trap:
    """Writes a file where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, bytes]]:
        return _write, (str(self.path), b"")


def _write(path: str, content: bytes) -> None:
    Path(path).write_bytes(content)


def test_a_prior_of_long_captions_finds_what_people_marked(data: Path) -> None:
    loaded = load_mhal(data)
    assert loaded.findings is not None
    trained = train_prior(loaded.corpus, loaded.findings)
    together = next(one for one in trained.figures if (one.mode, one.part) == ("prior", "all folds"))
    assert together.precision > 0.72
    assert together.recall > 0.57
    assert together.score > 0.58
    alone = next(one for one in trained.figures if (one.mode, one.part) == ("evidence", "all folds"))
    assert together.recall > alone.recall
