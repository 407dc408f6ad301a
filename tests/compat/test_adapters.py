"""Adapters give what `captious.score` gives, inside the real package where it is installed."""

import json
import math
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import captious
from captious.compat import lmms_eval
from captious.errors import CaptiousWarning, InputError

CAPTIONS = ["A man rides a horse.", "Two dogs play in the snow.", "A red bus."]
REFERENCES = [
    ["A man riding a brown horse.", "A rider on a horse."],
    ["Dogs in snow.", "Two dogs run through the snow."],
    ["A red double-decker bus.", "A bus on the street."],
]


def expected(metric: str) -> float:
    return captious.compute(CAPTIONS, REFERENCES, [metric])[metric]


@pytest.mark.parametrize("metric", ["bleu4", "rouge_l", "cider"])
def test_an_aggregation_of_lmms_eval(metric: str) -> None:
    rows = [
        {"pred": pred, "answer": own, "image_id": place}
        for place, (pred, own) in enumerate(zip(CAPTIONS, REFERENCES, strict=True))
    ]
    assert getattr(lmms_eval, metric)(rows, None) == expected(metric)
    with pytest.raises(InputError, match=r'results: entry 1 has no "pred" and "answer"'):
        lmms_eval.cider([{"pred": "a"}])
    with pytest.raises(InputError, match='unknown metric "cidre"'):
        lmms_eval.aggregation("cidre")


def test_an_aggregation_that_cannot_run_does_not_end_the_harness() -> None:
    """lmms-eval --limit 1 is a usual first try, and CIDEr needs two images."""
    row = {"pred": CAPTIONS[0], "answer": REFERENCES[0], "image_id": 7}
    with pytest.warns(
        CaptiousWarning, match="cider is NaN: cider weights n-grams by how rare they are across images"
    ):
        warnings.filterwarnings("ignore")  # as lmms-eval does when it is imported
        assert math.isnan(lmms_eval.cider([row], None))


def test_what_was_cut_off_is_told() -> None:
    long = "A dog runs on the beach. " * 100
    with pytest.warns(CaptiousWarning, match=r"bertscore: 2 texts .* were cut off"):
        assert lmms_eval.aggregation("bertscore")([{"pred": long, "answer": [long]}]) == pytest.approx(1)


def test_torchmetrics_gathers_captions_over_batches_and_processes() -> None:
    pytest.importorskip("torchmetrics")
    import torch

    from captious.compat.torchmetrics import CaptionMetric

    metric = CaptionMetric("cider")
    metric.update(CAPTIONS[:2], REFERENCES[:2])
    metric.update(CAPTIONS[2:], REFERENCES[2:], image_ids=[9])
    assert metric.compute().item() == expected("cider")
    metric.reset()
    metric.update(CAPTIONS[:2], REFERENCES[:2])
    # What torchmetrics does with several processes: it joins the states of all.
    other = CaptionMetric("cider")
    other.update(CAPTIONS[2:], REFERENCES[2:])
    metric.rows = torch.cat([*metric.rows, *other.rows])
    metric._computed = None
    assert metric.compute().item() == expected("cider")


def test_torchmetrics_takes_what_is_held_and_refuses_what_it_cannot_score() -> None:
    pytest.importorskip("torchmetrics")
    from captious.compat.torchmetrics import CaptionMetric

    for name, said in (
        ("cidre", 'Did you mean "cider"'),
        ("clipscore", "clipscore needs image, and only references are given here"),
    ):
        with pytest.raises(InputError, match=said):
            CaptionMetric(name)
    metric = CaptionMetric("rouge_l")
    with pytest.raises(InputError, match='found the plain text "ab"'):
        metric.update("ab", ["a", "b"])
    metric.update(iter(CAPTIONS), iter(REFERENCES), image_ids=iter([7, 8, 9]))
    assert metric.compute().item() == expected("rouge_l")


def test_a_loop_goes_on_where_a_batch_has_no_cider() -> None:
    """Lightning computes the value of each batch, and of none in its first check."""
    pytest.importorskip("torchmetrics")
    from captious.compat.torchmetrics import CaptionMetric

    metric = CaptionMetric("cider")
    with pytest.warns(CaptiousWarning, match="cider is NaN: the corpus has no captions"):
        assert math.isnan(metric.compute().item())
    for caption, own in zip(CAPTIONS, REFERENCES, strict=True):
        with pytest.warns(CaptiousWarning, match="cider is NaN: cider weights n-grams by how rare they are"):
            assert math.isnan(metric([caption], [own]).item())
    assert metric.compute().item() == expected("cider")


PROCESS = """
import sys
from torch import distributed
from captious.compat.torchmetrics import CaptionMetric

rank, place = int(sys.argv[1]), sys.argv[2]
distributed.init_process_group("gloo", init_method=f"file://{place}", rank=rank, world_size=2)
for first in (2, 3):  # the second process has one caption, then none
    metric = CaptionMetric("cider")
    own = slice(0, first) if rank == 0 else slice(first, 3)
    if CAPTIONS[own]:
        metric.update(CAPTIONS[own], REFERENCES[own])
    print(repr(metric.compute().item()))
distributed.destroy_process_group()
"""


