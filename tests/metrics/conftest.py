"""Real captions and what coco-caption's own program says of them; every metric in a form that runs."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from captious import Corpus
from captious.errors import MissingDependencyError
from captious.metrics import Batch, Metric, resolve
from captious.metrics.learned.folder import TrainedModel, write_folder
from captious.metrics.learned.predict import Linear

THUMB_SYSTEMS = ("VinVL-large", "VinVL-base", "Unified-VLP", "Up-Down", "Human")
Items = dict[str, np.ndarray]


@pytest.fixture(scope="session")
def karpathy(data: Path) -> Corpus:
    """Karpathy's test split with the captions of the M2 Transformer."""
    folder = data / "coco_karpathy"
    captions = json.loads((folder / "m2_transformer.json").read_text(encoding="utf-8"))
    references = json.loads((folder / "reference_captions.json").read_text(encoding="utf-8"))
    ids = list(captions)
    return Corpus.from_lists([captions[i] for i in ids], [references[i] for i in ids], image_ids=ids)


@pytest.fixture(scope="session")
def thumb(data: Path) -> Corpus:
    """THumB: five systems on 500 images with four references."""
    lines = (data / "thumb" / "mscoco_references.jsonl").read_text(encoding="utf-8").splitlines()
    references = {row["seg_id"]: row["refs"] for row in map(json.loads, lines)}
    lines = (data / "thumb" / "mscoco_THumB-1.0.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return Corpus.from_lists(
        [row["hyp"] for row in rows],
        [references[row["seg_id"]] for row in rows],
        image_ids=[row["seg_id"] for row in rows],
        systems=[row["SYS"] for row in rows],
    )


@pytest.fixture(scope="session")
def thumb_figures() -> dict[str, dict[str, list[float]]]:
    """Item scores of coco-caption (Java tokeniser included) by system and metric, images sorted."""
    path = Path(__file__).parent / "data" / "thumb_coco_caption.json.gz"
    figures: dict[str, dict[str, list[float]]] = json.loads(gzip.decompress(path.read_bytes()))
    return figures


@pytest.fixture(scope="session")
def coco_caption() -> Callable[[Corpus], Items]:
    """Item scores of pycocoevalcap, from the tokens that we gave our own metrics."""
    pytest.importorskip("pycocoevalcap")
    return _coco_caption


@pytest.fixture(scope="session")
def karpathy_items(karpathy: Corpus, coco_caption: Callable[[Corpus], Items]) -> Items:
    """What pycocoevalcap says of every caption of the M2 Transformer."""
    return coco_caption(karpathy)


def _coco_caption(corpus: Corpus) -> Items:
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge

    batch = Batch(corpus)
    tokens = batch.tokens("ptb")
    examples, texts = batch.pairs()
    references: dict[int, list[str]] = {}
    for example, text in zip(examples.tolist(), texts.tolist(), strict=True):
        references.setdefault(example, []).append(" ".join(tokens.words(text)))
    captions = {
        example: [" ".join(tokens.words(text))] for example, text in enumerate(batch.candidate_text.tolist())
    }
    with contextlib.redirect_stdout(io.StringIO()):
        _, bleu = Bleu(4).compute_score(references, captions)
    _, rouge = Rouge().compute_score(references, captions)
    _, cider = Cider().compute_score(references, captions)
    items = {f"bleu{n}": np.array(values) for n, values in enumerate(bleu, start=1)}
    return items | {"rouge_l": np.array(rouge), "cider": np.array(cider)}


@pytest.fixture(scope="session")
def photographs(data: Path) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """References and gold objects of the 159 COCO photographs."""
    references: dict[str, list[str]] = {}
    objects: dict[str, list[str]] = {}
    folder = data / "coco_mini" / "annotations"
    for part in ("train2017", "val2017"):
        captions = json.loads((folder / f"captions_{part}.json").read_text(encoding="utf-8"))
        instances = json.loads((folder / f"instances_{part}.json").read_text(encoding="utf-8"))
        names = {entry["id"]: entry["name"] for entry in instances["categories"]}
        for entry in captions["annotations"]:
            references.setdefault(str(entry["image_id"]), []).append(entry["caption"])
        for entry in instances["annotations"]:
            objects.setdefault(str(entry["image_id"]), []).append(names[entry["category_id"]])
    return references, objects


@pytest.fixture
def linear_metric(tmp_path: Path) -> Callable[..., Path]:
    """Write a trained metric whose rating is 1 + 4 times the mean of its features."""

    def make(features: Sequence[str], recipe: str = "own", name: str = "plain", width: int = 0) -> Path:
        n = width or len(features)
        predictor = Linear(np.zeros(n), np.ones(n), np.full(n, 1 / n), 0.0)
        folder = tmp_path / name
        model = TrainedModel(name, recipe, tuple(features), predictor, (1.0, 5.0), slope=4.0, intercept=1.0)
        write_folder(folder, model, {})
        return folder

    return make


