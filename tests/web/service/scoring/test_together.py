"""Requests that are scored together get the very numbers of `captious.score`, bit by bit."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import captious
from captious import Corpus
from captious.corpus.load import load_corpus
from captious.data import demo_files
from captious.groups import lacking
from captious.metrics import known_metrics
from captious.metrics.document_frequency import DocumentFrequencies
from captious.web.service.requests import Offer, ScoreRequest, read_request
from captious.web.service.scoring.singles import Facts
from captious.web.service.scoring.together import score_together

CAPTIONS = 32


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Two systems of the demo, eight images each, with references and objects."""
    files = demo_files()
    whole = load_corpus([*files.systems[:1], files.systems[2]], files.references, objects=files.objects)
    return whole.select(np.flatnonzero(whole.image_of < CAPTIONS // 2)).compact()


def body(corpus: Corpus, rows: list[int], metrics: list[str]) -> dict[str, Any]:
    """The request for some examples of a corpus."""
    examples = []
    for row in rows:
        one = corpus.example(row)
        examples.append(
            {
                "caption": one.caption,
                "image": one.image_id,
                "system": one.system,
                "references": one.references,
                "objects": one.objects or [],
            }
        )
    return {"metrics": metrics, "examples": examples}


def part(corpus: Corpus, rows: list[int]) -> Corpus:
    """Some examples of a corpus as a corpus of their own, in the order in which a file would hold them."""
    examples = [corpus.example(row) for row in rows]
    return Corpus.from_lists(
        [one.caption for one in examples],
        [one.references for one in examples],
        image_ids=[one.image_id for one in examples],
        systems=[one.system for one in examples],
        objects={one.image_id: one.objects or [] for one in examples},
    )


def request(corpus: Corpus, rows: list[int], metrics: list[str], **more: Any) -> ScoreRequest:
    return read_request(json.dumps(body(corpus, rows, metrics) | more).encode())


def answers(requests: list[ScoreRequest], offer: Offer) -> list[dict[str, Any]]:
    found = score_together(requests, offer)
    assert [one.status for one in found] == [200] * len(requests), found
    return [json.loads(one.body) for one in found]


def metrics_without_images() -> list[str]:
    return [
        name
        for name, metric in known_metrics().items()
        if metric.__module__.startswith("captious.") and "image" not in metric.needs
    ]


@pytest.mark.parametrize("name", metrics_without_images())
def test_neighbours_do_not_change_a_bit(corpus: Corpus, name: str) -> None:
    """Nine requests together, of one to twelve captions, against a call of `captious.score` for each."""
    if why := lacking(name, corpus):
        pytest.skip(why)
    fewest = known_metrics()[name].fewest_images
    if name in ("spider", "vifidel_plus"):  # made of CIDEr and another
        fewest = 2
    cuts = np.array_split(np.arange(len(corpus)), [1, 2, 3, 4, 5, 8, 12, 20])
    rows = [cut.tolist() for cut in cuts if len(cut) >= fewest]
    found = answers([request(corpus, own, [name]) for own in rows], Offer(name))
    for own, answer in zip(rows, found, strict=True):
        alone = captious.score(part(corpus, own), [name])[name]
        assert [one["scores"][name] for one in answer["examples"]] == alone.values.tolist()
        assert answer["metrics"][name]["signature"] == alone.signature
        for system, value in alone.systems.items():
            assert answer["systems"][system][name] == {"score": value.score, "n": value.n}


def test_long_texts_are_told_in_the_answer_that_they_are_in_alone() -> None:
    if why := lacking("sentsim"):
        pytest.skip(why)
    texts = ["two cats sleep", "a dog runs on the beach . " * 60, "a red bus"]
    bodies = [
        {"metrics": ["sentsim"], "examples": [{"caption": one, "image": "1", "references": [one, "a cat"]}]}
        for one in texts
    ]
    found = answers([read_request(json.dumps(own).encode()) for own in bodies], Offer("sentsim"))
    told = [answer["metrics"]["sentsim"] for answer in found]
    assert ["long:chunk:256/32" in own["signature"] for own in told] == [False, True, False]
    assert [len(own["notes"]) for own in told] == [0, 1, 0]


def test_several_metrics_with_intervals_equal_the_command(
    corpus: Corpus, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the service answers is what `captious score --format json` prints of the same captions."""
    from captious.cli.main import main

    metrics = ["bleu4", "cider", "rouge_l", "vifidel", "spice"]
    files = []
    for system in corpus.systems:
        examples = [corpus.example(row) for row in corpus.rows_of(system).tolist()]
        rows = [{"image_id": one.image_id, "caption": one.caption} for one in examples]
        files.append(tmp_path / f"{system}.json")
        files[-1].write_text(json.dumps(rows))
    demo = demo_files()
    given = ["-c", *map(str, files), "-r", str(demo.references), "--objects", str(demo.objects)]
    with pytest.raises(SystemExit):
        main(["score", *given, "-m", ",".join(metrics), "-f", "json"])
    printed = json.loads(capsys.readouterr().out)
    intervals = {"resamples": 1000}
    sent = request(corpus, list(range(len(corpus))), metrics, intervals=intervals)
    (found,) = answers([sent], Offer("bleu4,cider,rouge_l,vifidel,spice"))
    for system, values in printed["systems"].items():
        for name, value in values.items():
            own = found["systems"][system][name] | {"signature": found["metrics"][name]["signature"]}
            assert own.pop("error") > 0  # the command prints it with --spread error only
            notes = found["metrics"][name]["notes"]
            assert own | ({"notes": notes} if notes else {}) == value


def test_what_is_kept_between_calls_is_of_the_same_metrics_and_references(corpus: Corpus) -> None:
    """Signatures of single captions are made once for each number of references."""
    offer, kept = Offer("bleu4,rouge_l"), Facts()
    sent = [
        [request(corpus, [row], metrics) for row in (0, 1)]
        for metrics in (["bleu4"], ["bleu4", "rouge_l"], ["rouge_l[beta=1]"])
    ]
    one_reference = body(corpus, [2], ["bleu4"])
    one_reference["examples"][0]["references"] = ["a dog"]
    sent.append([read_request(json.dumps(one_reference).encode()), request(corpus, [3], ["bleu4"])])
    for together in [*sent, *sent]:
        found = score_together(together, offer, facts=kept)
        assert found == [score_together([own], offer)[0] for own in together]
    assert len(kept) == 4


def test_corpus_statistics_are_never_mixed(corpus: Corpus) -> None:
    """CIDEr weighs by the references of its own request: beside others it scores as alone."""
    offer = Offer("cider,bleu4")
    rows = [[0, 1, 2], [3, 4, 5, 6]]
    first, second = answers([request(corpus, own, ["cider", "bleu4"]) for own in rows], offer)
    assert "df:corpus:3" in first["metrics"]["cider"]["signature"]
    assert "df:corpus:4" in second["metrics"]["cider"]["signature"]
    alone = captious.score(part(corpus, rows[1]), ["cider"])["cider"]
    assert [one["scores"]["cider"] for one in second["examples"]] == alone.values.tolist()


def test_one_caption_has_cider_by_a_saved_table(corpus: Corpus, tmp_path: Path) -> None:
    DocumentFrequencies.build(list(corpus.references)).save(tmp_path / "demo.npz")
    offer = Offer("cider", tables=tmp_path)
    sent = [request(corpus, [row], ["cider[df=demo]"]) for row in range(6)]
    table = f"cider[df={tmp_path / 'demo.npz'}]"
    for row, answer in enumerate(answers(sent, offer)):
        alone = captious.score(part(corpus, [row]), [table])[table]
        assert answer["examples"][0]["scores"]["cider[df=demo]"] == alone.values[0] > 0
        assert answer["metrics"]["cider[df=demo]"]["signature"] == alone.signature
    (refused,) = score_together([request(corpus, [0], ["cider"])], offer)
    assert refused.status == 422
    assert b"Score more images, or give document frequencies" in refused.body


def test_a_broken_image_is_an_error_of_its_example(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CLIPScore with a tiny checkpoint: equal to `captious.score`, and what is broken has a reason."""
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    tiny.write_clip(tmp_path / "clip", seed=22)
    photographs = tiny.write_photographs(tmp_path / "images", 3, seed=9)
    captions, ids = ["a dog on a mat", "two cats", "a cat"], ["1", "2", "3"]
    pictures = {name: path.read_bytes() for name, path in zip(ids, photographs, strict=True)}
    offer = Offer(f"clipscore[encoder={tmp_path / 'clip'}],bleu1")
    examples = [{"caption": c, "image": i, "references": [c]} for c, i in zip(captions, ids, strict=True)]
    asked = {"metrics": ["clipscore", "bleu1"], "examples": examples}
    paths = {name: str(path) for name, path in zip(ids, photographs, strict=True)}
    clip = f"clipscore[encoder={tmp_path / 'clip'}]"
    local = captious.score(Corpus.from_lists(captions, image_ids=ids, image_paths=paths), [clip])[clip]
    whole = read_request(json.dumps(asked).encode(), pictures)
    torn = read_request(json.dumps(asked).encode(), pictures | {"2": pictures["2"][:60]})
    only = read_request(json.dumps(asked | {"examples": examples[1:2]}).encode(), {"2": b"no image"})
    good, partly, none = answers([whole, torn, only], offer)
    assert [one["scores"]["clipscore"] for one in good["examples"]] == local.values.tolist()
    assert good["metrics"]["clipscore"]["signature"] == local.signature
    assert [one["scores"]["clipscore"] for one in partly["examples"]] == [
        local.values[0],
        None,
        local.values[2],
    ]
    assert partly["examples"][1]["errors"]["clipscore"].startswith("image 2: the image is broken or cut off")
    assert partly["systems"]["candidates"]["clipscore"]["n"] == 2
    assert none["examples"][0]["scores"] == {"clipscore": None, "bleu1": pytest.approx(1.0, abs=1e-6)}
    assert "is not an image" in none["examples"][0]["errors"]["clipscore"]
    assert str(tmp_path) not in json.dumps([good["metrics"], partly, none])


def test_what_one_example_lacks_is_told_for_it_alone() -> None:
    examples = [{"caption": "a dog", "references": ["a dog"]}, {"caption": "a cat"}]
    sent = read_request(json.dumps({"metrics": ["bleu1", "vifidel"], "examples": examples}).encode())
    (found,) = answers([sent], Offer("bleu1,vifidel"))
    first, second = found["examples"]
    assert first["scores"]["bleu1"] == pytest.approx(1.0)
    assert second["errors"] == {"bleu1": "bleu1 needs references.", "vifidel": "vifidel needs objects."}
    assert found["systems"]["candidates"] == {"bleu1": {"score": pytest.approx(1.0), "n": 1}}
    assert found["metrics"]["vifidel"]["signature"] is None


def test_findings_of_each_request_are_its_own(corpus: Corpus) -> None:
    offer = Offer("spice,vifidel,bleu1")
    parts = [[0], [3, 1], [20, 2, 5]]
    found = answers([request(corpus, rows, ["spice", "bleu1"], findings=True) for rows in parts], offer)
    for rows, answer in zip(parts, found, strict=True):
        assert answer["notes"] == ["no findings are given by bleu1."]
        own = captious.score(part(corpus, rows), "spice", findings=True).findings
        expected = [(row.start, row.end, row.text, row.kind, row.evidence) for row in own.rows() if row.kind]
        given = [one for example in answer["examples"] for one in example["findings"]["spice"]]
        keys = ("start", "end", "text", "kind", "evidence")
        assert sorted(tuple(one[key] for key in keys) for one in given) == sorted(expected)
        assert all(one["confidence"] is None for one in given) and given
    (without,) = answers([request(corpus, [0], ["spice"])], offer)
    assert "findings" not in without["examples"][0]