def test_torchmetrics_over_two_processes(tmp_path: Path) -> None:
    pytest.importorskip("torchmetrics")
    code = f"CAPTIONS, REFERENCES = {CAPTIONS!r}, {REFERENCES!r}\n{PROCESS}"
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", code, str(rank), str(tmp_path / "meet")],
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in (0, 1)
    ]
    for process in started:
        said, _ = process.communicate(timeout=300)
        assert said.split() == [repr(expected("cider"))] * 2


def test_the_module_of_evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluate = pytest.importorskip("evaluate")
    from captious.compat.evaluate import folder

    monkeypatch.setenv("HF_EVALUATE_OFFLINE", "1")
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path))
    loaded = evaluate.load(folder(), cache_dir=str(tmp_path))
    found = loaded.compute(predictions=CAPTIONS, references=REFERENCES, metrics=["cider", "bleu4"])
    assert found == {"cider": expected("cider"), "bleu4": expected("bleu4")}
    with pytest.warns(CaptiousWarning, match="cider is left out: one image has no document frequencies"):
        assert "rouge_l" in loaded.compute(predictions=CAPTIONS[:1], references=REFERENCES[:1])


def test_a_task_of_inspect_ai_is_scored_by_the_whole_sample(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    from inspect_ai import Task
    from inspect_ai import eval as run
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.solver import solver

    from captious.compat.inspect_ai import captions

    @solver
    def captioner() -> Any:  # a model would count tokens by a table from the network
        async def solve(state: Any, generate: Any) -> Any:
            state.output = ModelOutput.from_content("none", CAPTIONS[int(state.sample_id) - 1])
            return state

        return solve

    samples = [Sample(input="Describe it.", target=own, id=place + 1) for place, own in enumerate(REFERENCES)]
    task = Task(dataset=samples, solver=captioner(), scorer=captions("cider", "rouge_l"))
    (log,) = run(task, model="mockllm/model", log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    found = {name: one.value for name, one in log.results.scores[0].metrics.items()}
    assert found == pytest.approx({"cider": expected("cider"), "rouge_l": expected("rouge_l")})
    # CIDEr has no value of the first sample alone, after which inspect_ai asks for one.
    alone = Task(dataset=samples[:1], solver=captioner(), scorer=captions("cider"))
    with pytest.warns(CaptiousWarning, match="cider is NaN"):
        (log,) = run(alone, model="mockllm/model", log_dir=str(tmp_path), display="none")
    assert log.status == "success" and math.isnan(log.results.scores[0].metrics["cider"].value)
    with pytest.raises(InputError, match="clipscore needs image"):
        captions("clipscore")


def test_samples_of_lmms_eval_are_read_with_their_references(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {
            "doc_id": place,
            "doc": {"question_id": place},
            "target": own[0],
            "filtered_resps": [caption],
            "resps": [[caption]],
            "coco_CIDEr": {"answer": own, "pred": caption, "image_id": 100 + place},
        }
        for place, (caption, own) in enumerate(zip(CAPTIONS, REFERENCES, strict=True))
    ]
    path = tmp_path / "20260101_samples_coco2017_cap_val.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.warns(CaptiousWarning, match="written by lmms-eval, which does not compute SPICE") as said:
        corpus = captious.load_corpus(path)
    assert "differ" not in str(said[0].message)  # its CIDEr is coco-caption's, as ours is
    assert (corpus.systems, corpus.image_ids) == (["coco2017_cap_val"], ["100", "101", "102"])
    assert captious.score(corpus, ["cider"])["cider"].score == expected("cider")
    for row in rows:
        del row["coco_CIDEr"]
    path.write_text("\n".join(map(json.dumps, rows)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaptiousWarning)
        assert next(iter(captious.load_corpus(path))).references == [REFERENCES[0][0]]
        # Version 0.7.3 logs a list of references as Python prints it, in one text.
        for row, own in zip(rows, REFERENCES, strict=True):
            row["target"] = str(own)
        path.write_text("\n".join(map(json.dumps, rows)))
        assert [list(one.references) for one in captious.load_corpus(path)] == REFERENCES


@pytest.mark.parametrize("form", ["tsv", "json"])
def test_prediction_tables_of_vlmevalkit_are_read_with_their_references(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"llava_COCO_VAL.{form}"
    if form == "tsv":
        lines = [
            f"{n}\t{own!r}\t{caption}"
            for n, (caption, own) in enumerate(zip(CAPTIONS, REFERENCES, strict=True))
        ]
        path.write_text("\n".join(["index\tanswer\tprediction", *lines]))
    else:  # PRED_FORMAT=json; the references are still a list in a text
        rows = [
            {"index": n, "answer": str(own), "question": "Describe it.", "prediction": caption}
            for n, (caption, own) in enumerate(zip(CAPTIONS, REFERENCES, strict=True))
        ]
        path.write_text(json.dumps(rows, indent=4))
    with pytest.warns(
        CaptiousWarning, match="written by VLMEvalKit, which only splits captions at white space"
    ):
        corpus = captious.load_corpus(path)
    assert [one.references for one in corpus] == REFERENCES
    assert captious.score(corpus, ["cider"])["cider"].score == expected("cider")


def test_references_in_a_text_of_a_data_frame_are_a_list() -> None:
    """`pandas.read_excel` of such a table gives texts."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"index": range(3), "answer": [str(own) for own in REFERENCES], "prediction": CAPTIONS}
    )
    assert [one.references for one in captious.load_corpus(frame)] == REFERENCES
