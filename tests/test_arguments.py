"""Whatever a public function is given in place of an argument, the answer is one line of ours or a result."""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import captious
from captious.errors import CaptiousError, InputError

REFERENCES = {str(n): [f"a man rides horse number {n}", "a rider on a horse"] for n in range(4)}
GOOD = {str(n): f"a man rides horse {n}" for n in range(4)}
POOR = dict.fromkeys(GOOD, "a cat")
BAD: list[Any] = [
    None, [], {}, "", "nothing of this name", 3, -1, 2.5, math.nan, True, b"x", object(), [None], [3],
    ["", ""], {"a": None}, {1: 2}, np.array([]), np.array([1.5]), set(), print,
]  # fmt: skip


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """A call that works, small, of every public function and class."""
    folder = tmp_path_factory.mktemp("arguments")
    rated = [
        {
            "image": image,
            "caption": one[image],
            "references": REFERENCES[image],
            "rating": rating,
            "rater": who,
        }
        for image in GOOD
        for one, rating in ((GOOD, 4 + int(image) % 2), (POOR, 1 + int(image) % 3))
        for who in ("ada", "bo")
    ]
    (folder / "rated.jsonl").write_text("\n".join(map(json.dumps, rated)))
    (folder / "good.json").write_text(json.dumps(GOOD))
    (folder / "references.json").write_text(json.dumps(REFERENCES))
    row = {"image": 1, "caption": "a dog", "start": 2, "end": 5, "kind": "object"}
    (folder / "found.jsonl").write_text(json.dumps(row))
    corpus = captious.Corpus.from_dict({"good": GOOD, "poor": POOR}, REFERENCES)
    found = {
        "agreement": {"judgments": folder / "rated.jsonl", "resamples": 2},
        "available_metrics": {},
        "check": {"candidates": folder / "good.json"},
        "compare": {"corpus": corpus, "metrics": ["bleu1"], "resamples": 2, "trials": 2},
        "compute": {"predictions": ["a dog"], "references": [["a dog"]], "metrics": ["bleu1"]},
        "estimate": {"judgments": folder / "rated.jsonl", "captions": corpus, "metrics": "bleu1"},
        "explain": {"corpus": corpus, "metric": "spice", "image_id": "3"},
        "load_corpus": {"candidates": folder / "good.json", "references": folder / "references.json"},
        "load_judgments": {"judgments": folder / "rated.jsonl"},
        "meta": {
            "benchmark": folder / "rated.jsonl",
            "metrics": ["bleu1"],
            "settings": captious.MetaSettings(resamples=2),
        },
        "plan": {"pilot": folder / "rated.jsonl", "images": [10], "raters": [2], "simulations": 2},
        "read_findings": {"path": folder / "found.jsonl"},
        "reproduce": {"benchmarks": "mcip", "data": folder},
        "score": {"corpus": corpus, "metrics": ["bleu1"]},
        "Client": {"url": "http://localhost:9"},
        "MetaSettings": {},
        "Reward": {"metric": "bleu1", "references": REFERENCES},
    }
    made = {name: (getattr(captious, name), base) for name, base in found.items()}
    made["Corpus.from_lists"] = (
        captious.Corpus.from_lists,
        {"captions": ["a dog"], "references": [["a dog"]]},
    )
    made["Corpus.from_dict"] = (captious.Corpus.from_dict, {"candidates": GOOD, "references": REFERENCES})
    return made