# What a judge says of any caption, but of one with a zebra.
ANSWER = json.dumps(
    {"precision": 5, "recall": 5, "errors": [], "corrected": None, "fluency": []}
    | {"conciseness": "0", "inclusive_language": "0"}
)
IMAGES = 16  # as many as a test of every metric may name: "0", "1", …


@pytest.fixture(scope="session")
def photograph_paths(tiny: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    paths = tiny.write_photographs(tmp_path_factory.mktemp("photographs"), IMAGES)
    return {path.stem: str(path) for path in paths}


@pytest.fixture(scope="session")
def tiny_weights(
    tiny: ModuleType, tiny_joint: ModuleType, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """Options of the metrics whose weights no package holds: models of the true layout with few numbers."""
    home = tmp_path_factory.mktemp("weights")
    tiny.write_clip(home / "clip", seed=22)
    tiny_joint.write_classifier(home / "bert")
    tiny_joint.write_blip(home / "blip")
    tiny_joint.write_vilt(home / "vilt")
    tiny_joint.write_vilbert(home / "vilbert")
    tiny_joint.write_vse(home / "vse" / "model_best.pth.tar")
    found = {str(n): tiny_joint.regions(n, 3 + n % 4) for n in range(IMAGES)}
    regions = tiny_joint.write_region_folder(home / "regions", found)
    clip = f"encoder={home / 'clip'},prompt=none,cache=no"
    vilbert = f"model={home / 'vilbert'},regions={regions},cache=no"
    family = ("clipscore", "refclipscore", "refonlyc", "mcipscore", "mcipscore_ref", "pacscore")
    return {
        **dict.fromkeys((*family, "refpacscore"), clip),
        "bertgrammar": f"model={home / 'bert'},limit=20",
        "blip_itm": f"model={home / 'blip'},cache=no",
        "vilt": f"model={home / 'vilt'},limit=12,cache=no",
        "vilbert_alignment": f"{vilbert},limit=12",
        "vilbertscore": f"{vilbert},limit=12,task=-1",
        "vsepp": f"model={home / 'vse' / 'model_best.pth.tar'}",
        "vilbert.joint": f"encoder={home / 'vilbert'},regions={regions}",
    }


@pytest.fixture(scope="session")
def amber_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """AMBER's files for images of the number of a test: what is in them, and what models invent there."""
    folder = tmp_path_factory.mktemp("amber")
    truth, invented = ["woman", "dog", "bus", "cat", "duck", "violin"], ["zebra", "river", "astronaut"]
    rows = [{"id": n, "type": "generative", "truth": truth, "hallu": invented} for n in range(IMAGES)]
    (folder / "annotations.json").write_text(json.dumps(rows), encoding="utf-8")
    related: dict[str, list[str]] = {word: [] for word in (*truth, *invented)}
    (folder / "relation.json").write_text(json.dumps(related), encoding="utf-8")
    (folder / "safe_words.txt").write_text("light", encoding="utf-8")
    return folder


@pytest.fixture
def runnable(request: pytest.FixtureRequest, linear_metric: Callable[..., Path]) -> Callable[[str], Metric]:
    """A registered metric that runs here; skips only where a package is not installed.

    Without published weights it runs tiny ones, the judge is a server on this machine, and learned
    metrics are lines over features.
    """

    def made(name: str) -> Metric:
        metric = resolve(name)
        with contextlib.suppress(MissingDependencyError):
            metric.ready()
            return metric
        if name.startswith("amber_"):
            return resolve(f"{name}[data={request.getfixturevalue('amber_files')}]")
        options = request.getfixturevalue("tiny_weights")
        if name == "vlm_judge":
            server = request.getfixturevalue("chat_server")
            server.answer = lambda caption: ANSWER.replace("5", "2") if "zebra" in caption else ANSWER
            store = request.getfixturevalue("tmp_path") / "answers"
            options = {name: f"model=judge,endpoint={server.address},wait=0.001,send=yes,store={store}"}
        elif name == "vcrscore":
            features = [
                "vcr_precision",
                f"vilt[{options['vilt']}]",
                f"mcipscore_ref[{options['mcipscore_ref']}]",
            ]
            options = {name: f"model={linear_metric(features, name)}"}
        elif name == "rating":
            width = 2 * 12  # the pooled states of the tiny ViLBERT
            joint = f"vilbert.joint[{options['vilbert.joint']}]"
            options = {name: f"model={linear_metric([joint], name, width=width)}"}
        metric = resolve(f"{name}[{options[name]}]")
        try:
            metric.ready()
        except MissingDependencyError as error:
            pytest.skip(str(error))
        return metric

    return made
