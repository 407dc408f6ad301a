from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import pytest

from captious.compat.coco import COCOEvalCap
from captious.errors import InputError

CAPTIONS = {
    3: ["a man rides a horse", "the man on a brown horse"],
    7: ["two dogs with a ball", "dogs play on the grass"],
    9: ["a plate of pasta", "pasta on a white plate"],
}
RESULTS = {3: "a man riding a horse", 7: "two dogs on grass", 9: "a plate of food"}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    annotations = [
        {"id": number, "image_id": image, "caption": caption}
        for number, (image, caption) in enumerate(
            (image, caption) for image, own in CAPTIONS.items() for caption in own
        )
    ]
    images = [{"id": image} for image in CAPTIONS]
    (tmp_path / "captions.json").write_text(
        json.dumps(
            {"images": images, "annotations": annotations, "type": "captions", "info": {}, "licenses": []}
        )
    )
    results = [{"image_id": image, "caption": caption} for image, caption in RESULTS.items()]
    (tmp_path / "results.json").write_text(json.dumps(results))
    return str(tmp_path / "captions.json"), str(tmp_path / "results.json")


# An evaluation script as coco-caption's users have it; only the import line may change.
SCRIPT = """
from pycocotools.coco import COCO
from {module} import COCOEvalCap

coco = COCO(annotation_file)
coco_result = coco.loadRes(results_file)
coco_eval = COCOEvalCap(coco, coco_result)
coco_eval.params['image_id'] = coco_result.getImgIds()
coco_eval.evaluate()
for metric, value in coco_eval.eval.items():
    print(f'{{metric}}: {{value:.3f}}')
"""


def _run(module: str, files: tuple[str, str]) -> COCOEvalCap:
    names = {"annotation_file": files[0], "results_file": files[1]}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(SCRIPT.format(module=module), names)
    return names["coco_eval"]  # type: ignore[return-value]


def test_an_unchanged_script_runs_after_one_changed_import(files: tuple[str, str]) -> None:
    pytest.importorskip("pycocotools")
    ours = _run("captious.compat.coco", files)
    assert {"Bleu_1", "Bleu_4", "ROUGE_L", "CIDEr"} <= set(ours.eval)
    assert set(ours.imgToEval) == set(CAPTIONS)
    assert ours.evalImgs[0]["image_id"] == 3


def test_the_script_prints_what_the_original_prints(
    files: tuple[str, str], java: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pycocoevalcap.eval as original

    # SPICE needs models from another site and crashes on today's Java.
    monkeypatch.setattr(original, "Spice", original.Rouge)
    theirs = _run("pycocoevalcap.eval", files)
    ours = _run("captious.compat.coco", files)
    ours.eval.pop("SPICE", None)
    for name, value in ours.eval.items():
        assert value == pytest.approx(theirs.eval[name], abs=1e-6), name
    for image, scores in ours.imgToEval.items():
        scores.pop("SPICE", None)
        for name, value in scores.items():
            assert value == pytest.approx(theirs.imgToEval[image][name], abs=1e-6), (image, name)


def test_plain_paths_do_as_well(files: tuple[str, str]) -> None:
    by_path = COCOEvalCap(*files)
    by_path.evaluate()
    pytest.importorskip("pycocotools")
    assert by_path.eval == pytest.approx(_run("captious.compat.coco", files).eval)


def test_an_image_without_a_result_is_named(files: tuple[str, str]) -> None:
    evaluation = COCOEvalCap(*files)
    evaluation.params["image_id"] = [3, 8]
    with pytest.raises(InputError, match="image 8 has 0 candidate captions"):
        evaluation.evaluate()


def test_spice_of_an_image_is_a_dict_by_category_as_the_original_has_it(files: tuple[str, str]) -> None:
    evaluation = COCOEvalCap(*files)
    evaluation.evaluate()
    spice = evaluation.imgToEval[3]["SPICE"]
    assert set(spice) == {"All", "Object", "Relation", "Attribute", "Color", "Cardinality", "Size"}
    assert set(spice["All"]) == {"pr", "re", "f", "fn", "numImages"}
    mean = sum(evaluation.imgToEval[image]["SPICE"]["All"]["f"] for image in CAPTIONS) / len(CAPTIONS)
    assert evaluation.eval["SPICE"] == pytest.approx(mean)
