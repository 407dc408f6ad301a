"""ViLBERT's metrics on tiny checkpoints, item by item against the papers' formulas."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import captious
from captious.errors import CaptiousError, InputError, MissingDependencyError

CLOSE = 1e-5


def values(corpus: captious.Corpus, name: str) -> np.ndarray:
    return captious.score(corpus, [name])[name].values


def oracle_read(tiny_joint: Any, oracle: Any, scene: Any, row: int, text: str, task: int | None) -> Any:
    import torch

    image = scene.corpus.example(row).image_id
    given = tiny_joint.region_input(scene.regions[Path(image).stem])
    with torch.no_grad():
        return oracle(tiny_joint.bert_ids(text), *given, task)


@pytest.mark.parametrize("kind", ["folder", "lmdb", "h5"])
def test_alignment_is_the_softmax_of_the_alignment_logits(tiny_joint, scene, kind: str) -> None:
    import torch

    oracle = tiny_joint.write_vilbert(scene.folder / "model", 3)
    path = scene.folder / "regions"
    if kind != "folder":
        pytest.importorskip("lmdb" if kind == "lmdb" else "h5py")
        write = tiny_joint.write_region_lmdb if kind == "lmdb" else tiny_joint.write_region_h5
        path = write(scene.folder / f"features.{kind}", scene.regions)
    found = values(scene.corpus, f"vilbert_alignment[model={scene.folder / 'model'},regions={path}]")
    for row, caption in enumerate(scene.corpus.captions):
        logits = oracle_read(tiny_joint, oracle, scene, row, caption, None)["alignment"].double()
        assert found[row] == pytest.approx(float(torch.exp(logits[0]) / torch.exp(logits).sum()), abs=CLOSE)
    assert len(np.unique(found.round(6))) == len(found)


def straight_line_score(candidate: Any, reference: Any) -> tuple[float, float, float]:
    """Precision, recall and F, token by token."""

    def cosine(a: Any, b: Any) -> float:
        return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))

    precision = np.mean([max(cosine(own, other) for other in reference) for own in candidate])
    recall = np.mean([max(cosine(own, other) for own in candidate) for other in reference])
    return precision, recall, 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize("part", ["precision", "recall", "f1"])
@pytest.mark.parametrize(("tasks", "variant"), [(False, "last"), (True, "last"), (True, "released")])
def test_vilbertscore_matches_tokens(tiny_joint, scene, part: str, tasks: bool, variant: str) -> None:
    oracle = tiny_joint.write_vilbert(scene.folder / "model", 8, tasks=tasks)
    task = 7 if tasks else None
    options = f"model={scene.folder / 'model'},regions={scene.folder / 'regions'},part={part}"
    options += f",variant={variant},task={7 if tasks else -1}"
    found = values(scene.corpus, f"vilbertscore[{options}]")

    def tokens(row: int, text: str) -> Any:
        read = oracle_read(tiny_joint, oracle, scene, row, text, task)
        states = read["met" if variant == "released" else "words"].double().numpy()
        # [CLS] (task) words [SEP]; the released program counts the task's token.
        return states[2:-1] if tasks and variant == "last" else states[1:-1]

    for row in range(len(scene.corpus)):
        example = scene.corpus.example(row)
        own = tokens(row, example.caption)
        each = [straight_line_score(own, tokens(row, text)) for text in example.references]
        expected = np.mean([one[("precision", "recall", "f1").index(part)] for one in each])
        assert found[row] == pytest.approx(expected, abs=CLOSE)


def test_captions_beyond_the_limit_are_counted_cut_or_refused(tiny_joint, scene) -> None:
    tiny_joint.write_vilbert(scene.folder / "model", 3)
    base = f"model={scene.folder / 'model'},regions={scene.folder / 'regions'}"
    name = f"vilbert_alignment[{base},limit=6]"
    scores = captious.score(scene.corpus, [name])[name]
    # With [CLS] and [SEP] the captions have 9, 11, 11, 3, 9 and 4 tokens.
    assert scores.details["tokens_beyond_limit"].tolist() == [3, 5, 5, 0, 3, 0]
    assert "|long:truncate|trunc:16|" in scores.signature
    assert any("4 texts had more tokens" in note for note in scores.notes)
    with pytest.raises(InputError, match=r'"A dog runs on the beach\." has 3 tokens more than the 6'):
        values(scene.corpus, f"vilbert_alignment[{base},limit=6,long=error]")
    # Read in windows of 4 and 3 tokens: the mean, by tokens, of what the windows score by themselves.
    chunked = values(scene.corpus, f"vilbert_alignment[{base},limit=6,long=chunk]")
    halves = captious.Corpus.from_lists(["A dog runs on", "the beach."], image_ids=["3", "3"])
    parts = values(halves, f"vilbert_alignment[{base},limit=6]")
    assert chunked[0] == pytest.approx((4 * parts[0] + 3 * parts[1]) / 7, abs=CLOSE)


def test_long_references_are_counted_too(tiny_joint, scene) -> None:
    tiny_joint.write_vilbert(scene.folder / "model", 3)
    corpus = captious.Corpus.from_lists(
        ["dog", "a dog"], [["Two cats sleeping on a red sofa", "cat"]] * 2, image_ids=["3", "3"]
    )
    options = f"model={scene.folder / 'model'},regions={scene.folder / 'regions'},task=-1,limit=6"
    scores = captious.score(corpus, [f"vilbertscore[{options}]"])[f"vilbertscore[{options}]"]
    assert "|trunc:5|" in scores.signature  # the first reference has 11 tokens
    assert any("1 text had more tokens" in note for note in scores.notes)


def test_one_image_without_regions_leaves_the_others_scored(tiny_joint, scene) -> None:
    tiny_joint.write_vilbert(scene.folder / "model", 3)
    (scene.folder / "regions" / "17.npy").unlink()
    for metric in ("vilbert_alignment", "vilbertscore"):
        name = f"{metric}[model={scene.folder / 'model'},regions={scene.folder / 'regions'},task=-1]"
        scores = captious.score(scene.corpus, [name])[name]
        assert np.isnan(scores.values).tolist() == [False, False, True, True, True, False]
        assert list(scores.unscored) == ["17"]
        assert "has no region features for it" in scores.unscored["17"]
        assert scores.score == pytest.approx(np.nanmean(scores.values))
        assert "|unread:1|" in scores.signature


def test_no_image_with_regions_is_an_error(tiny_joint, scene) -> None:
    tiny_joint.write_vilbert(scene.folder / "model", 3)
    tiny_joint.write_region_folder(scene.folder / "other", {"99": scene.regions["3"]})
    with pytest.raises(InputError, match="none of 3 images could be read"):
        values(
            scene.corpus,
            f"vilbert_alignment[model={scene.folder / 'model'},regions={scene.folder / 'other'}]",
        )


def test_an_empty_caption_scores_nothing(tiny_joint, scene) -> None:
    tiny_joint.write_vilbert(scene.folder / "model", 3)
    corpus = captious.Corpus.from_lists(["", "dog"], [["A dog"], [""]], image_ids=["3", "3"])
    options = f"model={scene.folder / 'model'},regions={scene.folder / 'regions'},task=-1"
    assert values(corpus, f"vilbertscore[{options}]").tolist() == [0.0, 0.0]


@pytest.mark.parametrize("metric", ["vilbert_alignment", "vilbertscore"])
def test_what_is_missing_is_said_in_one_line(tiny_joint, scene, metric: str) -> None:
    with pytest.raises(MissingDependencyError, match=r"not installed\. .*: captious get weights ViLBERT/"):
        values(scene.corpus, f"{metric}[regions={scene.folder / 'regions'}]")
    tiny_joint.write_vilbert(scene.folder / "model")
    with pytest.raises(CaptiousError, match=rf"{metric} needs region features .*{metric}\[regions=PATH\]"):
        values(scene.corpus, f"{metric}[model={scene.folder / 'model'}]")
    with pytest.raises(InputError, match="there are no region features"):
        values(scene.corpus, f"{metric}[model={scene.folder / 'model'},regions=/nowhere/f.lmdb,task=-1]")
    with pytest.raises(InputError, match="no such file or folder of weights"):
        values(scene.corpus, f"{metric}[model=/nowhere/vilbert,regions={scene.folder / 'regions'}]")


def test_weights_in_the_cache_are_found_by_their_name(tiny_joint, scene, monkeypatch) -> None:
    """The published file alone, BERT's vocabulary in the hub's cache: as `doctor --get` leaves them."""
    from captious.models.joint.vilbert import model

    tiny_joint.write_vilbert(scene.folder / "model", 3)
    expected = f"vilbert_alignment[model={scene.folder / 'model'},regions={scene.folder / 'regions'}]"
    name = f"vilbert_alignment[regions={scene.folder / 'regions'}]"
    own = scene.folder / "cache" / "weights"
    own.mkdir(parents=True)
    (scene.folder / "model" / "pytorch_model.bin").rename(own / "vilbert_pretrained_model.bin")
    with pytest.raises(MissingDependencyError, match="BERT-base-uncased are not installed"):
        values(scene.corpus, name)
    hub = scene.folder / "hub" / "models--google-bert--bert-base-uncased"
    (hub / "refs").mkdir(parents=True)
    (hub / "refs" / "main").write_text("ab" * 20)
    (hub / "snapshots" / ("ab" * 20)).mkdir(parents=True)
    for file in ("vocab.txt", "config.json"):
        shutil.copy(scene.folder / "model" / file, hub / "snapshots" / ("ab" * 20) / file)
    (hub / "snapshots" / ("ab" * 20) / "model.safetensors").write_bytes(b"")
    monkeypatch.setattr(model, "PUBLISHED", tiny_joint.VILBERT)
    scores = captious.score(scene.corpus, [name])[name]
    (own / "vilbert_pretrained_model.bin").rename(scene.folder / "model" / "pytorch_model.bin")
    np.testing.assert_array_equal(scores.values, values(scene.corpus, expected))
    assert "|enc:ViLBERT/conceptual-captions@" in scores.signature
    assert "|regions:regions@" in scores.signature


@pytest.mark.parametrize("option", ["part=middle", "variant=secret", "long=never"])
def test_wrong_options(option: str) -> None:
    with pytest.raises(InputError, match="unknown"):
        captious.metrics.resolve(f"vilbertscore[{option}]")


def test_the_command_line(tiny_joint, scene, capsys) -> None:
    from captious.cli.main import main

    tiny_joint.write_vilbert(scene.folder / "model", 3)
    captions = {"3": "A dog runs on the beach.", "17": "dog"}
    (scene.folder / "c.json").write_text(json.dumps(captions))
    name = f"vilbert_alignment[model={scene.folder / 'model'},regions={scene.folder / 'regions'}]"
    with pytest.raises(SystemExit) as stop:
        main(
            [
                "score",
                "-c",
                str(scene.folder / "c.json"),
                "--metrics",
                name,
                "--format",
                "json",
                "--long",
                "error",
            ]
        )
    assert not stop.value.code
    found = json.loads(capsys.readouterr().out)["systems"]["c"]
    assert next(iter(found.values()))["n"] == 2
