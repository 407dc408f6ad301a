"""A project of somebody else that uses every public name: type checkers look at it, nobody runs it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

import captious
from captious import (
    Client,
    Comparison,
    Corpus,
    Finding,
    Findings,
    Judgments,
    MetaSettings,
    Reward,
    Scores,
    agreement,
    available_metrics,
    check,
    compare,
    compute,
    estimate,
    explain,
    filter_shards,
    load_corpus,
    load_judgments,
    meta,
    open_shards,
    plan,
    read_findings,
    reproduce,
    score,
)
from captious.compat.coco import Bleu, Cider, CiderD, Meteor, PTBTokenizer, Rouge, Spice


def theirs() -> None:
    """Every result under the type that its documentation promises."""
    version: str = captious.__version__
    names: list[str] = available_metrics(["references"])
    values: dict[str, float] = compute(["a dog"], [["a dog"]], metrics=["bleu1"])
    corpus: Corpus = load_corpus({"m2": ["a dog", "a cat"], "b": ["a", "b"]}, [["a dog"], ["a cat"]])
    one: Corpus = Corpus.from_lists(
        (t for t in ("a", "b")), np.array([["a"], ["b"]]).tolist(), systems="m2", image_ids=[1, 2]
    )
    two: Corpus = Corpus.from_dict({"1": "a"}, {"1": ["a"]})
    scores: Scores = score(corpus, "bleu1", resamples=10)
    direct: Scores = score(["a dog"], ["bleu1"], references=[["a dog"]])
    files: Scores = score([Path("a.json"), Path("b.json")], references="refs.json")
    number: float = scores["bleu1"].systems["m2"].score
    array: npt.NDArray[np.float64] = scores["bleu1"].values
    log: dict[str, float] = scores.to_log("val/")
    latex: str = scores.to_latex() + scores.to_markdown() + scores._repr_html_() + str(scores.table())
    frame = scores.to_pandas()
    found: Comparison = scores.significance(resamples=10, trials=10)
    again: Comparison = compare({"a": ["x"], "b": ["y"]}, ["bleu1"], references=[["x"]])
    p: float = found.metrics["bleu1"].pairs[0].p_holm
    with_intervals: Scores = scores.with_intervals(100)
    judged: Judgments = load_judgments([[1, 2], [3, 4]])
    report = agreement(judged, aspect="overall")
    alpha: float = report.coefficients["alpha_interval"].value
    result = meta("thumb", ["cider"], settings=MetaSettings(coefficients=("pearson",)), aspects="total")
    r: float = result["cider"]["pearson"].value
    study = plan(mean=0.1, sd_images=0.5, sd_raters=0.5)
    ratio: float = estimate(judged, corpus, "bleu1").means[0].found.ratio
    holds: bool = reproduce("thumb").holds
    findings = [f.code for f in check({"1": "a dog"}).findings]
    for explained in explain(corpus, "spice", image_id=1):
        explained.caption.upper()
    reward = Reward("cider", references={1: ["a dog"], 2: ["a cat"]})
    rewards: npt.NDArray[np.float64] = reward([1, 2], ["a dog", "a cat"])
    marked: Findings = read_findings("spans.jsonl", source="ann").merge(
        Findings.from_rows([Finding("7", "m", "A red dog.", 2, 5, "attribute", source="ann")])
    )
    texts: list[str] = [row.text for row in marked.rows()]
    for example in corpus:
        caption: str = example.caption
        references: list[str] = example.references
    shards = open_shards("folder")
    sharded = score(shards, "bleu1", out="scores")
    value: float = sharded.scores["bleu1"].systems["m2"].score
    kept = filter_shards("scores", "bleu1 > 0.5", "kept")
    client = Client("http://localhost:8000")
    try:
        compute(["a"], metrics="cidre")
    except captious.errors.InputError as error:
        print(str(error))

    total, each = Cider().compute_score({1: ["a"]}, {1: ["a"]})
    bleus, lists = Bleu(4).compute_score({1: ["a"]}, {1: ["a"]})
    bleu4: float = bleus[3]
    method: str = Rouge().method() + Meteor().method() + Spice().method() + CiderD().method()
    tokens = PTBTokenizer().tokenize({1: [{"caption": "a"}]})