@pytest.fixture(scope="module")
def sharded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """The same of functions for shards."""
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("shards")
    (folder / "m2").mkdir()
    rows = [{"image_id": image, "caption": GOOD[image], "references": REFERENCES[image]} for image in GOOD]
    (folder / "m2" / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    captious.score(captious.open_shards(folder / "m2"), ["rouge_l"], out=folder / "scores")
    kept = {"scores": folder / "scores", "where": "rouge_l > 0", "out": folder / "kept"}
    return {
        "filter_shards": (captious.filter_shards, kept),
        "open_shards": (captious.open_shards, {"candidates": folder / "m2"}),
    }


NAMES = """agreement available_metrics check compare compute estimate explain load_corpus load_judgments meta
    plan read_findings reproduce score Client MetaSettings Reward Corpus.from_lists Corpus.from_dict
    filter_shards open_shards"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES.split())
def test_one_line_or_a_result(
    name: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where a name is taken for a path, nothing is there
    monkeypatch.setenv("CAPTIOUS_DATA", str(tmp_path))
    function, base = request.getfixturevalue("sharded" if name.endswith("_shards") else "calls")[name]
    for argument in inspect.signature(function).parameters:
        for value in BAD:
            if name == "reproduce" and argument == "benchmarks" and not isinstance(value, str | int | float):
                continue  # none named is all of them
            try:
                function(**base | {argument: value})
            except CaptiousError as error:
                assert str(error) and "\n" not in str(error), (argument, value)
                assert _strangers(function, str(error)) == set(), (argument, value, str(error))


def _strangers(function: Callable[..., Any], line: str) -> set[str]:
    """What a line calls an argument, outside of calls and commands, and the function does not take."""
    bare = re.sub(r"`[^`]*`|\([^()]*\)|\[[^\[\]]*\]|captious train .*", "", line)
    named = {one.replace("-", "_") for one in re.findall(r"(?<![\w-])--([a-z-]+)", bare)}
    named |= set(re.findall(r"(?<![\w.])([a-z_]+)=", bare))
    examples = {"split"} if "COLUMN=VALUE" in line else {"out"} if "Score the shards with" in line else set()
    return named - set(inspect.signature(function).parameters) - examples


BAD_CAPTIONS: list[Any] = [
    {"a": {"1": "a dog", "2": "a cat"}, "b": {"1": "a dog"}},
    [{"image_id": "1", "caption": "a dog"}, {"image_id": "1", "caption": "the dog"}],
    {"1": ["a dog", "the dog"]},
    {"1": "a dog"},
    [{"image_id": "1", "references": ["a dog"]}],
    [],
    "nowhere.json",
    "a dog runs",
    None,
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["check", "compare", "explain", "load_corpus", "score"])
def test_what_is_wrong_with_captions_names_arguments_that_there_are(name: str) -> None:
    function = getattr(captious, name)
    more = {"check": {}, "load_corpus": {}, "explain": {"metric": "spice"}}.get(name, {"metrics": ["bleu1"]})
    for captions in BAD_CAPTIONS:
        for references in (None, {"9": ["a dog"]}, ["a dog"], "nowhere.json"):
            if references is not None and "references" not in inspect.signature(function).parameters:
                continue
            given = {"references": references} if references is not None else {}
            try:
                function(captions, **given, **more)
            except CaptiousError as error:
                assert "\n" not in str(error)
                # How captions are loaded is said by what to load them with.
                loading = {"duplicates"} if "load them with" in str(error) else set()
                assert _strangers(function, str(error)) - loading == set(), (captions, given, str(error))


@pytest.mark.parametrize("metric", ["vlm_judge", "vilbertscore", "clipscore[long=foo]", "cider[df=no.npz]"])
def test_what_a_metric_lacks_is_said_without_options_of_the_command_line(metric: str) -> None:
    corpus = captious.Corpus.from_dict(GOOD, REFERENCES)
    with pytest.raises(CaptiousError) as found:
        captious.score(corpus, [metric])
    assert "--" not in str(found.value)


def test_every_public_function_is_tried() -> None:
    # What nobody makes by hand, and a named tuple.
    results = {"Comparison", "Corpus", "Finding", "Findings", "Judgments", "Scores", "__version__"}
    assert {name.partition(".")[0] for name in NAMES.split()} | results == set(captious.__all__)


def test_the_line_names_the_argument_and_what_it_should_be(tmp_path: Path) -> None:
    corpus = captious.Corpus.from_dict(GOOD, REFERENCES)
    for call, line in (
        (
            lambda: captious.explain(None),
            "corpus must be a corpus, or captions as captious.load_corpus takes them; found None.",
        ),
        (
            lambda: captious.filter_shards("o1", None, "o2"),  # type: ignore[arg-type]
            "where must be text; found None.",
        ),
        (
            lambda: captious.Corpus.from_dict([("7", "a dog")]),  # type: ignore[arg-type]
            "candidates must be a dict, {image: caption} or {system: {image: caption}}; found a list. "
            "For parallel lists there is Corpus.from_lists.",
        ),
        (lambda: captious.score(corpus, jobs="2"), "jobs must be a whole number; found '2'."),  # type: ignore
        (
            lambda: captious.score(corpus, 3),  # type: ignore[call-overload]
            "metrics must be a metric or a list of metrics or None; found 3.",
        ),
        (lambda: captious.score(corpus, resamples=5, seed=-1), "the seed is -1; it must be 0 or more."),
        (
            lambda: captious.meta("thumb", metric="cider"),
            'unknown argument of meta "metric". Did you mean "metrics"?',
        ),
        (lambda: captious.open_shards([]), "candidates: no shard was given. Name at least one."),
        (
            lambda: captious.load_corpus("x.json", images=7),  # type: ignore[arg-type]
            "images must be a path or None; found 7.",
        ),
    ):
        with pytest.raises(CaptiousError) as found:
            call()
        assert str(found.value) == line
    assert list(captious.score(corpus, np.array(["bleu1"]), jobs=np.int64(1))) == ["bleu1"]  # type: ignore
    with pytest.raises(InputError, match=r"resamples must be a whole number; found 2\.5"):
        captious.MetaSettings(resamples=2.5)  # type: ignore[arg-type]
