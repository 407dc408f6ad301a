"""The task of docs/harnesses.md runs in lmms-eval itself, and its numbers are those of `captious.score`."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import captious
from captious.errors import CaptiousWarning

PAGE = (Path(__file__).parents[2] / "docs" / "harnesses.md").read_text("utf-8")

# A model from outside lmms-eval: it opens each image and repeats the caption of a file.
MODEL = """
import json
from pathlib import Path
from lmms_eval.api.model import lmms
from lmms_eval.models.registry_v2 import ModelManifest

manifest = ModelManifest("repeater", simple_class_path="repeater.Repeater")


class Repeater(lmms):
    def __init__(self, captions, **more):
        super().__init__()
        self.captions = json.loads(Path(captions).read_text())

    def generate_until(self, requests):
        return [self.caption(*request.args) for request in requests]

    def caption(self, context, options, doc_to_visual, number, task, split):
        assert context == "Provide a one-sentence caption for the provided image."
        doc = self.task_dict[task][split][number]
        (image,) = doc_to_visual(doc)
        assert image.mode == "RGB"
        return self.captions[doc["image_id"]]

    def loglikelihood(self, requests):
        raise NotImplementedError

    def generate_until_multi_round(self, requests):
        raise NotImplementedError
"""


def install(folder: Path) -> None:
    """Make lmms-eval find the model, as an installed package would."""
    (folder / "repeater.py").write_text(MODEL)
    about = folder / "repeater-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: repeater\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[lmms_eval.models]\nrepeater = repeater:manifest\n")


def write_task(folder: Path, corpus: captious.Corpus) -> None:
    """The two files of the page, and data of the form that it shows."""
    (folder / "my_cap").mkdir()
    for language, name in (("python", "utils.py"), ("yaml", "my_cap.yaml")):
        block = re.search(rf"`my_cap/{name}`.*?```{language}\n(.*?)```", PAGE, re.S)
        assert block, name
        (folder / "my_cap" / name).write_text(block[1])
    rows = [
        {"image_id": one.image_id, "image_file": one.image_path, "references": one.references}
        for one in corpus
    ]
    (folder / "captions.jsonl").write_text("\n".join(map(json.dumps, rows)))


def test_the_task_of_the_page_runs_in_lmms_eval(tmp_path: Path, heron: captious.Corpus) -> None:
    pytest.importorskip("lmms_eval")
    install(tmp_path)
    write_task(tmp_path, heron)
    captions = tmp_path / "heron.json"
    captions.write_text(json.dumps({one.image_id: one.caption for one in heron}))
    command = re.search(r"python -m lmms_eval (.*)", PAGE)
    assert command
    options = command[1].replace("MODEL", f"repeater --model_args captions={captions}").split()
    paths = [str(tmp_path), *filter(None, sys.path)]
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-m", "lmms_eval", *options],
        cwd=tmp_path,
        env={**os.environ, **offline, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (results,) = tmp_path.glob("logs/**/*_results.json")
    found = json.loads(results.read_text())["results"]["my_cap"]
    expected = captious.score(heron, ["cider", "bleu4", "spice"])
    for printed, name in (("CIDEr", "cider"), ("BLEU-4", "bleu4"), ("SPICE", "spice")):
        assert found[f"{printed},none"] == expected[name].score
    (samples,) = tmp_path.glob("logs/**/*_samples_my_cap.jsonl")
    with pytest.warns(CaptiousWarning, match="written by lmms-eval"):
        logged = captious.load_corpus(samples)
    assert logged.image_ids == heron.image_ids
    assert captious.score(logged, ["cider"])["cider"].score == expected["cider"].score
