"""Prediction tables that VLMEvalKit itself writes are read as they are, and its own numbers are explained."""

import base64
import csv
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import captious
from captious.errors import CaptiousWarning

# In a process of its own: VLMEvalKit changes how every later connection checks certificates.
HARNESS = """
import json, os, sys
from vlmeval.dataset.image_caption import ImageCaptionDataset
from vlmeval.inference import infer_data_job

ImageCaptionDataset.DATASET_MD5 = {}  # the file here is not the one that it downloads


class Repeater:
    is_api = False

    def __init__(self):
        self.captions = iter(json.load(open("heron.json")))

    def set_dump_image(self, dump):
        pass

    def generate(self, message, dataset):
        assert [part["type"] for part in message] == ["image", "text"]
        return next(self.captions)


for form in ("xlsx", "tsv", "json"):
    os.environ["PRED_FORMAT"] = form
    infer_data_job(Repeater(), ".", "heron", ImageCaptionDataset("COCO_VAL"))
ImageCaptionDataset.evaluate("heron_COCO_VAL.xlsx")
"""


def write_data(folder: Path, corpus: captious.Corpus) -> None:
    """The sample as VLMEvalKit's data set COCO_VAL, and the captions that its model gives."""
    with (folder / "COCO_VAL.tsv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t")
        table.writerow(["index", "image", "answer"])
        for one in corpus:
            image = base64.b64encode(Path(str(one.image_path)).read_bytes()).decode()
            table.writerow([one.image_id, image, str(one.references)])
    (folder / "heron.json").write_text(json.dumps([one.caption for one in corpus]))


def test_tables_that_vlmevalkit_writes(tmp_path: Path, heron: captious.Corpus) -> None:
    if find_spec("vlmeval") is None:
        pytest.skip("VLMEvalKit is not installed (pip install ms-vlmeval)")
    pytest.importorskip("openpyxl")
    write_data(tmp_path, heron)
    done = subprocess.run(
        [sys.executable, "-c", HARNESS],
        cwd=tmp_path,
        env={**os.environ, "LMUData": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    expected = captious.score(heron, ["cider"])["cider"].score
    for form in ("xlsx", "tsv", "json"):
        with pytest.warns(CaptiousWarning, match="written by VLMEvalKit"):
            corpus = captious.load_corpus(tmp_path / f"heron_COCO_VAL.{form}")
        assert corpus.image_ids == heron.image_ids
        assert captious.score(corpus, ["cider"])["cider"].score == expected
    own = json.loads(next(tmp_path.glob("*_score.json")).read_text())
    names = [f"{name}[tokeniser=space]" for name in ("bleu4", "rouge_l", "cider")]
    found = [captious.score(heron, [name])[name].score * 100 for name in names]
    assert found == pytest.approx([own["Bleu"][3], own["ROUGE_L"], own["CIDEr"]], rel=1e-12)
    assert own["CIDEr"] < expected * 100
